"""What other processes hold of a GPU, as its driver tells the supervisor; in doubt nothing is said of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_bench import Bench

STAND_INS = Path(__file__).parents[1] / "stand_ins"
MIB = 1 << 20
CONTRADICTS = "what the driver says does not fit what the framework holds"

TRAINING = """
import ctypes, os, random, sys, time
{before}
with open(os.environ["NVML_SAYS"], "w") as says:
    says.write({says!r}.replace("PID", str(os.getpid())))
from torch import _C, cuda
cuda._initialized = True
_C.take(100 << 20)

def train():
    for epoch in range(1, 25):
        for _ in range(8):
            size = random.randrange(64 << 20)
            _C.take(size)
            time.sleep(0.012)
            _C.take(-size)
        _C.take(256 << 10)
        print(f"epoch {{epoch}} loss {{1 / epoch:.3f}}")

train()
maps = open("/proc/self/maps").read()
print("driver in the program", "libnvidia-ml" in maps)
"""
CUDA = 'ctypes.CDLL("./libcuda.so.1")'

# A GiB of which 300 MiB are free, and 24 the driver's; processes hold the rest.
GPU = f"gpu 0 GPU-aa00 H100 {1 << 30} {300 * MIB} {24 * MIB} 0\n"
OWN = f"process 0 PID {400 * MIB}\nprocess 0 4000000 {123 * MIB}\n"
# One more of which all is free but for what the program holds.
SECOND = f"gpu 1 GPU-bb11 H100 {1 << 30} {600 * MIB} {24 * MIB} 0\n"

Told = dict[str, Any]
Watch = Callable[..., Told]


def compiled(folder: Path, name: str, source: str, *flags: str) -> None:
    command = ["cc", "-Wall", "-Werror", "-shared", "-fPIC", *flags, "-o", name, "-xc", source]
    subprocess.run(command, cwd=folder, check=True)


@pytest.fixture
def watch(bench: Bench) -> Watch:
    """Runs the training beside a driver that says this; gives what is told of the device."""

    def run(says: str, *flags: str, before: str = CUDA, driver: bool = True) -> Told:
        shutil.copytree(STAND_INS / "torch", bench.folder / "torch")
        compiled(bench.folder, "libcuda.so.1", "/dev/null")
        if driver:
            compiled(bench.folder, "libnvidia-ml.so.1", str(STAND_INS / "nvml" / "nvml.c"), *flags)
        script = bench.script(TRAINING.format(before=before, says=says))
        names = {"NVML_SAYS": "says", "NVML_ASKED": "asked"}
        paths = {name: str(bench.folder / path) for name, path in names.items()}
        done = bench.watched("-q", script, env={"LD_LIBRARY_PATH": str(bench.folder), **paths})
        assert done.returncode == 0, done.stderr
        assert b"driver in the program False" in done.stdout
        report = json.loads(bench.report(str(bench.captures()[-1]), "--format", "json").stdout)
        assert report["losses"] == []
        (device,) = report["devices"]
        assert device["verdict"] == "leak", device["reason"]
        told: Told = device
        return told

    return run


def asked(bench: Bench) -> list[str]:
    file = bench.folder / "asked"
    return file.read_text().split() if file.exists() else []


def test_what_others_hold_bounds_the_forecast(watch: Watch, bench: Bench) -> None:
    device = watch(GPU + OWN)
    assert device["total_bytes"] == 1 << 30
    sentence = "other processes hold 300 MiB of GPU 0, which has 1.0 GiB"
    assert device["others"] == {"bytes": 300 * MIB, "is_at_most": False, "sentence": sentence}
    # What the pool held when the driver was asked, and what was free.
    assert 400 * MIB <= device["limit_bytes"] < 480 * MIB
    growth = device["growth"]
    room = device["limit_bytes"] - device["in_use_bytes"]
    assert growth["cycles_left"] == room // growth["bytes_per_cycle"]["estimate"]
    assert asked(bench) == ["init", "shutdown"]
    capture = str(bench.captures()[-1])
    assert sentence in bench.report(capture).stdout.decode()
    assert sentence in bench.report(capture, "--format", "markdown").stdout.decode()
    evidence = bench.report(capture, "--format", "evidence", "-o", "run.evidence")
    assert evidence.returncode == 0
    again = json.loads(bench.report("run.evidence", "--format", "json").stdout)
    assert again["devices"] == [device], "evidence says the same"


def test_where_the_driver_lists_no_process_of_ours_it_is_a_bound(watch: Watch) -> None:
    others = watch(GPU + f"process 0 1 {200 * MIB}\n")["others"]
    # All but free memory, the driver's, and the pool's.
    assert others["is_at_most"]
    assert 500 * MIB < others["bytes"] < 600 * MIB


@pytest.mark.parametrize("flags", [("-DENTRY=32",), ("-DENTRY=16",)])
def test_lists_of_other_drivers_are_read_by_their_own_sizes(watch: Watch, flags: tuple[str, ...]) -> None:
    others = watch(GPU + OWN, *flags)["others"]
    assert (others["bytes"], others["is_at_most"]) == (300 * MIB, False)


def test_an_old_driver_does_not_tell_its_own_part(watch: Watch) -> None:
    others = watch(GPU + OWN, "-DOLD", "-DENTRY=16")["others"]
    assert (others["bytes"], others["is_at_most"]) == (324 * MIB, True)


SECONDS = GPU + SECOND + f"process 1 PID {400 * MIB}\n"


@pytest.mark.parametrize(
    "choice",
    [
        'os.environ["CUDA_VISIBLE_DEVICES"] = "1"',
        'os.environ["CUDA_VISIBLE_DEVICES"] = "GPU-bb"',
        'from torch import cuda; cuda._get_device_properties.uuid = "bb11"',
    ],
)
def test_the_program_says_which_gpu_it_is(watch: Watch, choice: str) -> None:
    device = watch(SECONDS, before=f"{CUDA}; {choice}")
    assert device["others"]["bytes"] == 0
    assert device["others"]["sentence"] is None, "nothing to tell"


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (SECONDS, CONTRADICTS),
        (GPU + SECOND.replace("H100", "T4"), "nothing says which of the machine's GPUs it is"),
        (GPU.replace(" 0\n", " 1\n"), "the machine's GPUs are cut into instances (MIG)"),
        (GPU + "hangs\n", "the driver was asked and told of no GPU"),
        (GPU + "init 9\n", "`nvmlInit_v2` of the driver's library failed with error 9"),
    ],
)
def test_in_doubt_nothing_is_said(watch: Watch, bench: Bench, says: str, why: str) -> None:
    device = watch(says)
    assert (device["others"], device["total_bytes"], device["others_unknown"]) == (None, None, why)
    assert device["limit_bytes"] == 1 << 30
    capture = str(bench.captures()[-1])
    assert why not in bench.report(capture).stdout.decode(), "told to those who ask"
    assert why in " ".join(bench.report(capture, "--verbose").stdout.decode().split())


def test_a_library_without_a_function_is_not_set_up(watch: Watch, bench: Bench) -> None:
    device = watch(GPU, "-DNO_COUNT")
    assert device["others_unknown"] == "the driver's library has no function `nvmlDeviceGetCount_v2`"
    assert asked(bench) == []


def test_without_the_library_that_is_told(watch: Watch) -> None:
    device = watch(GPU, driver=False)
    if device["others_unknown"] is None:
        pytest.skip("this machine has a driver")
    assert device["others_unknown"] == "the driver's library `libnvidia-ml.so.1` was not found"


def test_a_program_without_cuda_wakes_no_driver(watch: Watch, bench: Bench) -> None:
    device = watch(GPU, before="")
    assert (device["others"], device["others_unknown"], asked(bench)) == (None, None, [])


JAX = """
import ctypes, os, sys, time, types
ctypes.CDLL("./libcuda.so.1")
with open(os.environ["NVML_SAYS"], "w") as says:
    says.write({says!r}.replace("PID", str(os.getpid())))
