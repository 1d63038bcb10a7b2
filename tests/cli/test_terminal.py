"""On a real terminal (tmux): the live line, job control, Ctrl-C; nothing of it is left behind."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_bench import COMMAND, PATIENCE, Bench

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

ROWS, COLUMNS = 16, 90

# A progress bar as Keras draws it: carriage returns, backspaces; each epoch goes on when the test says so.
BAR = """
import sys, time, os
def bar(done):
    bar = f"{done:2}/20 " + "=" * done + "." * (20 - done)
    sys.stdout.write("\\r" + bar + " loss: 0.1234" + "\\b" * 6 + "9.8765")
    sys.stdout.flush()
for epoch in range(2):
    print(f"Epoch {epoch + 1}")
    for done in range(21):
        bar(done)
        time.sleep(0.005)
    while not os.path.exists(f"go{epoch}"):
        bar(20)
        time.sleep(0.05)
    print()
print("end of program")
"""


class Terminal:
    """A bash in a tmux of its own."""

    def __init__(self, folder: Path) -> None:
        self.socket = f"nilometer-test-{os.getpid()}-{time.monotonic_ns()}"
        self.folder = folder
        self.tmux(
            "-f/dev/null", "new-session", "-d", f"-x{COLUMNS}", f"-y{ROWS}", f"-c{folder}",
            "env -u COLUMNS -u NO_COLOR -u NILOMETER_NO_PROGRESS PS1='@ ' bash --norc --noprofile",
        )  # fmt: skip
        self.until(lambda screen: screen[0].startswith("@"), "no prompt")

    def tmux(self, *args: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.socket, *args], capture_output=True, timeout=PATIENCE, check=True
        )
        return done.stdout.decode()

    def screen(self) -> list[str]:
        rows = self.tmux("capture-pane", "-p").split("\n")[:-1]
        return [row.rstrip() for row in rows] + [""] * (ROWS - len(rows))

    def until(self, true: Callable[[list[str]], bool], what: str) -> list[str]:
        deadline = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if true(screen):
                return screen
            assert time.monotonic() < deadline, what + "\n" + "\n".join(screen)
            time.sleep(0.05)

    def type(self, line: str) -> None:
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def press(self, key: str) -> None:
        self.tmux("send-keys", key)

    def run(self, script: str, *options: str) -> None:
        self.type(shlex.join([*COMMAND, "run", *options, script]))

    def scrolls_whole(self) -> None:
        """The scroll region is the whole screen again: a long list ends in the bottom row."""
        self.type("clear; seq 50")
        screen = self.until(
            lambda screen: screen[-1] == "@" and screen[-2] == "50", "the region is still small"
        )
        assert screen[0] == str(50 - ROWS + 2)


@pytest.fixture
def terminal(bench: Bench) -> Iterator[Terminal]:
    terminal = Terminal(bench.folder)
    try:
        yield terminal
    finally:
        terminal.tmux("kill-server")


def live(screen: list[str]) -> bool:
    return screen[-1].startswith("nilometer")


def test_the_line_and_a_progress_bar(bench: Bench, terminal: Terminal) -> None:
    script = bench.script(BAR)
    terminal.type("clear; seq 20")
    terminal.until(lambda screen: "20" in screen, "no list")
    terminal.run(script)
    screen = terminal.until(
        lambda screen: live(screen) and "20/20" in screen[-2], "no live line below the bar"
    )
    assert screen[-2] == "20/20 ==================== loss: 9.8765"
    assert screen[-3] == "Epoch 1"
    numbers = [int(row) for row in screen if row.isdigit()]
    assert numbers == list(range(numbers[0], 21)), "what stood above has scrolled, nothing of it vanished"
    assert len(screen[-1]) < COLUMNS
    (bench.folder / "go0").touch()
    terminal.until(
        lambda screen: live(screen) and screen[-3] == "Epoch 2" and "20/20" in screen[-2], "second epoch"
    )
    (bench.folder / "go1").touch()
    screen = terminal.until(
        lambda screen: any(row.startswith("Capture: ") for row in screen), "no final screen"
    )
    rows = [row for row in screen if row]
    at = rows.index("end of program")
    assert rows[at - 1] == "20/20 ==================== loss: 9.8765"
    assert rows[at + 1].startswith("nilometer  prog.py:")
    assert sum(row.startswith("nilometer ") for row in rows) == 1, "a live line was left"
    terminal.scrolls_whole()


def test_a_bar_that_stands_in_the_bottom_row(bench: Bench, terminal: Terminal) -> None:
    """The cursor is in the bottom row, in mid-line, when that row is taken: the line moves up whole."""
    script = bench.script(
        "import os, time\n"
        "print('0123456789' * 3, end='', flush=True)\n"
        "while not os.path.exists('go'): time.sleep(0.05)\n"
        "print('abc')"
    )
    terminal.type("seq 40")
    terminal.until(lambda screen: screen[-2] == "40", "no list")
    terminal.run(script)
    screen = terminal.until(live, "no live line")
    assert screen[-2] == "0123456789" * 3
    (bench.folder / "go").touch()
    screen = terminal.until(
        lambda screen: any(row.startswith("Capture: ") for row in screen), "no final screen"
    )
    assert "0123456789" * 3 + "abc" in screen


@pytest.mark.parametrize("how", ["--no-live", "NILOMETER_NO_PROGRESS=1", "TERM=dumb", "2>/dev/null"])
def test_no_line_where_none_is_wanted(bench: Bench, terminal: Terminal, how: str) -> None:
    script = bench.script("import time; time.sleep(2.5); print('over')")
    command = shlex.join([*COMMAND, "run"])
    if how.startswith("--"):
        terminal.type(f"clear; {command} {how} {script}")
    elif "=" in how:
        terminal.type(f"clear; {how} {command} {script}")
    else:
        terminal.type(f"clear; {command} {script} {how}")

    def over(screen: list[str]) -> bool:
        assert not live(screen)
        return "over" in screen

    terminal.until(over, "did not end")


def test_ctrl_z_and_back(bench: Bench, terminal: Terminal) -> None:
    terminal.run(bench.script(BAR))
    terminal.until(live, "no live line")
    terminal.press("C-z")
    screen = terminal.until(lambda screen: any("Stopped" in row for row in screen), "not stopped")
    assert not live(screen)
    terminal.type("echo $((6*7)); jobs -l")
    screen = terminal.until(lambda screen: "42" in screen, "the shell has no prompt")
    terminal.scrolls_whole()
    terminal.type("fg")
    terminal.until(live, "no live line after fg")
    for name in ("go0", "go1"):
        (bench.folder / name).touch()
    terminal.until(lambda screen: any(row.startswith("Capture: ") for row in screen), "did not end")
    terminal.scrolls_whole()


def test_ctrl_z_of_a_program_that_stops_itself(bench: Bench, terminal: Terminal) -> None:
    """A handler that tidies up and then stops its own pid: the shell must get its prompt all the same."""
    script = bench.script(
        "import os, signal, time\n"
        "def stop(*a):\n"
        "    print('tidy', flush=True); os.kill(os.getpid(), signal.SIGSTOP)\n"
        "signal.signal(signal.SIGTSTP, stop)\n"
        "print('ready', flush=True)\n"
        "while not os.path.exists('go'): time.sleep(0.05)\n"
        "print('over')"
    )
    terminal.run(script)
    terminal.until(lambda screen: "ready" in screen, "not started")
    terminal.press("C-z")
    terminal.until(lambda screen: any("Stopped" in row for row in screen), "not stopped")
    terminal.type("touch go; fg")
    screen = terminal.until(lambda screen: any(row.startswith("Capture: ") for row in screen), "did not end")
    assert "over" in screen


def test_ctrl_c_comes_once(bench: Bench, terminal: Terminal) -> None:
    script = bench.script(
        "import signal, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *a: (seen.append(1), print('caught', flush=True)))\n"
        "print('ready', flush=True)\n"
        "while not seen: time.sleep(0.01)\n"
        "time.sleep(0.5)\n"
        "print('times', len(seen))"
    )
    terminal.run(script)
    terminal.until(lambda screen: "ready" in screen, "not started")
    terminal.press("C-c")
    screen = terminal.until(lambda screen: any(row.startswith("Capture: ") for row in screen), "did not end")
    assert any(row.endswith("caught") for row in screen)
    assert "times 1" in screen


def test_ctrl_c_ends_a_loop_of_the_shell(bench: Bench, terminal: Terminal) -> None:
    """The shell stops its own loop only if it sees a death by the signal, not an exit code."""
    script = bench.script("import time; print('ready', flush=True); time.sleep(60)")
    command = shlex.join([*COMMAND, "run", script])
    terminal.type(f"clear; for i in 1 2 3; do {command}; done; echo status $?")
    terminal.until(lambda screen: "ready" in screen, "not started")
    terminal.press("C-c")
    terminal.until(lambda screen: any(row.startswith("Capture: ") for row in screen), "did not end")
    terminal.type("echo after")
    terminal.until(lambda screen: "after" in screen, "the loop went on")
    assert len(bench.captures()) == 1


def test_another_size(bench: Bench, terminal: Terminal) -> None:
    terminal.run(bench.script(BAR))
    terminal.until(live, "no live line")
    terminal.tmux("resize-window", "-x70", f"-y{ROWS - 4}")
    terminal.until(lambda screen: screen[ROWS - 5].startswith("nilometer"), "not in the new bottom row")
    terminal.tmux("resize-window", f"-x{COLUMNS}", f"-y{ROWS}")
    screen = terminal.until(live, "not in the bottom row")
    assert any("20/20" in row for row in screen)
    for name in ("go0", "go1"):
        (bench.folder / name).touch()
    terminal.until(lambda screen: any(row.startswith("Capture: ") for row in screen), "did not end")
    terminal.scrolls_whole()


def test_the_program_has_the_terminal(bench: Bench, terminal: Terminal) -> None:
    script = bench.script(
        "import os, sys\n"
        "print(os.isatty(0), os.isatty(1), os.isatty(2), os.tcgetpgrp(0) == os.getpgrp())\n"
        "print('got', input('name? '))"
    )
    terminal.run(script)
    terminal.until(lambda screen: any(row.startswith("name?") for row in screen), "no question")
    terminal.type("Nile")
    screen = terminal.until(lambda screen: any(row.startswith("Capture: ") for row in screen), "did not end")
    assert "True True True True" in screen
    assert "got Nile" in screen
