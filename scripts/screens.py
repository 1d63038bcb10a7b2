"""Writes the screens of pages: runs each `$ nilometer ...` of a `console` block, and puts what it says below.

    python scripts/screens.py                    # all pages; two to three minutes
    python scripts/screens.py docs/index.md      # this page only

In: pages with blocks, and `examples/`. Out: the same pages; nothing that a block shows is typed by hand.
A command that stands on several pages runs once. Wants nilometer with TensorFlow, as `make .venv/.wheel`
installs it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/index.md", "docs/ten-minutes.md")
BLOCK = re.compile(
    r"^(```console\n\$ (?P<command>nilometer [^\n]*)\n)(?P<said>.*?)(^```$)", re.MULTILINE | re.DOTALL
)
COLUMNS = 88  # of the screen: what fits beside the navigation
PATIENCE_S = 1200  # until a command is called hung


def main() -> None:
    wanted = sys.argv[1:] or PAGES
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        screens: dict[str, str] = {}

        def screen(command: str) -> str:
            if command not in screens:
                print(f"$ {command}")
                screens[command] = said(command, Path(folder))
            return screens[command]

        for name in wanted:
            page = ROOT / name
            page.write_text(renewed(page.read_text(encoding="utf-8"), screen), encoding="utf-8")


def renewed(text: str, screen: Callable[[str], str]) -> str:
    """The page with what each command says now."""
    return BLOCK.sub(lambda found: f"{found[1]}{screen(found['command'])}{found[4]}", text)


def said(command: str, folder: Path) -> str:
    """What nilometer says; of `run` without what the program prints, which is stdout."""
    words = shlex.split(command)
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL if words[1] == "run" else subprocess.PIPE,
        stderr=subprocess.PIPE if words[1] == "run" else subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_S,
        env={
            **os.environ,
            "COLUMNS": str(COLUMNS),
            "NILOMETER_NO_PROGRESS": "1",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
    )
    text = done.stderr if words[1] == "run" else done.stdout
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{text[-2000:]}"
    report = text[text.index("nilometer  ") :] if words[1] == "run" else text
    return re.sub(r"[ \t]+$", "", report.strip("\n"), flags=re.MULTILINE) + "\n"


if __name__ == "__main__":
    main()
