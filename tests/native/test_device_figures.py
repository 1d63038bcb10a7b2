"""Memory of devices is asked of the frameworks' own allocators, and only of those that are set up already."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from native_program import Program

HERE = Path(__file__).parent
TENSOR = 4_000_000


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="no TensorFlow")
def test_tensorflow_is_asked_by_the_same_calls_of_its_allocator_for_the_processor(program: Program) -> None:
    out, _ = program.run((HERE / "gpu_memory.py").read_text(), prelude=False)
    said = {name: [int(n) for n in numbers] for name, *numbers in map(str.split, out.splitlines())}
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
import _native

def stats(device):
    asked.append(device)
    of = lambda current, peak: {"all": {"current": current, "peak": peak}, "small_pool": {}}
    return {"allocated_bytes": of(100 + device, 700), "reserved_bytes": of(1000, 1000)}

def too_early(*_): raise SystemExit("asked where there is no device of its own")

asked = []
cuda, native = types.ModuleType("torch.cuda"), types.ModuleType("torch._C")
sys.modules.update({"torch.cuda": cuda, "torch._C": native})
native._cuda_memoryStats = native._cuda_getDeviceCount = too_early
say = lambda: print(_native.device_figures())
say()
cuda._initialized = False
say()
cuda._initialized = True
native._cuda_isInBadFork = lambda: True
say()
native._cuda_isInBadFork = lambda: False
native._cuda_getAllocatorBackend = lambda: "cudaMallocAsync"
say()
native._cuda_getAllocatorBackend = lambda: "native"
native._cuda_memoryStats, native._cuda_getDeviceCount = stats, lambda: 2
say()
print(asked)
"""


def test_pytorch_is_asked_once_of_each_gpu_and_of_its_own_allocator_alone(program: Program) -> None:
    out, _ = program.run(TORCH, prelude=False)
    assert out.splitlines() == [
        *["[]"] * 4,
        "[(1, 0, 100, 700, 1000, 0), (1, 1, 101, 700, 1000, 0)]",
        "[0, 1]",
    ]


JAX = """
import sys, types
import _native

def backend(platform, *stats):
    devices = [types.SimpleNamespace(memory_stats=lambda one=one: one) for one in stats]
    return types.SimpleNamespace(platform=platform, local_devices=lambda: devices)

bridge = sys.modules["jax._src.xla_bridge"] = types.ModuleType("jax._src.xla_bridge")
say = lambda: print(_native.device_figures())
say()
bridge._backends = {}
say()
bridge._backends["cpu"] = backend("cpu", {"bytes_in_use": 5, "peak_bytes_in_use": 5, "pool_bytes": 5})
say()
one = {"bytes_in_use": 10, "peak_bytes_in_use": 70, "pool_bytes": 900}
bridge._backends["cuda"] = backend("cuda", one, one | {"bytes_limit": 5000}, None, {"bytes_in_use": 1})
say()
"""


def test_jax_is_asked_of_devices_that_are_no_processor(program: Program) -> None:
    assert program.run(JAX, prelude=False)[0].splitlines() == [
        *["[]"] * 3,
        "[(2, 0, 10, 70, 900, 0), (2, 1, 10, 70, 900, 5000), (2, 3, 1, 0, 0, 0)]",
    ]


FAILS = """
import sys, time, types
cuda, native = types.ModuleType("torch.cuda"), types.ModuleType("torch._C")
sys.modules.update({"torch.cuda": cuda, "torch._C": native})
cuda._initialized = True
asked = []
def count(): asked.append(1); raise KeyError("another version")
native._cuda_getDeviceCount = count
native._cuda_memoryStats = count
for _ in range(20):
    time.sleep(0.02)
    _native.cycle(0)
print(len(asked))
"""


def test_a_version_that_answers_otherwise_is_left_alone(program: Program) -> None:
    out, err = program.run(FAILS)
    assert (out, err) == ("8\n", "")
    said = [record["what"] for record in program.capture().of("loss")]
    assert said == ["memory of devices: this version of PyTorch does not tell it as known"]


FORK = """
import os, sys, time, types
cuda, native = types.ModuleType("torch.cuda"), types.ModuleType("torch._C")
sys.modules.update({"torch.cuda": cuda, "torch._C": native})
cuda._initialized = True
asked = []
def stats(device):
    asked.append(os.getpid())
    one = {"all": {"current": 5, "peak": 5}}
    return {"allocated_bytes": one, "reserved_bytes": one}
native._cuda_memoryStats, native._cuda_getDeviceCount = stats, lambda: 1
_native.cycle(0)
print(len(asked), flush=True)
child = os.fork()
if not child:
    print(_native.start_child("child.nilo", "0"), flush=True)
    for _ in range(5):
        _native.cycle(0)
        time.sleep(0.01)
    print(len(asked), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_forked_child_does_not_ask_what_its_parent_had_set_up(program: Program) -> None:
    code = f"import os; os.chdir({str(program.folder)!r})\n" + FORK
    assert program.run(code)[0].splitlines() == ["1", "True", "1"]
