"""`run --tensorboard`: TensorBoard's own reader reads the event file while the program runs."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from forms import COMMAND, PATIENCE

pytest.importorskip("tensorboard")

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

PROGRAM = """
import sys
import nilometer

kept = []
for line in sys.stdin:
    count, unit = line.split()
    for _ in range(int(count)):
        kept.append(bytearray(1 << 20))
        nilometer.cycle(unit)
"""


class Running:
    """A program that takes so many steps as it is told."""

    def __init__(self, folder: Path, *words: str) -> None:
        (folder / "asked.py").write_text(PROGRAM, encoding="utf-8")
        command = [*COMMAND, "run", "--no-recorder", "-o", "asked.nilo", *words, "asked.py"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe)

    def step(self, count: int, unit: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{count} {unit}\n".encode())
        self.process.stdin.flush()

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said.decode()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    one = Running(tmp_path, "--tensorboard", "logs")
    yield one
    if one.process.poll() is None:
        one.process.kill()
        one.process.communicate()


def live(logs: Path) -> list[int]:
    """The steps that TensorBoard would show now."""
    if not (logs / "nilometer").exists():
        return []
    read = EventAccumulator(str(logs / "nilometer"))
    read.Reload()
    tag = "memory/live_bytes"
    return [event.step for event in read.Scalars(tag)] if tag in read.Tags()["scalars"] else []


def wait_for(logs: Path, steps: list[int]) -> None:
    end = time.monotonic() + PATIENCE
    while live(logs) != steps:
        assert time.monotonic() < end, live(logs)
        time.sleep(0.2)


def test_cycles_come_while_the_program_runs(running: Running, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    running.step(8, "step")
    wait_for(logs, list(range(1, 9)))
    assert running.process.poll() is None
    running.step(7, "step")
    code, _ = running.end()
    assert code == 0
    assert live(logs) == list(range(1, 16)), "each once"
    read = EventAccumulator(str(logs / "nilometer"))
    read.Reload()
    values = [event.value for event in read.Scalars("memory/live_bytes")]
    assert values[-1] - values[0] == pytest.approx(14 << 20, rel=0.05)
    (text,) = read.Tensors("memory/report")
    assert b"asked.py" in text.tensor_proto.string_val[0]
    assert [path.name for path in logs.iterdir()] == ["nilometer"], (
        "beside the training's own, a run by itself"
    )
    assert len(list((logs / "nilometer").iterdir())) == 1


def test_what_is_counted_may_become_something_else(running: Running, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    running.step(9, "step")
    wait_for(logs, list(range(1, 10)))
    running.step(2, "request")
    time.sleep(0.5)  # what repeats for longer is what counts
    running.step(2, "request")
    code, _ = running.end()
    assert code == 0
    assert live(logs) == list(range(1, 5)), "the requests, not the steps before them"


def test_a_folder_that_cannot_be_is_said_before_the_program_starts(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, said = Running(tmp_path, "--tensorboard", "file/logs").end()
    assert code == 2
    assert said.startswith("error: ")
    assert not (tmp_path / "asked.nilo").exists()
