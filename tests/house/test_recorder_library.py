"""The library that goes into people's programs: what it exports, needs, is made of, and its stack frames."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Everything else in the program would be replaced by ours, or find ours in its place.
ALLOCATES = {
    *("malloc", "calloc", "realloc", "reallocarray", "free", "cfree", "free_sized", "free_aligned_sized"),
    *("memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc"),
    *("mmap", "mmap64", "mremap", "munmap"),
}
OWN = re.compile(r"nilometer_recorder_\w+|_ZN3tsl12BFCAllocator\w+")
NEEDS = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0"}
MADE_OF = {"libc", "thiserror", "nilometer-capture", "nilometer-unwind", "nilometer-pyframes"}
DEEPEST = 8 << 10  # bytes; threads of the program may have stacks of 64 KiB
# Before `main`, on the main thread's stack; and what only prints panics.
ELSEWHERE = re.compile(r"start5begin|(stacks6Stacks|recorder8Recorder)3new|3std\d+backtrace")


def library() -> Path:
    spec = find_spec("nilometer")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "_recorder.so"
    if not path.exists():
        pytest.skip("no recorder in this installation")
    return path


def said(*command: str | Path) -> str:
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"there is no {command[0]}")
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_it_exports_nothing_by_accident() -> None:
    names = {
        line.split()[-1].split("@")[0] for line in said("nm", "-D", "--defined-only", library()).splitlines()
    }
    assert ALLOCATES - {"cfree"} <= names
    assert {name for name in names - ALLOCATES if not OWN.fullmatch(name)} == set()


def test_it_needs_the_c_library_only() -> None:
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "-d", library())))
    assert needed <= NEEDS


def test_it_is_made_of_known_parts() -> None:
    command = "cargo tree --locked -p nilometer-recorder -e no-proc-macro,normal --prefix none --format {lib}"
    names = {line.replace("_", "-") for line in said(*command.split()).splitlines() if line}
    assert names - {"nilometer-recorder"} <= MADE_OF


def test_its_stack_frames_are_small() -> None:
    deepest: dict[str, int] = {}
    function = ""
    for line in said("objdump", "-d", "--no-show-raw-insn", library()).splitlines():
        if head := re.match(r"[0-9a-f]+ <(.+)>:", line):
            function = head[1]
        elif (step := re.search(r"sub +\$0x([0-9a-f]+),%rsp", line)) or (
            step := re.search(r"lea +-0x([0-9a-f]+)\(%rsp\),%r11", line)
        ):
            # Large frames are taken in steps of a page.
            deepest[function] = deepest.get(function, 0) + int(step[1], 16)
    assert len(deepest) > 100
    too_deep = {name: size for name, size in deepest.items() if size >= DEEPEST}
    assert {name for name in too_deep if not ELSEWHERE.search(name)} == set(), too_deep
