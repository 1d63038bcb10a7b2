"""Programs that see other files than the command: those in a mount namespace of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from attach_bench import PATIENCE, Bench

SCRIPT = """
import os, time
kept = []
def work():
    kept.append(bytearray(300_000))
    time.sleep(0.01)
print("ready", flush=True)
while not os.path.exists("/tmp/stop"):
    work()
    print("round", len(kept), flush=True)
raise SystemExit(7)
"""


def can_unshare() -> bool:
    tool = shutil.which("unshare")
    return tool is not None and subprocess.run([tool, "-m", "true"], check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not can_unshare(), reason="needs a mount namespace of its own"
)


def started(bench: Bench) -> tuple[subprocess.Popen[str], Path]:
    """A program whose `/tmp` is its own; and the folder in which it is found from here."""
    text = f"mount -t tmpfs none /tmp\ncat > /tmp/program.py\nexec {sys.executable} /tmp/program.py"
    program = subprocess.Popen(
        ["unshare", "-m", "sh", "-c", text],
        stdin=subprocess.PIPE,
        stdout=(bench.folder / "out").open("w"),
        stderr=subprocess.STDOUT,
        text=True,
    )
    bench.programs.append(program)
    assert program.stdin is not None
    program.stdin.write(SCRIPT)
    program.stdin.close()
    bench.wait_for(lambda: "ready" in (bench.folder / "out").read_text())
    return program, Path(f"/proc/{program.pid}/root/tmp")


def ended(bench: Bench, program: subprocess.Popen[str], tmp: Path) -> list[str]:
    """Lets it end; its last words and its exit code must be its own."""
    (tmp / "stop").touch()
    assert program.wait(PATIENCE) == 7
    return (bench.folder / "out").read_text().splitlines()


def test_the_package_is_carried_and_the_capture_brought_home(bench: Bench) -> None:
    program, tmp = started(bench)
    for capture in ("a.nilo", "b.nilo"):
        bench.nilometer("attach", program.pid, "-o", capture, "--for", "1s", "--record")
        assert bench.report(capture)["program"]["name"] == "program.py"
    # One folder serves all attaches, and no capture is left in it.
    (folder,) = tmp.glob("nilometer-attach-*")
    assert [entry.name for entry in folder.iterdir()] == ["nilometer"]
    lines = ended(bench, program, tmp)
    assert lines == ["ready"] + [f"round {n}" for n in range(1, len(lines))]


def test_a_program_that_ends_leaves_its_capture(bench: Bench) -> None:
    program, tmp = started(bench)
    attached = bench.attach(program.pid, "-o", "a.nilo", "--no-live")
    ended(bench, program, tmp)
    assert attached.wait(PATIENCE) == 0
    assert bench.report("a.nilo")["program"]["name"] == "program.py"


def test_detach_finds_it_from_outside(bench: Bench) -> None:
    program, tmp = started(bench)
    attached = bench.attach(program.pid, "-o", "a.nilo", "--no-live")
    assert "already" in bench.refused(program.pid)
    bench.nilometer("detach", program.pid)
    assert attached.wait(PATIENCE) == 0
    assert (bench.folder / "a.nilo").exists()
    ended(bench, program, tmp)
