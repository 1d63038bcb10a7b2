"""Memory of GPUs is asked of TensorFlow itself; where there is none, of its allocator for the processor."""

from __future__ import annotations

import pytest
from hook_runner import PROGRAMS, Runner
from test_marks import pytestmark  # noqa: F401

TENSOR = 4_000_000


@pytest.mark.slow
def test_what_is_in_use_and_what_was_taken(run: Runner) -> None:
    ended = run([str(PROGRAMS / "gpu_memory.py")])
    said = {name: [int(n) for n in numbers] for name, *numbers in map(str.split, ended.stdout.splitlines())}
    assert said["before"] == said["without"] == [0, 0, 0], "no GPU, nothing to say"
    assert said["looked"] == [0], "a look has set TensorFlow up"
    used, peak, reserved = said["three"]
    assert 3 * TENSOR <= used < 4 * TENSOR
    assert used <= peak <= reserved
    assert TENSOR <= used - said["two"][0] < TENSOR + 1_000_000
    assert said["two"][1:] == [peak, reserved]
    assert said["as_needed"][2] == 0, "nothing is reserved that is taken bit by bit"
