"""The options of the interpreter itself are found again behind every way to start the command."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from hook_runner import PACKAGE, Runner


def _flags(original: list[str], arguments: list[str], as_module: bool) -> list[str]:
    spec = importlib.util.spec_from_file_location("nilometer_main", PACKAGE / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.interpreter_flags(original, arguments, as_module)


@pytest.mark.parametrize(
    ("flags", "command"),
    [
        ([], ["-m", "nilometer"]),
        ([], ["-mnilometer"]),
        (["-X", "dev", "-O"], ["-m", "nilometer"]),
        (["-Xdev", "-W", "error", "-OO"], ["-m", "nilometer"]),
        (["-Werror::m", "--check-hash-based-pycs", "never"], ["-m", "nilometer"]),
        (["-X", "m"], ["-m", "nilometer"]),
    ],
)
def test_flags_before_the_module(flags: list[str], command: list[str]) -> None:
    rest = ["run", "-m", "train", "-X"]
    assert _flags(["python", *flags, *command, *rest], ["/x/__main__.py", *rest], True) == flags


def test_flags_in_one_word_with_the_module() -> None:
    assert _flags(["python", "-BEm", "nilometer", "a"], ["x", "a"], True) == ["-BE"]


def test_flags_of_the_console_script() -> None:
    assert _flags(["python", "-u", "/bin/nilometer", "run", "x"], ["/bin/nilometer", "run", "x"], False) == [
        "-u"
    ]
    assert _flags(["python", "/bin/nilometer"], ["/bin/nilometer"], False) == []


@pytest.mark.parametrize("flags", [["-X", "utf8", "-B"], []])
def test_command_gets_what_it_needs(run: Runner, flags: list[str]) -> None:
    fake = run.package / "_native.py"
    fake.write_text(fake.read_text() + "\n\ndef cli(*call):\n    print(*call)\n    return 5\n")
    arguments = [*flags, "-m", "nilometer", "run", "x.py", "-m", "y"]
    ended = run.plain(arguments, {"PYTHONPATH": str(run.package.parent)}, python=sys.executable)
    assert ended.stdout == f"{['run', 'x.py', '-m', 'y']} {sys.executable} {flags}\n"
    assert ended.returncode == 5
