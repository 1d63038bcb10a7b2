"""The interpreter start: the program must not be able to tell that Nilometer is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hook_runner import HIDES_FRAMES, PYTHON, VERSION, Runner

STATE = """
import sys, os, json
import __main__
print(json.dumps({
    "argv": sys.argv, "path": sys.path, "flags": repr(sys.flags), "environ": dict(os.environ),
    "main": sorted(vars(__main__)), "cached": sorted(sys.path_importer_cache),
    "spec": getattr(__main__.__spec__, "origin", None), "modules": sorted(sys.modules), "orig": sys.orig_argv,
    "c_environ": sorted(os.popen("env").read().split(chr(10))) if "popen" in sys.argv else None,
}))
"""


def _both(run: Runner, arguments: list[str], env: dict[str, str] | None = None) -> tuple[dict, dict]:
    plain = json.loads(run.plain(arguments, env).stdout)
    hooked = run(arguments, env)
    assert hooked.named("start"), hooked.stderr
    return plain, json.loads(hooked.stdout)


@pytest.mark.parametrize("env", [{}, {"PYTHONPATH": "/tmp"}, {"PYTHONPATH": ""}, {"PYTHONPATH": "a:/tmp:"}])
@pytest.mark.parametrize("how", ["script", "command", "module", "strict", "options"])
def test_state_is_the_same(run: Runner, how: str, env: dict[str, str]) -> None:
    (run.folder / "state.py").write_text(STATE)
    arguments = {
        "script": ["state.py", "a", "-b", "popen"],
        "command": ["-c", STATE, "x"],
        "module": ["-m", "state", "--flag"],
        "strict": ["-X", "dev", "-W", "error", "-bb", "state.py"],
        "options": ["-s", "-B", "-O", "-X", "utf8", "state.py"],
    }[how]
    plain, hooked = _both(run, arguments, env)
    hooked["environ"].pop("FAKE_NATIVE_LOG")
    if hooked["c_environ"]:
        hooked["c_environ"] = [x for x in hooked["c_environ"] if not x.startswith("FAKE_NATIVE_LOG")]
    new = set(hooked.pop("modules")) - set(plain.pop("modules"))
    assert {name for name in new if not name.startswith("nilometer")} <= {"__future__", "atexit", "gc"}
    package = str(run.package)
    hooked["cached"] = [entry for entry in hooked["cached"] if not entry.startswith(package)]
    assert hooked == plain


def test_real_sitecustomize_runs(run: Runner) -> None:
    folder = run.folder / "real"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import sys\nsys.flag_of_mine = __file__\n")
    program = "import sys; print(sys.flag_of_mine, sys.modules['sitecustomize'].__file__)"
    ended = run(["-c", program], {"PYTHONPATH": str(folder)})
    real = str(folder / "sitecustomize.py")
    assert ended.stdout.split() == [real, real]
    assert ended.stderr == ""


@pytest.mark.parametrize(
    "body",
    [
        "1/0",
        "import missing_thing",
        pytest.param("raise SystemExit(3)", marks=HIDES_FRAMES),
        "raise KeyError('sitecustomize')",
    ],
)
def test_broken_real_sitecustomize_is_told_as_ever(run: Runner, body: str) -> None:
    folder = run.folder / "real"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"{body}\n")
    env = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    program = ["-c", "import sys; print('sitecustomize' in sys.modules)"]
    plain = run.plain(program, env)
    hooked = run(program, env)
    assert (hooked.code, hooked.stdout) == (plain.returncode, plain.stdout)
    assert hooked.stderr == plain.stderr


def test_no_sitecustomize_is_left(run: Runner) -> None:
    plain = run.plain(["-c", "import sys; print(sys.modules.get('sitecustomize'))"])
    assert run(["-c", "import sys; print(sys.modules.get('sitecustomize'))"]).stdout == plain.stdout


@pytest.mark.parametrize(
    "program",
    ["1/0", "def f():\n    raise ValueError('x')\nf()", "import nothing_here",
     "x = (", "raise SystemExit('bye')", "import sys; sys.exit(7)",
     "import os; os._exit(9)", "raise KeyboardInterrupt"],
)  # fmt: skip
def test_endings_are_the_same(run: Runner, program: str) -> None:
    (run.folder / "ends.py").write_text(program)
    plain = run.plain(["ends.py"])
    hooked = run(["ends.py"])
    assert (hooked.code, hooked.stdout, hooked.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_broken_package_is_silent(run: Runner) -> None:
    (run.package / "_native.py").write_text("raise ImportError('wrong machine')")
    ended = run(["-c", "import sys; print('fine', [m for m in sys.modules if 'nilometer' in m])"])
    assert ended.stdout.startswith("fine")
    assert (ended.code, ended.stderr) == (0, "")


def test_capture_that_cannot_be_joined_installs_nothing(run: Runner) -> None:
    program = "import sys, os; print(type(sys.meta_path[0]).__name__, os.execv.__module__)"
    plain = run.plain(["-c", program])
    ended = run(["-c", program], {"FAKE_NATIVE_REFUSES": "1"})
    assert (ended.stdout, ended.stderr) == (plain.stdout, "")


def test_children_are_not_recorded(run: Runner) -> None:
    program = (
        "import subprocess, sys, os\n"
        "print(subprocess.check_output([sys.executable, '-c', "
        "'import sys; print(any(m.startswith(\"nilometer\") for m in sys.modules))'], text=True))\n"
        "if os.fork() == 0:\n    os.execv(sys.executable, [sys.executable, '-c', 'print([])'])\n"
        "os.wait()\n"
    )
    ended = run(["-c", program])
    assert sorted(ended.stdout.split()) == ["False", "[]"]
    assert len(ended.named("start")) == 1


@pytest.mark.parametrize(
    "how",
    ["os.execv(*again)",
     "os.execl(again[0], *again[1])",
     "os.execvp(*again)",
     "os.execve(*again, {'FAKE_NATIVE_LOG': os.environ['FAKE_NATIVE_LOG'], 'A': 'b'})",
     "os.execve(*again, {**os.environb, b'PYTHONPATH': b'/tmp'})",
     "os.execle(again[0], *again[1], dict(os.environ, A='b', PYTHONPATH='/usr'))"],
)  # fmt: skip
def test_reexec_is_followed(run: Runner, how: str) -> None:
    (run.folder / "again.py").write_text(
        "import os, sys\n"
        "again = sys.executable, [sys.executable, 'again.py', 'second']\n"
        "if len(sys.argv) == 1:\n"
        f"    {how}\n"
        "print(sorted((k, v) for k, v in os.environ.items() if k != 'LC_CTYPE'), sys.path)\n"
    )
    plain = run.plain(["again.py"], {"FAKE_NATIVE_LOG": str(run.folder / "calls.jsonl")})
    ended = run(["again.py"], {"FAKE_NATIVE_LOG": str(run.folder / "calls.jsonl")})
    assert ended.stderr == plain.stderr == ""
    assert ended.stdout == plain.stdout
    starts = ended.named("start")
    assert len(starts) == 2
    assert starts[0] == starts[1]


def test_exec_by_descriptor_is_still_offered(run: Runner) -> None:
    program = "import os; print(os.execve in os.supports_fd, os.execv in os.supports_fd)"
    assert run(["-c", program]).stdout == run.plain(["-c", program]).stdout == "True False\n"


def test_failed_exec_leaves_the_environment(run: Runner) -> None:
    program = (
        "import os, sys\n"
        "before = dict(os.environ), os.popen('env | sort').read()\n"
        "for call in (lambda: os.execv('/nowhere', ['x']),\n"
        "             lambda: os.execve('/nowhere', ['x'], {'A': 'b'}),\n"
        "             lambda: os.execvp('nowhere-at-all', ['x'])):\n"
        "    try:\n        call()\n    except FileNotFoundError as error:\n"
        "        import traceback; print(len(traceback.extract_tb(error.__traceback__)))\n"
        "print(before == (dict(os.environ), os.popen('env | sort').read()))\n"
    )
    ended = run(["-c", program], {"PYTHONPATH": "/tmp"})
    plain = run.plain(["-c", program], {"PYTHONPATH": "/tmp"})
    assert ended.stdout.endswith("True\n"), ended.stderr
    if VERSION >= (3, 11):
        assert ended.stdout == plain.stdout


def _pythons() -> list[str]:
    found = sorted(Path.home().glob(".pyenv/versions/3.1[0-9].*/bin/python"))
    return [str(path) for path in found if path.parts[-3][:4] >= "3.10"] or [PYTHON]


@pytest.mark.parametrize("python", _pythons())
def test_end_of_the_program(run: Runner, python: str) -> None:
    program = (
        "import atexit, gc, sys\n"
        "atexit.register(print, 'exit handler of the program')\n"
        "atexit.register(lambda: gc.callbacks.append(lambda *a: None))\n"
        "class A: pass\n"
        "a = A(); a.a = a; del a\n"
        "raise MemoryError('full')\n"
    )
    ended = run(["-c", program], python=python)
    plain = run.plain(["-c", program], python=python)
    assert (ended.code, ended.stdout, ended.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    told = [call[0] for call in ended.calls]
    collection = ["before_exit_collection", "after_exit_collection"]
    assert told == ["start", "fact", "fact", "before_exit", *collection]
    facts = ended.facts()
    assert facts.pop("python.version").startswith("3.")
    assert facts == {"exit.exception": "MemoryError"}


def test_no_end_is_told_by_a_forked_child(run: Runner) -> None:
    program = "import os, sys\nif os.fork() == 0:\n    sys.exit(0)\nos.wait()\n"
    calls = [call[0] for call in run(["-c", program]).calls]
    assert calls.count("before_exit") == 1
    assert calls[:3] == ["start", "fact", "before_fork"]
    assert {"after_fork_parent", "after_fork_child"} <= set(calls)


def test_import_is_light(run: Runner) -> None:
    """Importing the package in a program that runs on its own loads next to nothing."""
    program = (
        "import sys; before = set(sys.modules)\n"
        f"sys.path.insert(0, {str(run.package.parent)!r})\n"
        "import nilometer; nilometer.cycle()\n"
        "with nilometer.phase('x'): pass\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    loaded = eval(run.plain(["-c", program]).stdout)
    assert set(loaded) <= {"nilometer", "__future__"}


def test_os_functions_keep_their_faces(run: Runner) -> None:
    program = (
        "import os, inspect; print(os.execv.__name__, os.execv.__module__, inspect.signature(os.execve))"
    )
    assert run(["-c", program]).stdout == run.plain(["-c", program]).stdout
