"""Makes the pictures of the documentation from real runs: the README's screenshot, and parts of the page.

    python scripts/screenshot.py           # all of them; records each program first
    python scripts/screenshot.py report    # only docs/report.png

Wants nilometer with TensorFlow, as `make .venv/.wheel` installs it, and a Chromium.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "page"))

from browser import Browser, Page, find_browser  # noqa: E402 (the tests' browser is the only one)

MOST = 200_000  # bytes of one picture
WIDTH = 900
MARGIN = 16


@dataclass(frozen=True)
class Picture:
    """A part of the page of a run."""

    name: str
    """The file, without its folder and suffix."""
    program: str
    """The program and its arguments, from the repository's root."""
    parts: tuple[str, ...]
    """What is shown: from the top of the first to the bottom of the last."""
    presses: tuple[tuple[str, str], ...] = ()
    """Buttons that are pressed before: where, and their words."""
    points: tuple[str, float, float] | None = None
    """What is pointed at, and where in it, as shares of its width and height."""


LEAKY = "examples/leaky.py"
KEEPS = "corpus/keeps_predictions/train.py --epochs 40"
MODELS = "corpus/models_loop/train.py --models 36"
COPIES = "corpus/in_memory_1m/train.py"

PICTURES = (
    Picture("report", LEAKY, ("#verdict h1", ".finding .source")),
    Picture("reading/curve", MODELS, ("#curve .bar", "#curve .readout"), points=("svg.curve", 0.55, 0.5)),
    Picture("reading/close", MODELS, ("#curve .bar", "#curve svg"), presses=(("#curve button", "the fits"),)),
    Picture("reading/finding", KEEPS, (".finding",)),
    Picture(
        "reading/sites",
        MODELS,
        ("#sites .bar", "#sites .readout"),
        presses=(("#sites button", "live now"),),
        points=("canvas.flame", 0.6, 0.5),
    ),
    Picture("reading/survivors", MODELS, ("#survivors .matrix-box", "#survivors .readout")),
    Picture("reading/holders", KEEPS, ("#holders > .tree",)),
    Picture("reading/types", MODELS, ("#types > .types",)),
    Picture("reading/start", COPIES, ("#start .chart",)),
)


def main() -> None:
    wanted = sys.argv[1:]
    chosen = [picture for picture in PICTURES if not wanted or picture.name in wanted]
    path = find_browser()
    if path is None:
        raise SystemExit("no Chromium on this machine: install one, or name it in CHROMIUM")
    with tempfile.TemporaryDirectory() as folder, Browser(path) as browser:
        made: dict[str, Path] = {}
        for picture in chosen:
            if picture.program not in made:
                made[picture.program] = record(picture.program, Path(folder) / str(len(made)))
            page = browser.open(made[picture.program], width=WIDTH)
            to = ROOT / "docs" / f"{picture.name}.png"
            to.parent.mkdir(exist_ok=True)
            take(page, picture, to)
            page.close()
            size = to.stat().st_size
            print(f"{to.relative_to(ROOT)}: {size} bytes")
            assert size <= MOST, "too big for a repository"


def record(program: str, base: Path) -> Path:
    """Runs a program under nilometer, in its own folder, and makes its page."""
    script, *arguments = shlex.split(program)
    file = ROOT / script
    capture, page = base.with_suffix(".nilo"), base.with_suffix(".html")
    nilometer = [sys.executable, "-m", "nilometer"]
    subprocess.run(
        [*nilometer, "run", "-q", "-o", str(capture), file.name, *arguments], cwd=file.parent, check=True
    )
    subprocess.run(
        [*nilometer, "report", str(capture), "--html", "-o", str(page)], cwd=file.parent, check=True
    )
    return page


def take(page: Page, picture: Picture, to: Path) -> None:
    for where, words in picture.presses:
        page.click_text(where, words)
    page.point(0, 0)
    if picture.points:
        selector, x, y = picture.points
        left, top, width, height = page.place(selector)
        page.point(left + x * width, top + y * height)
    boxes = [page.read(box(part)) for part in picture.parts]
    left, top = max(0, min(b[0] for b in boxes) - MARGIN), max(0, min(b[1] for b in boxes) - MARGIN)
    right, bottom = max(b[2] for b in boxes) + MARGIN, max(b[3] for b in boxes) + MARGIN
    page.photograph(to, clip={"x": left, "y": top, "width": right - left, "height": bottom - top})


def box(selector: str) -> str:
    """Where an element lies on the whole page."""
    return (
        f"(() => {{ const box = document.querySelector({selector!r}).getBoundingClientRect();"
        " return [box.left, box.top + scrollY, box.right, box.bottom + scrollY]; })()"
    )


if __name__ == "__main__":
    main()
