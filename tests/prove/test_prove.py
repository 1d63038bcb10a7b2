"""Proofs of programs without a framework: their cycles are marked by hand, their leaks are known."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
from prove_bench import COMMAND, PATIENCE, Bench

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "prove.schema.json").read_text())

LOOP = """
import time
import nilometer

{before}
for turn in range(60):
    {turn}
    time.sleep(0.01)
    nilometer.cycle()
"""
LEAKS = LOOP.format(before="KEPT = []", turn="KEPT.append(bytes(200_000))")
INNOCENT = LOOP.format(before="KEPT = []", turn="KEPT[:] = [bytes(200_000)]")


def test_the_container_that_grows_is_found_and_bounding_it_cures(bench: Bench) -> None:
    proof = bench.proof(bench.script(LEAKS))
    jsonschema.validate(proof, SCHEMA)
    assert proof["answer"] == "cured"
    assert proof["cure"]["set"] == ["bounded:__main__.KEPT"]
    assert proof["cure"]["removed"]["low"] > 0.9
    (row,) = proof["interventions"]
    assert row["verdict"] == "cures"
    growth = proof["baseline"]["growth"]
    assert abs(growth["estimate"] - 200_000) < 10_000
    assert proof["sentence"].startswith("with __main__.KEPT bounded removes ")
    # The captures are whole, and named in the answer.
    for name in (proof["baseline"]["capture"], row["capture"]):
        told = subprocess.run(
            [*COMMAND, "report", str(bench.captures / name), "--format", "json"], capture_output=True
        )
        assert json.loads(told.stdout)["cycles"]["count"] == 60


def test_an_innocent_program_is_run_once(bench: Bench) -> None:
    proof = bench.proof(bench.script(INNOCENT))
    jsonschema.validate(proof, SCHEMA)
    assert (proof["answer"], proof["interventions"], proof["cure"]) == ("nothing_to_cure", [], None)
    assert len(list(bench.captures.glob("*.nilo"))) == 1


def test_two_leaks_end_with_the_pair(bench: Bench) -> None:
    two = LOOP.format(
        before="BIG = []\nSMALL = {}", turn="BIG.append(bytes(200_000)); SMALL[turn] = bytes(100_000)"
    )
    proof = bench.proof(bench.script(two), code=0)
    assert proof["cure"]["set"] == ["bounded:__main__.BIG", "bounded:__main__.SMALL"]
    assert [row["verdict"] for row in proof["interventions"]] == ["reduces", "reduces", "cures"]


GARBAGE = "ring = [bytes(150_000)]; ring.append(ring)"


def test_garbage_does_not_hide_what_stays(bench: Bench) -> None:
    """The collector never comes: of what grows nobody knows whether it would take it."""
    keeps = LOOP.format(before="KEPT = []", turn=f"KEPT.append(bytes(100_000)); {GARBAGE}")
    proof = bench.proof(bench.script(keeps))
    assert proof["cure"]["set"] == ["bounded:__main__.KEPT"]
    assert abs(proof["baseline"]["growth"]["estimate"] - 100_000) < 10_000
    assert any("these runs collect garbage in each cycle" in warning for warning in proof["warnings"])


def test_what_grows_by_garbage_only_needs_no_cure(bench: Bench) -> None:
    proof = bench.proof(bench.script(LOOP.format(before="", turn=GARBAGE)))
    assert (proof["answer"], proof["interventions"]) == ("nothing_to_cure", [])


def test_what_had_nothing_to_change_does_not_cure(bench: Bench) -> None:
    """A program that leaks in its first run only: another change than the one that was tried."""
    once = f"""
import os
again = os.path.exists({str(bench.root / "ran")!r})
open({str(bench.root / "ran")!r}, "w").close()
"""
    leaks = LOOP.format(before=once + "KEPT = []", turn="None if again else KEPT.append(bytes(200_000))")
    proof = bench.proof("--yes", "--try", "bounded:Nobody.here", bench.script(leaks), code=1)
    (row,) = proof["interventions"]
    assert (row["verdict"], row["note"]) == ("undecided", "bounded:Nobody.here had nothing to change")


def test_a_page_shows_the_first_run_and_the_experiments(bench: Bench) -> None:
    _, err = bench.prove("--html", "--try", "bounded:__main__.KEPT", bench.script(LEAKS))
    page = (bench.captures / "prove.html").read_text()
    assert "prove.html" in err
    assert '"proof":{"answer":"cured"' in page
    assert "with __main__.KEPT bounded removes 100 % of the growth" in page


def test_a_change_of_the_users_own(bench: Bench) -> None:
    bench.script(INNOCENT, "mended.py")
    out, err = bench.prove("--with", "mended.py", bench.script(LEAKS))
    assert "CURED  with mended.py removes 100 % of the growth" in out
    assert "with mended.py: " in err


def test_what_was_asked_for_is_tried_alone(bench: Bench) -> None:
    proof = bench.proof("--try", "gc", bench.script(LEAKS), code=1)
    assert proof["answer"] == "unexplained"
    assert [(row["set"], row["verdict"]) for row in proof["interventions"]] == [(["gc"], "no_effect")]


def test_a_capture_says_which_program_it_is_of(bench: Bench) -> None:
    script = bench.script(INNOCENT)
    capture = bench.root / "a.nilo"
    subprocess.run([*COMMAND, "run", "-q", "-o", str(capture), script], cwd=bench.folder, check=True)
    assert bench.proof(str(capture))["program"] == [script]


def test_nothing_outside_of_the_scratch_folder_changes(bench: Bench) -> None:
    writes = """
