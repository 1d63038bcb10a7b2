"""Little memory, little stack, few files, a full disk, a sandbox: the program gets on as without us."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from harm_bench import PROGRAMS, Bench

OBJECTS = PROGRAMS / "objects.py"


def limited(limit: str) -> tuple[str, ...]:
    return ("sh", "-c", f'{limit} && exec "$@"', "sh")


def test_address_space(bench: Bench) -> None:
    ran = bench.same(PROGRAMS / "short_of_memory.py", before=limited("ulimit -v 500000"))
    assert "refused small ones too" in ran.stdout


def test_a_look_that_does_not_fit_is_left_out(bench: Bench) -> None:
    ran = bench.same(PROGRAMS / "short_of_room.py")
    assert ran.stdout == "got on\n"
    assert "too little memory was left to look" in ran.stderr


@pytest.mark.parametrize("limit", ["ulimit -s 512", "ulimit -n 12", "ulimit -s unlimited", "ulimit -l 0"])
def test_other_limits(bench: Bench, limit: str) -> None:
    bench.same(PROGRAMS / "native.py", "contract", "realloc_storm(10000)", before=limited(limit))


def test_a_file_size_limit(bench: Bench) -> None:
    """The capture may not grow beyond it: samples are lost, the program is not."""
    ran = bench.same(OBJECTS, before=limited("ulimit -f 400"))
    assert "could not" in ran.stderr or "lost" in ran.stderr, ran


def test_a_full_disk(bench: Bench) -> None:
    unshare = ("unshare", "--user", "--map-root-user", "--mount")
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"]).returncode != 0:
        pytest.skip("no file system can be mounted here")
    place = bench.folder / "small"
    place.mkdir()
    mounted = (*unshare, "sh", "-c", f'mount -t tmpfs -o size=300k none {place} && exec "$@"', "sh")
    object.__setattr__(bench, "capture", place / "x.nilo")
    ran = bench.same(OBJECTS, before=mounted, sampled=False)
    assert "disk" in ran.stderr, ran


def test_a_sandbox(bench: Bench) -> None:
    ran = bench.same(PROGRAMS / "sandbox.py")
    assert ran.stdout.startswith("0\n")
    assert ran.stdout.endswith("still shut\n")
