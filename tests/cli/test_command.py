"""The command as it is installed: what `python -m nilometer` does, at less cost."""

from __future__ import annotations

import os
import sys
import sysconfig

import pytest
from cli_bench import COMMAND, Bench

INSTALLED = os.path.join(sysconfig.get_path("scripts"), "nilometer")


@pytest.mark.parametrize(
    "words",
    [["--version"], ["--help"], ["--no-such-option"], ["run", "--no-live", "-q"], ["report", "nothing.nilo"]],
)
def test_it_says_what_the_module_says(bench: Bench, words: list[str]) -> None:
    ours, module = bench.run([INSTALLED, *words]), bench.run([*COMMAND, *words])
    assert (ours.returncode, ours.stdout, ours.stderr) == (module.returncode, module.stdout, module.stderr)


def test_the_programs_exit_code_and_its_words_and_ours(bench: Bench) -> None:
    script = bench.script("import sys; print('mine', sys.argv, sys.flags.optimize); sys.exit(3)")
    done = bench.run([sys.executable, "-O", INSTALLED, "run", script, "a"])
    assert done.returncode == 3
    assert done.stdout == f"mine {[script, 'a']} 1\n".encode()
    assert done.stderr.startswith(b"\nnilometer")


def test_it_runs_where_there_is_no_output(bench: Bench) -> None:
    done = bench.run([INSTALLED, "run", "-q", bench.script("raise SystemExit(4)")], before="exec >&- 2>&-")
    assert done.returncode == 4


def test_its_interpreter_loads_nothing_beside_ours(bench: Bench) -> None:
    plain = bench.run([sys.executable, "-X", "importtime", "-c", "pass"])
    done = bench.run([sys.executable, "-X", "importtime", INSTALLED, "--version"])
    loaded, ours = (
        {line.split(b"|")[-1].strip() for line in one.stderr.splitlines()} for one in (plain, done)
    )
    beside = {name for name in ours - loaded if not name.startswith(b"nilometer")}
    assert b"nilometer._native" in ours
    assert beside <= {b"atexit", b"__future__"}
