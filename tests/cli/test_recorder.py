"""The recorder in the program: put in by the environment, and no trace of it left there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_bench import Bench

# What a program can see of its environment: its own view, the C library's, and a child's, in order.
SEES = """
import ctypes, os, subprocess, sys
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
lines = []
while environ[len(lines)] is not None:
    lines.append(environ[len(lines)])
print(list(os.environ.items()))
print(lines)
print(subprocess.run(["/usr/bin/env"], capture_output=True).stdout)
print(subprocess.run(["/bin/sh", "-c", "env"], env=dict(os.environ), capture_output=True).stdout)
print(subprocess.run([sys.executable, "-c", "import os; print(os.environ)"], capture_output=True).stdout)
"""
AGAIN = """
if len(sys.argv) == 1:
    sys.stdout.flush()
    again = sys.executable, [sys.executable, "prog.py", "second"]
    {how}
"""
# Shell that runs before: `sh` itself sets some variables, for both alike.
PRELOADS = {
    "unset": "unset LD_PRELOAD",
    "empty": "A=1; export LD_PRELOAD= A",
    "library": "export LD_PRELOAD=libm.so.6 A=1",
    "libraries": "export LD_PRELOAD='libm.so.6 libdl.so.2' A=1",
}


def facts(bench: Bench) -> tuple[str, list[str]]:
    """What became of the recorder, from the capture's own bytes, and the losses in the report."""
    [capture] = bench.captures()
    done = bench.report(capture.name, "--format", "json")
    report = json.loads(done.stdout)
    return capture.read_bytes().decode("latin-1"), report["losses"]


@pytest.mark.parametrize("preload", PRELOADS)
@pytest.mark.parametrize("flags", [[], ["--", "-I"], ["--", "-S"]])
def test_the_program_sees_nothing_of_it(bench: Bench, preload: str, flags: list[str]) -> None:
    script = bench.script(SEES)
    plain = bench.plain(*flags[1:], script, before=PRELOADS[preload])
    watched = bench.watched("--quiet", *flags, script, before=PRELOADS[preload])
    assert b"NILOMETER" not in watched.stdout
    assert b"_recorder.so" not in watched.stdout
    assert watched.stdout == plain.stdout
    assert watched.returncode == plain.returncode == 0
    assert watched.stderr.startswith(plain.stderr)


@pytest.mark.parametrize("preload", PRELOADS)
@pytest.mark.parametrize(
    "how",
    [
        "os.execv(*again)",
        "os.execve(*again, {'A': 'b', 'LD_PRELOAD': 'libm.so.6'})",
        "os.execve(*again, {b'A': b'b', b'LD_PRELOAD': b''})",
        "os.execle(again[0], *again[1], dict(os.environ))",
        "os.execvp(*again)",
    ],
)
def test_nor_does_what_it_becomes(bench: Bench, preload: str, how: str) -> None:
    script = bench.script(SEES + AGAIN.format(how=how))
    plain = bench.plain(script, before=PRELOADS[preload])
    watched = bench.watched("--quiet", script, before=PRELOADS[preload])
    assert b"NILOMETER" not in watched.stdout
    assert watched.stdout == plain.stdout


def test_an_exec_that_fails_leaves_the_environment(bench: Bench) -> None:
    script = bench.script(
        "import os, sys\n"
        "for call in (lambda: os.execv('/nowhere', ['x']), lambda: os.execv(sys.executable, [])):\n"
        "    try: call()\n"
        "    except (OSError, ValueError) as error: print(error)\n"
        "print(os.popen('env').read())"
    )
    before = PRELOADS["library"]
    assert bench.watched(script, before=before).stdout == bench.plain(script, before=before).stdout


def test_it_was_on(bench: Bench) -> None:
    bench.watched(bench.script("pass"))
    raw, losses = facts(bench)
    assert "off: " not in raw
    assert losses == []


def test_without_it_by_choice(bench: Bench) -> None:
    done = bench.watched("--no-recorder", bench.script(SEES))
    assert done.returncode == 0
    raw, losses = facts(bench)
    assert "off: --no-recorder" in raw
    assert losses == []


@pytest.mark.parametrize("flags", [[], ["-I"]])
def test_an_installation_without_it(bench: Bench, flags: list[str]) -> None:
    package = installed(bench.folder / "site")
    (package / "_recorder.so").unlink()
    done = from_copy(bench, package, "--", *flags, bench.script(SEES))
    assert done.returncode == 0
    assert b"NILOMETER" not in done.stdout
    assert done.stderr.count(b"recorder is missing") == 1
    assert b"_recorder.so" not in done.stdout


@pytest.mark.parametrize("name", ["a b", "a:b", "a$b", "ü"])
def test_an_installation_in_a_folder_with_an_odd_name(bench: Bench, name: str) -> None:
    package = installed(bench.folder / name)
    again = "os.execv(*again)"
    done = from_copy(bench, package, bench.script(SEES + AGAIN.format(how=again)))
    assert done.returncode == 0
    assert b"cannot be preloaded" not in done.stderr
    assert b"NILOMETER" not in done.stdout
    raw, losses = facts(bench)
    assert "off: " not in raw
    # A colon ends a folder's name in PYTHONPATH, so there the recorder is alone.
    assert len(losses) == (1 if ":" in name else 0)


