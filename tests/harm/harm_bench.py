"""Runs a program plainly and under the recorder, and compares what can be seen of it from outside.

The recorder samples as densely as it can, so that its slow paths run all the time: whoever breaks
does so here and not at a user's.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from samples import Sample, samples_of

PROGRAMS = Path(__file__).parent / "programs"
DENSE = ("--sample", "1K", "--max-overhead", "50")
PATIENCE = 120  # seconds until a hang is called one


@dataclass(frozen=True)
class Ran:
    """How a command ended. `stderr` is for people who look at a failure; nobody compares it."""

    code: int
    stdout: str
    stderr: str

    def __str__(self) -> str:
        return f"exit {self.code}\n{self.stdout[-3000:]}\n{self.stderr[-5000:]}"


@dataclass(frozen=True)
class Bench:
    """A folder of its own, with the C parts of the programs at hand."""

    folder: Path
    library: Path
    capture: Path = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "capture", self.folder / "x.nilo")

    def run(self, *command: str | Path, env: dict[str, str] | None = None, patience: float = PATIENCE) -> Ran:
        """A hang ends with all descendants, and fails."""
        whole = {**os.environ, "PYTHONHASHSEED": "0", "HARM_LIBRARY": str(self.library), **(env or {})}
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=self.folder,
            env=whole,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            stacks = where_it_hangs(process.pid)
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            pytest.fail(f"hangs: {command}\n{stacks}\n{out[-2000:]}\n{err[-2000:]}")
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        return Ran(process.returncode, out, err)

    def watched(
        self,
        *args: str | Path,
        options: tuple[str, ...] = DENSE,
        before: tuple[str | Path, ...] = (),
        env: dict[str, str] | None = None,
        patience: float = PATIENCE,
    ) -> Ran:
        """`nilometer run ARGS`; `before` stands in front of the whole command."""
        nilometer = (sys.executable, "-m", "nilometer", "run", *options, "-f", "-o", self.capture)
        return self.run(*before, *nilometer, "--", *args, env=env, patience=patience)

    def same(
        self,
        *args: str | Path,
        options: tuple[str, ...] = DENSE,
        before: tuple[str | Path, ...] = (),
        env: dict[str, str] | None = None,
        sampled: bool = True,
    ) -> Ran:
        """Runs both ways; the program prints and ends the same, and it was really sampled."""
        plain = self.run(*before, sys.executable, *args, env=env)
        watched = self.watched(*args, options=options, before=before, env=env)
        assert (watched.code, watched.stdout) == (plain.code, plain.stdout), f"{watched}\nplain: {plain}"
        if sampled:
            assert self.samples(), f"nothing was sampled: this test tests nothing\n{watched}"
        return watched

    def samples(self) -> list[Sample]:
        """All samples of the capture, of all processes."""
        return samples_of(self.capture)


def where_it_hangs(leader: int) -> str:
    """What each thread of the process group waits in, as the kernel says it."""
    lines = []
    for stat in Path("/proc").glob("[0-9]*/task/[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().rpartition(")")
            if int(rest.split()[2]) == leader:
                wchan = (stat.parent / "wchan").read_text()
                lines.append(f"{stat.parent}: {name.split('(', 1)[1]} {rest.split()[0]} {wchan}")
        except (OSError, ValueError):
            continue
    return "\n".join(lines)


def wait_for(path: Path, patience: float = 30) -> str:
    """The text of a file that a program is about to write, line break included."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return text
        time.sleep(0.01)
    pytest.fail(f"{path} does not come")


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C parts of the programs, one library each, in one folder."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("native")
    for source in PROGRAMS.glob("*.c"):
        library = folder / f"lib{source.stem}.so"
        command = ["cc", "-O2", "-shared", "-fPIC", "-pthread"]
        subprocess.run([*command, "-o", library, source, "-ldl", "-lm"], check=True)
    return folder


@pytest.fixture
def bench(tmp_path: Path, native: Path) -> Bench:
    return Bench(tmp_path, native)
