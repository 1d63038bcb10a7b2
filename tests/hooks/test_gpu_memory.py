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


TORCH = """
import sys, types
from nilometer.hooks import gpu_memory_torch as memory

def stats(device):
    asked.append(device)
    of = lambda current, peak: {"all": {"current": current, "peak": peak}, "small_pool": {}}
    return {"allocated_bytes": of(100 + device, 700), "reserved_bytes": of(1000, 1000)}

def no_stats(device): raise AssertionError("asked before there is a device")

asked, is_on = [], False
native = types.SimpleNamespace(_cuda_memoryStats=no_stats, _cuda_getDeviceCount=lambda: 2)
cuda = {"torch": types.SimpleNamespace(_C=native), "is_initialized": lambda: is_on}
say = lambda: print(memory.in_use(cuda), memory.peak(cuda), memory.reserved(cuda))
say()
is_on, native._cuda_memoryStats = True, stats
say()
print(asked)
"""


def test_pytorch_is_asked_of_every_gpu_once_it_has_one(run: Runner) -> None:
    assert run(["-c", TORCH]).stdout.splitlines() == ["0 0 0", "201 1400 2000", "[0, 1, 0, 1, 0, 1]"]


JAX = """
import types
from nilometer.hooks import gpu_memory_jax as memory

def backend(platform, *stats):
    devices = [types.SimpleNamespace(memory_stats=lambda one=one: one) for one in stats]
    return types.SimpleNamespace(platform=platform, local_devices=lambda: devices)

bridge = {"_backends": {}}
say = lambda: print(memory.in_use(bridge), memory.peak(bridge), memory.reserved(bridge))
say()
bridge["_backends"]["cpu"] = backend("cpu", {"bytes_in_use": 5, "peak_bytes_in_use": 5, "pool_bytes": 5})
say()
one = {"bytes_in_use": 10, "peak_bytes_in_use": 70, "pool_bytes": 900}
bridge["_backends"]["cuda"] = backend("cuda", one, one, None, {"bytes_in_use": 1})
say()
"""


def test_jax_is_asked_of_devices_that_are_no_processor(run: Runner) -> None:
    assert run(["-c", JAX]).stdout.splitlines() == ["0 0 0", "0 0 0", "21 140 1800"]


TICKS = """
from nilometer.hooks import ticks
from nilometer import _native
calls = []
_native.at_ticks = calls.append
turns = []
def breaks(): turns.append("breaks"); raise ValueError("ours")
def goes_on(): turns.append("goes on")
ticks.add(breaks); ticks.add(goes_on); ticks.add(goes_on)
print(len(calls))
for _ in range(2): calls[0]()
print(turns)
"""


def test_what_is_called_at_ticks_is_called_once_and_left_out_when_it_breaks(run: Runner) -> None:
    ended = run(["-c", TICKS])
    assert ended.stdout.splitlines() == ["1", "['breaks', 'goes on', 'goes on']"]
    assert (ended.stderr, ended.losses()) == ("", ["__main__: ValueError"])
