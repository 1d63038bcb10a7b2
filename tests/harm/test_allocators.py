"""Other allocators and allocator settings: Python's hooks, glibc's tunables, somebody's LD_PRELOAD."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harm_bench import PROGRAMS, Bench

OBJECTS = PROGRAMS / "objects.py"


@pytest.mark.parametrize("kind", ["malloc", "debug", "malloc_debug", "pymalloc_debug"])
def test_pythons_allocators(bench: Bench, kind: str) -> None:
    bench.same(OBJECTS, env={"PYTHONMALLOC": kind})


def test_python_dev_mode(bench: Bench) -> None:
    bench.same("-X", "dev", OBJECTS)


def test_tracemalloc_beside_us(bench: Bench) -> None:
    program = bench.folder / "traced.py"
    program.write_text(
        "import tracemalloc\n"
        "tracemalloc.start(10)\n"
        "kept = [bytes(700) for _ in range(5000)]\n"
        "first = tracemalloc.take_snapshot().statistics('lineno')[0]\n"
        "print(first.traceback[0].lineno, first.count)\n"
        "tracemalloc.stop()\n"
        "print(len([bytes(700) for _ in range(5000)]))\n"
    )
    bench.same(program)


@pytest.mark.parametrize(
    "setting",
    [
        {"MALLOC_ARENA_MAX": "1"},
        {"MALLOC_PERTURB_": "90"},
        {"MALLOC_MMAP_THRESHOLD_": "4096"},
        {"MALLOC_TOP_PAD_": "0", "MALLOC_TRIM_THRESHOLD_": "0"},
        {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"},
        {"LD_PRELOAD": "libc_malloc_debug.so.0", "MALLOC_CHECK_": "3"},
        {"LD_BIND_NOW": "1"},
    ],
    ids=lambda setting: ",".join(setting),
)
def test_settings_of_the_c_library(bench: Bench, setting: dict[str, str]) -> None:
    bench.same(OBJECTS, env=setting)
    bench.same(PROGRAMS / "native.py", "contract", "realloc_storm(10000)", env=setting)


def test_a_preloaded_allocator_is_served(bench: Bench) -> None:
    """It gets every call, as without us; and its variable is as the user set it."""
    wrapper = str(bench.library / "libwrapper.so")
    program = bench.folder / "wrapped.py"
    program.write_text(
        "import ctypes, os\n"
        f"wrapper = ctypes.CDLL({wrapper!r})\n"
        "before = wrapper.wrapper_allocations(), wrapper.wrapper_frees()\n"
        'kept = [b"x" * (5000 + n) for n in range(1000)]\n'
        "del kept\n"
        "print(wrapper.wrapper_allocations() - before[0] >= 1000)\n"
        "print(wrapper.wrapper_frees() - before[1] >= 1000)\n"
        "ctypes.CDLL(None).getenv.restype = ctypes.c_char_p\n"
        "getenv = ctypes.CDLL(None).getenv\n"
        "getenv.restype = ctypes.c_char_p\n"
        "print(os.environ['LD_PRELOAD'], getenv(b'LD_PRELOAD'))\n"
    )
    ran = bench.same(program, env={"LD_PRELOAD": wrapper})
    assert ran.stdout.startswith("True\nTrue\n")


def installed(name: str) -> str | None:
    """Where an allocator that people preload lies, or the folder that `HARM_ALLOCATORS` names."""
    folders = [os.environ.get("HARM_ALLOCATORS", "/nowhere"), "/usr/lib/x86_64-linux-gnu", "/usr/lib64"]
    return next((str(path) for folder in folders for path in sorted(Path(folder).rglob(name))), None)


@pytest.mark.parametrize("name", ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2"])
def test_allocators_that_people_preload(bench: Bench, name: str) -> None:
    library = installed(name)
    if library is None:
        pytest.skip(f"{name} is not installed")
    bench.same(OBJECTS, env={"LD_PRELOAD": library})
    bench.same(PROGRAMS / "native.py", "contract", "realloc_storm(10000)", env={"LD_PRELOAD": library})
    bench.same(PROGRAMS / "native.py", "threads", "short_threads(500,8,0,3000)", env={"LD_PRELOAD": library})
    bench.same(PROGRAMS / "forks.py", "20", env={"LD_PRELOAD": library})
