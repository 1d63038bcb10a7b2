"""The program's stdout and exit status are byte for byte those of plain Python; its stderr comes first."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from cli_bench import COMMAND, Bench

# A process group of its own: what a program does to its group must not reach the test.
IN_ITS_GROUP = [
    sys.executable,
    "-c",
    "import os, sys; os.setpgid(0, 0); os.execvp(sys.argv[1], sys.argv[1:])",
]

PROGRAMS = {
    "ends": "print('done')",
    "raises": "def f():\n    raise ValueError('no')\nf()",
    "exit_code": "import sys; print('x'); sys.exit(3)",
    "exit_text": "import sys; sys.exit('some text')",
    "exit_large": "import sys; sys.exit(300)",
    "os_exit": "import os; print('lost?', flush=True); os._exit(7)",
    "aborts": "import os; print('x', flush=True); os.abort()",
    "segfaults": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "interrupts_itself": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "terminates_itself": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "unicode": "print('Nil · Nilómetro · مقياس النيل · \\U0001f30a')",
    "closes_stdout": "import os, sys; print('a', flush=True); sys.stdout.close(); os.close(2)",
    "prints_in_pieces": (
        "import sys\n"
        "for n in range(200):\n"
        "    print('epoch', n, end=' '); sys.stdout.write(f'{n}/200\\r'); print('loss', n / 7)\n"
        "print('x' * 1_000_000); print('é\\u2588' * 10_000); print(*range(3), sep='\\n')"
    ),
    "prints_bytes": (
        "import sys\n"
        "for n in range(50):\n"
        "    print('round', n); sys.stdout.flush(); sys.stdout.buffer.write(bytes(range(256)))"
    ),
    "prints_what_it_cannot": (
        "import sys\n"
        "for n in range(9):\n"
        "    for text in ('\\udc80', b'bytes', None, 7):\n"
        "        try: print(sys.stdout.write(text))\n"
        "        except Exception as error: print(type(error), error, error.__context__)"
    ),
    "prints_elsewhere": (
        "import io, os, sys\n"
        "out = sys.stdout\n"
        "for n in range(9):\n"
        "    sys.stdout = io.StringIO(); print('kept', n); text = sys.stdout.getvalue(); sys.stdout = out\n"
        "    print(repr(text)); sys.stdout = None; print('lost'); sys.stdout = out\n"
        "copy = os.dup(1); os.close(1)\n"
        "try: print('to nobody', flush=True)\n"
        "except OSError as error: os.write(copy, repr(error).encode())\n"
        "os.dup2(copy, 1); print('again')"
    ),
    "prints_into_pipes": (
        "import os, sys\n"
        "out = sys.stdout\n"
        "for blocking in (True, False):\n"
        "    read, write = os.pipe(); os.set_blocking(write, blocking)\n"
        "    sys.stdout = open(write, 'w', buffering=1)\n"
        "    if blocking: os.close(read)\n"
        "    try:\n"
        "        for n in range(20_000): print('line', n)\n"
        "    except OSError as error: sys.stdout, kept = out, sys.stdout; print(type(error), error.errno)\n"
        "    try: kept.close()\n"
        "    except OSError as error: print(type(error), error.errno)"
    ),
    "looks_at_its_streams": (
        "import io, sys\n"
        "class Tee(io.TextIOWrapper):\n"
        "    def write(self, text): return super().write(text.upper())\n"
        "for n in range(9):\n"
        "    print(type(sys.stdout), sys.stdout.write.__name__, io.TextIOWrapper.write)\n"
        "sys.stdout = Tee(sys.stdout.buffer, line_buffering=True)\n"
        "for n in range(9): print('tee', n)"
    ),
    "logs": (
        "import logging, sys\n"
        "logging.basicConfig(stream=sys.stdout, format='%(levelname)s %(funcName)s %(message)s')\n"
        "for n in range(50): logging.warning('round %d', n)"
    ),
    "arguments": "import sys; print(sys.argv, __name__, __file__)",
    "paths": "import sys; print(sys.path, sys.prefix, sys.executable)",
    "flags": "import sys; print(sys.flags, sys.warnoptions, sys._xoptions)",
    "modules_of_main": "import __main__; print(sorted(vars(__main__)))",
    "folder": "import os; print(os.getcwd())",
    "stdin": "import sys; print(repr(sys.stdin.read()), sys.stdin.isatty())",
    "handlers": (
        "import signal\n"
        "for n in sorted(signal.valid_signals()):\n"
        "    print(n, signal.getsignal(n))\n"
        "print(signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    ),
    "descriptors": (
        "import os\n"
        "for fd in range(64):\n"
        "    try: os.fstat(fd)\n"
        "    except OSError: continue\n"
        "    print(fd, os.get_inheritable(fd))"
    ),
    "forks": (
        "import os, sys\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    print('child', flush=True); os._exit(5)\n"
        "print('parent', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    ),
    # A framework's import is marked. It has its own frames around it, no others: see importing.rs.
    "frames_of_an_import": (
        "import pathlib, sys\n"
        "root = pathlib.Path('packages', 'tensorflow'); root.mkdir(parents=True, exist_ok=True)\n"
        "(root / '__init__.py').write_text('import sys\\nframe = sys._getframe()\\nwhile frame:\\n'\n"
        "    '    print(frame.f_code.co_name, frame.f_code.co_filename)\\n    frame = frame.f_back\\n')\n"
        "sys.path.insert(0, 'packages'); sys.dont_write_bytecode = True\n"
        "import tensorflow\n"
    ),
    "failing_import": (
        "import pathlib, sys, traceback\n"
        "root = pathlib.Path('packages', 'keras'); root.mkdir(parents=True, exist_ok=True)\n"
        "(root / '__init__.py').write_text('def f():\\n    raise OSError(7)\\nf()\\n')\n"
        "sys.path.insert(0, 'packages'); sys.dont_write_bytecode = True\n"
        "for _ in range(2):\n"
        "    try: import keras\n"
        "    except OSError: traceback.print_exc(file=sys.stdout)\n"
        "import keras\n"
    ),
    "multiprocessing": (
        "import multiprocessing as m\n"
        "def f(x): return x * x\n"
        "if __name__ == '__main__':\n"
        "    for how in ['fork', 'spawn']:\n"
        "        with m.get_context(how).Pool(2) as p: print(p.map(f, range(4)))"
    ),
    "subprocess": (
        "import subprocess, sys\n"
        "print(subprocess.run([sys.executable, '-c', 'import sys; print(sys.path)'],"
        " capture_output=True, text=True).stdout)"
    ),
    "re_execs": (
        "import os, sys\n"
        "print(sys.argv, flush=True)\n"
        "if len(sys.argv) < 3: os.execv(sys.executable, [sys.executable, sys.argv[0], 'again', 'x'])\n"
        "sys.exit(4)"
    ),
    "kills_its_group": (
        "import os, signal, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGTERM, lambda *a: seen.append(1))\n"
        "os.killpg(0, signal.SIGTERM)\n"
        "time.sleep(0.5)\n"
        "print(seen)"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_script(bench: Bench, name: str) -> None:
    args = [bench.script(PROGRAMS[name]), "1", "--two", "", "ü"]
    stdin = "zeile\nünd noch\n".encode()
    plain = bench.run([*IN_ITS_GROUP, sys.executable, *args], stdin=stdin)
    watched = bench.run([*IN_ITS_GROUP, *COMMAND, "run", *args], stdin=stdin)
    assert watched.stdout == plain.stdout
    assert watched.returncode == plain.returncode
    assert watched.stderr.startswith(plain.stderr)


@pytest.mark.parametrize(
    "args",
    [
        ["-m", "mod", "-o", "x", "--no-live"],
        ["-mmod", "x"],
        ["-c", "import sys; print(sys.argv, sys.path[0]); sys.exit(2)", "-f", "a b"],
        ["-cimport sys; print(sys.argv)"],
        ["-", "a"],
        ["missing.py"],
        ["-m", "missing_module"],
        ["-m", "pack"],
        ["pack"],
        ["sub/inner.py"],
    ],
)
def test_ways_to_name_a_program(bench: Bench, args: list[str]) -> None:
    bench.script("import sys; print(sys.argv, sys.path[0], __name__, __spec__.name)", "mod.py")
    for folder in ("pack", "sub"):
        (bench.folder / folder).mkdir()
    bench.script("import sys; print(sys.argv, sys.path[0], __package__)", "pack/__main__.py")
    bench.script("import sys; print(sys.argv, sys.path[0])", "sub/inner.py")
    stdin = b"import sys; print(sys.argv, 'from stdin')"
    plain = bench.plain(*args, stdin=stdin)
    watched = bench.watched(*args, stdin=stdin)
    assert watched.stdout == plain.stdout
    assert watched.returncode == plain.returncode
    assert plain.stderr in watched.stderr


@pytest.mark.parametrize("path", [None, "", "extra", "extra:more"])
def test_the_environment(bench: Bench, path: str | None) -> None:
    script = bench.script("import os, sys; print(sorted(os.environ.items()), sys.path)")
    # Set before both, as `sh` sets some variables of its own.
    before = "unset PYTHONPATH" if path is None else f"export PYTHONPATH={path}"
    plain = bench.plain(script, before=before)
    watched = bench.watched(script, before=before)
    assert b"_NILOMETER" not in watched.stdout
    assert watched.stdout == plain.stdout


def test_ignored_signals_stay_ignored(bench: Bench) -> None:
    """`nohup` and background jobs of scripts ignore signals on behalf of the program."""
    script = bench.script(
        "import os, signal\n"
        "print([signal.getsignal(n) for n in (signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)])\n"
        "os.kill(os.getpid(), signal.SIGHUP)\n"
        "print('alive')"
    )
    before = "trap '' INT HUP CHLD"
    plain = bench.plain(script, before=before)
    watched = bench.watched(script, before=before)
    assert b"alive" in plain.stdout
    assert watched.stdout == plain.stdout
    assert watched.returncode == plain.returncode == 0


def test_a_death_by_signal_is_the_shells_to_see(bench: Bench) -> None:
    script = bench.script("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    watched = bench.watched(script)
    assert watched.returncode == -signal.SIGKILL
    assert b"SIGKILL" in watched.stderr or b"signal 9" in watched.stderr
    assert not list(bench.folder.glob("core*"))


@pytest.mark.parametrize("flag", ["-I", "-E", "-S"])
def test_an_interpreter_that_ignores_its_environment_hands_nothing_of_ours_on(
    bench: Bench, flag: str
) -> None:
    code = "import os; print([n for n in os.environ if 'NILO' in n], os.environ.get('PYTHONPATH'))"
    ended = bench.watched("--", flag, "-c", code)
    assert ended.stdout.decode() == f"[] {os.environ.get('PYTHONPATH')}\n"
    assert "-I, -E or -S" in ended.stderr.decode()
