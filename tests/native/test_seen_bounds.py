"""A bound that the command line says: a look reads it from the object that has the container."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nilometer
import pytest

SOURCE = """
import sys

class Replay:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = []

    def add(self, item):
        self.items.append(item)
        if len(self.items) == self.capacity:
            self.items.pop(0)

class Agent:
    def __init__(self, memory):
        self.memory = memory

def train(agent):
    for episode in range(40):
        for step in range(50):
            agent.memory.add([bytearray(3000) for _ in range(5)])
        print(f"episode {episode}: steps {step}", flush=True)
        sum(number * number for number in range(100_000))

train(Agent(Replay(int(sys.argv[1]) if len(sys.argv) > 1 else None)))
"""


@pytest.mark.parametrize(
    ("capacity", "verdict", "said"),
    [
        ((), "leak", "grows with every episode"),
        (("100000000",), "leak", "grows with every episode"),
        (("3000",), "undecided", "full with 3000 elements by `if len(self.items) == self.capacity`"),
        (("700",), "no_leak", "is flat since"),
    ],
)
def test_how_far_the_bound_is_away(
    tmp_path: Path, capacity: tuple[str, ...], verdict: str, said: str
) -> None:
    (tmp_path / "train.py").write_text(SOURCE)
    command = [sys.executable, "-m", "nilometer", "run", "-q", "-o", "x.nilo", "train.py", *capacity]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120, stdin=subprocess.DEVNULL)
    report = nilometer.read(tmp_path / "x.nilo")
    assert (report.verdict, said in report.reason) == (verdict, True), report.reason
