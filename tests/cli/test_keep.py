"""Captures with a bound: a restart goes on in the same one, and a capture of another run stays whole."""

from __future__ import annotations

import json
from typing import Any

from cli_bench import Bench

COUNTS = """
import sys, time
import nilometer
for request in range(int(sys.argv[1])):
    nilometer.cycle()
    time.sleep(0.01)
print("done", flush=True)
"""


def cycles(bench: Bench) -> dict[str, Any]:
    said = json.loads(bench.report("server.nilo", "--format", "json").stdout)
    counted: dict[str, Any] = said["cycles"]
    return counted


def test_a_restart_goes_on_in_the_same_capture_and_the_report_is_of_the_new_run(bench: Bench) -> None:
    script = bench.script(COUNTS)
    for count in (30, 12, 20):
        done = bench.watched("--keep", "4M", "-o", "server.nilo", "--quiet", script, str(count))
        assert done.returncode == 0
        assert done.stdout == b"done\n"
        assert [capture.name for capture in bench.captures()] == ["server.nilo"]
        assert cycles(bench)["count"] == count


def test_without_a_bound_a_capture_that_is_there_stays_as_it_is(bench: Bench) -> None:
    script = bench.script(COUNTS)
    bench.watched("-o", "server.nilo", "--quiet", script, "5")
    before = (bench.folder / "server.nilo").read_bytes()
    done = bench.watched("-o", "server.nilo", "--quiet", script, "5", env={"TMPDIR": str(bench.folder)})
    assert b"exists already" in done.stderr
    assert (bench.folder / "server.nilo").read_bytes() == before


def test_a_series_that_does_not_go_on_says_why(bench: Bench) -> None:
    (bench.folder / "server.nilo").write_bytes(b"no capture")
    done = bench.watched(
        "--keep", "4M", "-o", "server.nilo", "--quiet", bench.script("print('ran')"),
        env={"TMPDIR": str(bench.folder)},
    )  # fmt: skip
    assert done.stdout == b"ran\n"
    assert b"the earlier capture cannot be continued" in done.stderr
    assert (bench.folder / "server.nilo").read_bytes() == b"no capture"


def test_a_bound_that_makes_no_sense_is_refused_before_the_program_runs(bench: Bench) -> None:
    done = bench.watched("--keep", "1M", bench.script("print('ran')"))
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"4M to 1G" in done.stderr
