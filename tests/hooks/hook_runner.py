"""Runs programs the way `nilometer run` does, against a native module that writes down what it is told.

The program's interpreter is `NILOMETER_TEST_PYTHON` (default: the one that runs the tests), so that one test
run can be made for each version of a framework.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "python" / "nilometer"
PROGRAMS = HERE / "programs"
PYTHON = os.environ.get("NILOMETER_TEST_PYTHON", sys.executable)
VERSION = tuple(
    map(int, subprocess.check_output([PYTHON, "-c", "import sys; print(*sys.version_info[:2])"]).split())
)
# On Python 3.10 each wrapper that an exception passes leaves one line in its traceback.
HIDES_FRAMES = pytest.mark.skipif(
    VERSION < (3, 11), reason="tracebacks are only the same from Python 3.11 on"
)

UNITS = (
    "epoch",
    "fit",
    "evaluate",
    "predict",
    "on_batch",
    "model",
    "clear_session",
    "request",
    "step",
    "call",
    "update",
    "served",
    "task",
    "cell",
    "trial",
    "episode",
    "pass",
)


@dataclass
class Traced:
    """A trace as the native module was told of it."""

    function: str
    file: str
    line: int
    nth: int
    why: str
    caller_file: str
    caller_line: int


@dataclass
class Ran:
    """How a program ended, and what the native module was told."""

    code: int
    stdout: str
    stderr: str
    calls: list[list]

    def cycles(self) -> dict[str, int]:
        """How many cycles of each unit."""
        return dict(Counter(UNITS[call[1]] for call in self.calls if call[0] == "cycle"))

    def endpoints(self) -> dict[str, int]:
        """How many requests and tasks of each name; those that no framework knew a route of are `raw`."""
        named = [call for call in self.calls if call[0] == "cycle" and len(call) > 3]
        return dict(Counter(call[3] + ("" if call[4:] in ([], [1]) else " raw") for call in named))

    def phases(self) -> dict[str, int]:
        """How many phases of each name began; the nesting is checked on the way."""
        began: Counter[str] = Counter()
        open_by_thread: dict[int, list[str]] = {}
        for what, *rest in self.calls:
            if what == "phase_begin":
                began[rest[0]] += 1
                open_by_thread.setdefault(rest[-1], []).append(rest[0])
            elif what == "phase_end":
                assert open_by_thread[rest[-1]].pop() == rest[0], "phases do not nest"
        assert not any(open_by_thread.values()), f"phases left open: {open_by_thread}"
        return dict(began)

    def order(self, *wanted: str) -> list[str]:
        """The marks named, in the order they came: `+phase`, `-phase`, `+importing` or a cycle's unit."""
        said = []
        for what, *rest in self.calls:
            if what == "phase_begin":
                said.append(f"+{rest[0]}")
            elif what == "phase_end":
                said.append(f"-{rest[0]}")
            elif what == "importing":
                said.append(f"{'+' if rest[0] else '-'}importing")
            elif what == "cycle":
                said.append(UNITS[rest[0]])
        return [mark for mark in said if mark.lstrip("+-") in wanted]

    def steps(self) -> int:
        """How many batches."""
        return sum(call[0] == "step" for call in self.calls)

    def frameworks(self) -> dict[str, str]:
        """The facts about frameworks."""
        return {key: value for key, value in self.facts().items() if key.startswith("framework.")}

    def facts(self) -> dict[str, str]:
        """The facts said."""
        return {call[1]: call[2] for call in self.calls if call[0] == "fact"}

    def losses(self) -> list[str]:
        """What was lost."""
        return [call[1] for call in self.calls if call[0] == "lost"]

    def probes(self) -> dict[str, list[int]]:
        """What each probe said, in order."""
        said: dict[str, list[int]] = {}
        for _, name, value in self.named("probe"):
            said.setdefault(name, []).append(value)
        return said

    def traces(self) -> list[Traced]:
        """The traces told."""
        return [Traced(*call[1:]) for call in self.named("trace")]

    def named(self, what: str) -> list[list]:
        """The calls of one native function."""
        return [call for call in self.calls if call[0] == what]

    def cases(self) -> dict[str, Ran]:
        """Each of several programs that ran in one process; what came before the first belongs to it."""
        begun = [nth for nth, call in enumerate(self.calls) if call[:2] == ["fact", "case"]]
        ends = [*begun[1:], len(self.calls)]
        calls = {self.calls[nth][2]: self.calls[nth + 1 : end] for nth, end in zip(begun, ends, strict=True)}
        first = next(iter(calls))
        calls[first] = self.calls[: begun[0]] + calls[first]
        out, err = by_case(self.stdout), by_case(self.stderr)
        return {name: Ran(self.code, out[name], err[name], of_it) for name, of_it in calls.items()}


def by_case(screen: str) -> dict[str, str]:
    """What each of several programs printed, by its name."""
    parts = re.split(r"^begun (\w+)\n", screen, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


class Runner:
    """Runs programs with and without the hooks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.package = folder / "site" / "nilometer"
        shutil.copytree(PACKAGE, self.package, ignore=shutil.ignore_patterns("_native*", "__pycache__"))
        shutil.copy(HERE / "fake_native.py", self.package / "_native.py")

    def plain(
        self, arguments: list[str], env: dict[str, str] | None = None, python: str = PYTHON
    ) -> subprocess.CompletedProcess[str]:
        """Runs without hooks."""
        return self._run(python, arguments, {**self._environment(), **(env or {})})

    def __call__(self, arguments: list[str], env: dict[str, str] | None = None, python: str = PYTHON) -> Ran:
        """Runs `python *arguments` with the hooks."""
        given = {**self._environment(), **(env or {})}
        log = self.folder / "calls.jsonl"
        log.unlink(missing_ok=True)
        before = given.get("PYTHONPATH")
        boot = str(self.package / "_boot")
        private = {
            "PYTHONPATH": f"{boot}:{before}" if before else boot,
            "_NILOMETER_CAPTURE": str(self.folder / "capture.{pid}"),
            "_NILOMETER_PYTHONPATH": before or "",
            "_NILOMETER_PYTHONPATH_SET": "0" if before is None else "1",
            "FAKE_NATIVE_LOG": str(log),
        }
        ended = self._run(python, arguments, {**given, **private})
        calls = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        return Ran(ended.returncode, ended.stdout, ended.stderr, calls)

    def _run(
        self, python: str, arguments: list[str], env: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        def make_capture() -> None:
            with open(self.folder / f"capture.{os.getpid()}", "w"):
                pass

        return subprocess.run(
            [python, *arguments],
            env=env,
            cwd=self.folder,
            text=True,
            capture_output=True,
            timeout=400,
            preexec_fn=make_capture,  # as the supervisor does: the capture is there before the program
        )

    @staticmethod
    def _environment() -> dict[str, str]:
        kept = ("PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", "LANG")
        return {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
        }


@pytest.fixture
def run(tmp_path: Path) -> Runner:
    """Runs a program under the hooks."""
    return Runner(tmp_path)