used = 100 << 20
pool = {{"pool_bytes": 390 << 20, "bytes_limit": 700 << 20}}
stats = lambda: pool | {{"bytes_in_use": used, "peak_bytes_in_use": used}}
device = types.SimpleNamespace(memory_stats=stats, local_hardware_id=1)
bridge = sys.modules["jax._src.xla_bridge"] = types.ModuleType("jax._src.xla_bridge")
bridge._backends = {{"cuda": types.SimpleNamespace(platform="cuda", local_devices=lambda: [device])}}
for epoch in range(1, 31):
    time.sleep(0.1)
    used += 1 << 20
    print(f"epoch {{epoch}} loss {{1 / epoch:.3f}}")
"""


def test_jax_says_which_of_cudas_devices_its_first_is(bench: Bench) -> None:
    compiled(bench.folder, "libcuda.so.1", "/dev/null")
    compiled(bench.folder, "libnvidia-ml.so.1", str(STAND_INS / "nvml" / "nvml.c"))
    environment = {"LD_LIBRARY_PATH": str(bench.folder), "NVML_SAYS": str(bench.folder / "says")}
    done = bench.watched("-q", bench.script(JAX.format(says=SECONDS)), env=environment)
    assert done.returncode == 0, done.stderr
    report = json.loads(bench.report(str(bench.captures()[-1]), "--format", "json").stdout)
    (device,) = report["devices"]
    assert (device["name"], device["others"]["bytes"]) == ("GPU 0", 0), device["others_unknown"]
    assert device["limit_bytes"] == 700 << 20, "its own limit is lower than what is free"