import os, pathlib, tempfile
pathlib.Path("out").mkdir(exist_ok=True)
pathlib.Path("out/model.bin").write_bytes(b"new")
pathlib.Path("kept.txt").write_text("changed")
pathlib.Path(__file__).with_name("beside.txt").write_text("beside")
os.remove("gone.txt")
pathlib.Path(tempfile.mkstemp()[1]).write_text("x")
"""
    (bench.folder / "kept.txt").write_text("mine")
    (bench.folder / "gone.txt").write_text("mine")
    script = bench.script(writes + INNOCENT)
    before = bench.hashes()
    proof = bench.proof(str(bench.folder / script))
    assert (proof["answer"], proof["warnings"]) == ("nothing_to_cure", [])
    assert bench.hashes() == before
    assert list(bench.temporary.iterdir()) == []


def test_what_lies_beside_the_folder_is_there(bench: Bench) -> None:
    (bench.root / "data").mkdir()
    (bench.root / "data" / "x.txt").write_text("far")
    reads = "open('../data/x.txt').read()\n"
    assert bench.proof(bench.script(reads + INNOCENT))["answer"] == "nothing_to_cure"
    writes = "open('../data/x.txt', 'w').write('lost')\n"
    bench.prove(bench.script(writes + INNOCENT), code=2)
    assert (bench.root / "data" / "x.txt").read_text() == "far"


def test_writing_elsewhere_is_refused_unless_allowed(bench: Bench) -> None:
    outside = bench.root / "elsewhere.txt"
    script = bench.script(f"open({str(outside)!r}, 'w').write('x')\n" + INNOCENT)
    _, err = bench.prove(script, code=2)
    assert str(outside) in err
    assert "--yes" in err
    assert not outside.exists()
    proof = bench.proof("--yes", script)
    assert outside.exists()
    assert any(str(outside) in warning for warning in proof["warnings"]) or proof["warnings"] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_and_leaves_the_capture(bench: Bench, number: signal.Signals) -> None:
    endless = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
import nilometer
while True:
    time.sleep(0.02)
    nilometer.cycle()
"""
    process = bench.start(bench.script(endless))
    pids = bench.pids()
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    for pid in pids:
        assert not _runs(pid), f"{pid} was left behind"
    (capture,) = bench.captures.glob("*.nilo")
    told = subprocess.run([*COMMAND, "report", str(capture)], capture_output=True)
    assert told.returncode == 0
    assert list(bench.temporary.iterdir()) == []


def test_if_it_is_killed_the_program_is_too(bench: Bench) -> None:
    process = bench.start(bench.script("import os, time\nprint(os.getpid(), 0, flush=True)\ntime.sleep(600)"))
    program = bench.pids()[0]
    process.kill()
    process.communicate(timeout=PATIENCE)
    until = time.monotonic() + PATIENCE
    while _runs(program):
        assert time.monotonic() < until, "the program was left behind"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_program_that_fails_is_told_with_its_words(bench: Bench) -> None:
    _, err = bench.prove(bench.script("raise SystemExit(3)"), code=2)
    assert "exit code 3" in err
    assert ".log" in err


def test_time_ends_a_run_as_ctrl_c_would(bench: Bench) -> None:
    leaks = LEAKS.replace("range(60)", "range(100_000)").replace("bytes(200_000)", "bytes(20_000)")
    script = bench.script(f"try:\n    exec({leaks!r})\nexcept KeyboardInterrupt:\n    print('asked')\n")
    proof = bench.proof("--budget", "8", script, code=None)
    assert proof["baseline"]["verdict"] == "leak"
    assert (bench.captures / "1-as-it-is.log").read_text().startswith("asked\n")


def test_there_is_no_such_program(bench: Bench) -> None:
    _, err = bench.prove("missing.py", code=2)
    assert "missing.py" in err
    assert not bench.captures.exists()


def test_two_at_once(bench: Bench) -> None:
    two = LOOP.format(
        before="BIG = []\nSMALL = {}", turn="BIG.append(bytes(200_000)); SMALL[turn] = bytes(100_000)"
    )
    proof = bench.proof("-j", "2", bench.script(two))
    # Beside the pair another change is tried: nobody knows yet that it is not needed.
    verdicts = [row["verdict"] for row in proof["interventions"]]
    assert verdicts == ["reduces", "reduces", "cures", "no_effect"]
    captures = [proof["baseline"]["capture"], *(row["capture"] for row in proof["interventions"])]
    assert sorted(captures) == sorted(path.name for path in bench.captures.glob("*.nilo"))