def test_a_library_of_the_users_own_keeps_its_place(bench: Bench) -> None:
    """One that wraps `malloc` and one that only says hello: both work as without us."""
    (bench.folder / "own.c").write_text(
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdlib.h>\n"
        "static unsigned long calls; unsigned long own_calls(void) { return calls; }\n"
        "void *malloc(size_t n) { static void *(*next)(size_t);\n"
        '  if (!next) next = dlsym(RTLD_NEXT, "malloc"); calls++; return next(n); }\n'
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "own.so", "own.c", "-ldl"], cwd=bench.folder, check=True)
    script = bench.script(
        "import ctypes, os\n"
        "own = ctypes.CDLL(None).own_calls; own.restype = ctypes.c_ulong\n"
        "before = own(); blocks = [bytearray(10_000) for _ in range(1000)]\n"
        "print(os.environ['LD_PRELOAD'], own() - before >= 1000)"
    )
    own = str(bench.folder / "own.so")
    done = bench.watched(script, before=f"export LD_PRELOAD={own}")
    assert done.stdout.decode() == f"{own} True\n"


def test_words_that_make_no_sense(bench: Bench) -> None:
    script = bench.script("print('ran')")
    for words, named in [
        (["--sample", "1"], b"1024 bytes"),
        (["--sample", "lots"], b"such as 512K"),
        (["--max-overhead", "0"], b"more than 0"),
        (["--max-overhead", "60%"], b"at most 50"),
        (["--no-recorder", "--sample", "1M"], b"cannot be used with"),
    ]:
        done = bench.watched(*words, script)
        assert done.returncode == 2, words
        assert done.stdout == b""
        assert named in done.stderr


def installed(folder: Path) -> Path:
    """A copy of the installed package in this folder."""
    import nilometer

    package = folder / "nilometer"
    shutil.copytree(Path(nilometer.__file__).parent, package)
    return package


def from_copy(bench: Bench, package: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    """`nilometer run` of that copy, whatever its folder is called."""
    code = (
        f"import sys; sys.path.insert(0, {str(package.parent)!r}); sys.argv[1:1] = ['run']\n"
        "import os\n"
        "from nilometer import _native\n"
        f"os.environ['_NILOMETER_PACKAGE'] = {str(package)!r}\n"
        "sys.exit(_native.cli(sys.argv[1:], sys.executable, []))"
    )
    return bench.run([sys.executable, "-c", code, *args])


@pytest.mark.parametrize(
    "how",
    [
        "os.execv(*again)",
        "os.execve(*again, {'LD_PRELOAD': 'libm.so.6'})",
        "os.execve(*again, {b'A': b'b'})",
        "os.environ['LD_PRELOAD'] = 'libm.so.6'; os.execvp(*again)",
        "os.execv('link', ['link', *again[1][1:]])",
    ],
)
def test_a_program_that_replaces_itself_is_recorded_again(bench: Bench, how: str) -> None:
    (bench.folder / "link").symlink_to(sys.executable)
    script = bench.script(
        "import os, sys\n"
        "print('_recorder.so' in open('/proc/self/maps').read(), os.environ.get('LD_PRELOAD'))"
        + AGAIN.format(how=how)
    )
    done = bench.watched(script, before=PRELOADS["unset"])
    old = "libm.so.6" if "libm" in how else None
    assert done.stdout.decode() == f"True None\nTrue {old}\n"
    _, losses = facts(bench)
    assert losses == []


def test_a_program_that_becomes_another_is_left_alone(bench: Bench) -> None:
    code = "grep -c _recorder.so /proc/self/maps; env | grep LD_PRELOAD"
    script = bench.script(f"import os; os.execv('/bin/sh', ['sh', '-c', {code!r}])")
    done = bench.watched(script, before=PRELOADS["library"])
    assert done.stdout == b"0\nLD_PRELOAD=libm.so.6\n"
    _, [loss] = facts(bench)
    assert "another one than its Python" in loss


# A hundred thousand containers and a rise: the table that scans keep is megabytes.
LOOKED_AT = """
import nilometer
rows = [[number] for number in range(100_000)]
kept = []
for round in range(40):
    kept.append([bytes(1000) for _ in range(200)])
    nilometer.cycle()
print(len(rows))
"""


def test_what_the_census_allocates_is_no_memory_of_the_program(bench: Bench) -> None:
    script = bench.script(LOOKED_AT)
    done = bench.watched("--quiet", "--sample", "4K", script)
    assert done.stdout == b"100000\n"
    [capture] = bench.captures()
    scans = json.loads(bench.report(capture.name, "--format", "json").stdout)
    assert scans["findings"][0]["holder"]["path"].startswith("__main__.kept[*]")
    stacks = bench.report(capture.name, "--format", "collapsed").stdout.decode()
    bytes_of = {stack: int(size) for stack, _, size in (line.rpartition(" ") for line in stacks.splitlines())}
    assert any("(prog.py:" in stack for stack in bytes_of)
    ours = sum(size for stack, size in bytes_of.items() if "prog.py" in stack and "_native.abi3.so" in stack)
    assert ours < 100_000, ours
