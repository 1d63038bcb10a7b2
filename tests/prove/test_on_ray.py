"""Proofs on a Ray cluster: a real one, on this machine, where Ray is installed."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prove_bench import COMMAND, PATIENCE, Bench

HAS_RAY = importlib.util.find_spec("ray") is not None
needs_ray = pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed")

LEAKS = """
import time
import nilometer

KEPT = []
open("written.txt", "w").write("beside the script")
for turn in range(60):
    KEPT.append(bytes(200_000))
    time.sleep(0.01)
    nilometer.cycle()
"""

# Nobody else can reach it, and it needs no token.
OPEN = {"RAY_AUTH_MODE": "disabled"}

HEAD = """
import sys
import ray

context = ray.init(num_cpus=4, include_dashboard=False, _temp_dir=sys.argv[1], log_to_driver=False)
print(context.address_info["gcs_address"], flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster that lives as long as these tests, found as users' own is."""
    # Sockets lie in it, whose paths have to be short.
    folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    head = subprocess.Popen(
        [sys.executable, "-c", HEAD, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **OPEN},
    )
    assert head.stdout is not None
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**OPEN, "RAY_ADDRESS": head.stdout.readline().strip()}.items():
                patch.setenv(name, value)
            yield
    finally:
        head.communicate(timeout=PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def test_without_ray_it_says_what_to_install(bench: Bench) -> None:
    if HAS_RAY:
        pytest.skip("Ray is installed")
    _, err = bench.prove("--on", "ray", bench.script(LEAKS), code=2)
    assert "Ray is not installed here" in err
    assert "pip install 'nilometer[ray]'" in err
    assert not bench.captures.exists()


@needs_ray
def test_without_a_cluster_it_says_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    # Where an earlier cluster would have left its address.
    monkeypatch.setenv("RAY_TMPDIR", str(bench.temporary))
    _, err = bench.prove("--on", "ray", bench.script(LEAKS), code=2)
    assert "no Ray cluster answers" in err
    assert "RAY_ADDRESS" in err


@needs_ray
def test_the_cure_is_found_there_and_the_captures_are_here(bench: Bench, cluster: None) -> None:
    script = bench.script(LEAKS)
    before = bench.hashes()
    proof = bench.proof("--on", "ray", "-j", "2", script)
    assert proof["cure"]["set"] == ["bounded:__main__.KEPT"]
    assert proof["baseline"]["cycles"] == 60
    assert abs(proof["baseline"]["growth"]["estimate"] - 200_000) < 10_000
    assert bench.hashes() == before
    names = [proof["baseline"]["capture"], *(row["capture"] for row in proof["interventions"])]
    for name in names:
        told = subprocess.run(
            [*COMMAND, "report", str(bench.captures / name), "--format", "json"], capture_output=True
        )
        assert json.loads(told.stdout)["cycles"]["count"] == 60


ENDLESS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
import nilometer
while True:
    time.sleep(0.02)
    nilometer.cycle()
"""


@needs_ray
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_ends_what_runs_there(bench: Bench, cluster: None, number: signal.Signals) -> None:
    process = bench.start("--on", "ray", bench.script(ENDLESS))
    program, child = bench.pids()
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert _ends(program)
    if number == signal.SIGKILL:
        # As without a cluster, a child of the program's own is not followed then; the program is.
        os.kill(child, signal.SIGKILL)
        return
    assert process.returncode == 128 + number
    assert _ends(child)
    (capture,) = bench.captures.glob("*.nilo")
    assert subprocess.run([*COMMAND, "report", str(capture)], capture_output=True).returncode == 0


def _ends(pid: int) -> bool:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False
