"""Draws the pictures of docs/concepts from real runs, as SVG that follows a reader's light or dark screen.

    python scripts/concept_pictures.py             # all of them; about four minutes
    python scripts/concept_pictures.py garbage     # this one

In: runs of programs of this repository, read from their captures. Out: docs/concepts/*.svg, committed. No
figure is drawn that no run had. Wants nilometer with TensorFlow, as `make .venv/.wheel` installs it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import nilometer

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "concepts"
MIB = 1 << 20
WIDTH, HEIGHT = 720, 300  # of a whole picture, in units of its own
# Each class has a colour on a light and on a dark screen.
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #333 }
  .axis { stroke: #999; fill: none } .grid { stroke: #ddd; fill: none }
  .live { stroke: #00796b; fill: none; stroke-width: 2.5 } .live-area { fill: #00796b; opacity: .45 }
  .more { stroke: #b26a00; fill: none; stroke-width: 2 } .more-area { fill: #b26a00; opacity: .35 }
  .dot { fill: #00796b } .bar { fill: #00796b; opacity: .7 }
  .low { stroke: #333; fill: none; stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .axis { stroke: #888 } .grid { stroke: #444 } .low { stroke: #eee }
    .live { stroke: #4db6ac } .live-area, .bar, .dot { fill: #4db6ac }
    .more { stroke: #ffb74d } .more-area { fill: #ffb74d }
  }
"""
# Four lines that keep as much as one another, among much that goes at once.
KEEPS = """
import time
a, b, c, d = [], [], [], []
def first(i): a.append(bytes([i]) * 20_000)
def second(i): b.append(bytes([i]) * 20_000)
def third(i): c.append(bytes([i]) * 20_000)
def fourth(i): d.append(bytes([i]) * 20_000)
for step in range(160):
    for i in range(8):
        for keep in (first, second, third, fourth):
            keep(i)
    for i in range(3000):
        bytes([i % 200]) * 20_000
    time.sleep(0.03)
    print("step", step)
"""
KEPT_PER_LINE = 8 * 20_033  # bytes per step: what Python adds to each is 33
CLOSE = ("--sample 64K", "--sample 8K --max-overhead 20")
LINES = {3: "a", 4: "b", 5: "c", 6: "d"}


@dataclass
class Plot:
    """One field with axes, into which lines and areas are drawn."""

    left: float
    width: float
    xs: tuple[float, float]
    ys: tuple[float, float]
    title: str = ""
    parts: list[str] = field(default_factory=list)
    top: float = 34
    bottom: float = HEIGHT - 40

    def x(self, value: float) -> float:
        return self.left + self.width * (value - self.xs[0]) / (self.xs[1] - self.xs[0])

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * (value - self.ys[0]) / (self.ys[1] - self.ys[0])

    def at(self, point: tuple[float, float], below: float) -> tuple[float, float]:
        """Where a point lies on the picture, and so much below it."""
        return self.x(point[0]), self.y(point[1]) + below

    def axes(self, across: str) -> None:
        self.scale(across, "MiB")
        for value in (self.xs[0], sum(self.xs) / 2, self.xs[1]):
            self.text(self.x(value), self.bottom + 16, f"{value:.0f}", "middle")

    def scale(self, across: str, unit: str, marks: int = 4) -> None:
        for i in range(marks + 1):
            value = self.ys[0] + (self.ys[1] - self.ys[0]) * i / marks
            y = self.y(value)
            self.parts.append(f'<path class="grid" d="M{self.left:.1f} {y:.1f}h{self.width:.1f}"/>')
            self.text(self.left - 6, y + 4, f"{value:.0f}", "end")
        self.parts.append(f'<path class="axis" d="M{self.left:.1f} {self.bottom:.1f}h{self.width:.1f}"/>')
        self.text(self.left - 6, self.top - 14, unit, "end")
        self.text(self.left + self.width, self.bottom + 30, across, "end")
        self.text(self.left, self.top - 14, self.title)

    def text(self, x: float, y: float, words: str, anchor: str = "start") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>')

    def path(self, points: list[tuple[float, float]], kind: str) -> None:
        self.parts.append(f'<path class="{kind}" d="M{self.course(points)}"/>')

    def area(self, upper: list[tuple[float, float]], lower: list[tuple[float, float]], kind: str) -> None:
        self.parts.append(f'<path class="{kind}" d="M{self.course(upper + lower[::-1])}z"/>')

    def course(self, points: list[tuple[float, float]]) -> str:
        return "L".join(f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in points)

    def dots(self, points: list[tuple[float, float]], radius: float = 3) -> None:
        self.parts += [
            f'<circle class="dot" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="{radius}"/>' for x, y in points
        ]


def svg(words: str, *plots: Plot) -> str:
    body = "\n".join(part for plot in plots for part in plot.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{escape(words)}</title><style>{STYLE}</style>\n{body}\n</svg>\n"
    )


@cache
def report(program: str, *options: str) -> Any:
    """A program's report, from a run of its own."""
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder) / "run.nilo"
        script, *arguments = program.split()
        words = [*options, "-q", "-o", str(capture)]
        subprocess.run(
            [sys.executable, "-m", "nilometer", "run", *words, script, *arguments],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        return nilometer.read(str(capture)).to_dict()


def course(told: Any, what: str) -> list[tuple[float, float]]:
    """A column of the curve in MiB, over the seconds since the first cycle."""
    return [(p["seconds"] - begun(told), p[what] / MIB) for p in repeats(told) if p[what] is not None]


def repeats(told: Any) -> list[Any]:
    """The points of the curve from the first cycle on."""
    return [point for point in told["timeline"] if point["cycle"] > 0]


def begun(told: Any) -> float:
    return float(repeats(told)[0]["seconds"])


def ends(told: Any) -> list[tuple[float, float]]:
    """Live memory where each cycle ended: the first point of the next one."""
    found: dict[int, tuple[float, float]] = {}
    for point in told["timeline"]:
        if point["live_bytes"] is not None and point["cycle"] > 0:
            found.setdefault(point["cycle"], (point["cycle"], point["live_bytes"] / MIB))
    return list(found.values())


def span(*lines: list[tuple[float, float]], room: float = 0.1) -> tuple[float, float]:
    """Whole tens of MiB around all of these."""
    values = [y for line in lines for _, y in line]
    low, high = min(values), max(values)
    step = 4 * max(1, round((high - low) * (1 + room) / 16))
    return low // step * step, (high // step + 1) * step


def live_and_resident() -> str:
    told = report("examples/leaky.py")
    live, resident = course(told, "live_bytes"), course(told, "anonymous_bytes")
    plot = Plot(60, 640, (live[0][0], live[-1][0]), span(live, resident))
    plot.axes("seconds")
    plot.path(resident, "more")
    plot.path(live, "live")
    by_cycle = {p["cycle"]: p for p in reversed(repeats(told)) if p["live_bytes"] is not None}
    plot.dots([(p["seconds"] - begun(told), p["live_bytes"] / MIB) for p in by_cycle.values()])
    plot.text(*plot.at(resident[len(resident) // 2], -26), "resident", "end")
    plot.text(*plot.at(live[len(live) // 2], 24), "live")
    return svg("Live and resident memory of a program that leaks", plot)


def garbage() -> str:
    told = report("examples/healthy.py")
    live = ends(told)[3:]
    plot = Plot(60, 640, (live[0][0], live[-1][0]), span(live))
    plot.axes("epoch")
    plot.path(live, "live")
    lows = [
        b for a, b, c in zip(live, live[1:], live[2:], strict=False) if b[1] < a[1] - 0.3 and b[1] <= c[1]
    ]
    plot.path(lows, "low")
    plot.dots(lows)
    return svg("Live memory of a program that does not leak: garbage comes and is taken back", plot)


def arenas() -> str:
    told = report("corpus/cameras_in_turn/train.py")
    live, resident = course(told, "live_bytes"), course(told, "anonymous_bytes")
    plot = Plot(60, 640, (live[0][0], live[-1][0]), (0, span(live, resident)[1]))
    plot.axes("seconds")
    plot.area(live, [(x, 0) for x, _ in live], "live-area")
    plot.area(resident, live, "more-area")
    plot.text(*plot.at(resident[len(resident) // 2], -8), "resident")
    plot.text(*plot.at(live[len(live) // 2], 20), "live")
    return svg("Live memory is flat, and arenas keep more and more", plot)


def sampling() -> str:
    """What samples say of each of four lines, beside the truth. Without the census, which weighs."""
    plots = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "keeps.py"
        script.write_text(KEEPS.lstrip(), encoding="utf-8")
        runs = {options: report(str(script), "--no-census", *options.split()) for options in CLOSE}
    for i, (options, told) in enumerate(runs.items()):
        rates = {finding["sites"][0]["line"]: finding["bytes_per_cycle"] for finding in told["findings"]}
        assert set(rates) == set(LINES), f"{options}: findings of lines {sorted(rates)} alone; run it again"
        plot = Plot(60 + i * 350, 290, (0, 4), (0, 400), options)
        plot.scale("the four lines", "KiB")
        for at, line in enumerate(LINES):
            estimate, low, high = (rates[line][key] / 1024 for key in ("estimate", "low", "high"))
            plot.area([(at + 0.25, estimate), (at + 0.75, estimate)], [(at + 0.25, 0), (at + 0.75, 0)], "bar")
            plot.path([(at + 0.5, low), (at + 0.5, min(high, 400))], "more")
            plot.text(plot.x(at + 0.5), plot.bottom + 16, LINES[line], "middle")
        plot.path([(0, KEPT_PER_LINE / 1024), (4, KEPT_PER_LINE / 1024)], "low")
        plots.append(plot)
    return svg(
        "Four lines that keep the same: estimates with their intervals, and the truth",
        *plots,
    )


def verdicts() -> str:
    plots = []
    with tempfile.TemporaryDirectory() as folder:
        short = Path(folder) / "short.py"
        text = (ROOT / "examples" / "leaky.py").read_text(encoding="utf-8")
        short.write_text(text.replace("EPOCHS = 24", "EPOCHS = 5"), encoding="utf-8")
        runs = [report("examples/leaky.py"), report("examples/healthy.py"), report(str(short))]
    for i, told in enumerate(runs):
        live = ends(told)
        plot = Plot(
            50 + i * 235, 175, (live[0][0], live[-1][0]), span(live), told["verdict"].replace("_", " ")
        )
        plot.axes(told["cycles"]["unit"])
        plot.path(live, "live")
        plot.dots(live, 2)
        plots.append(plot)
    return svg("Three runs, one for each verdict", *plots)


PICTURES: dict[str, Callable[[], str]] = {
    "live-and-resident": live_and_resident,
    "garbage": garbage,
    "arenas": arenas,
    "sampling": sampling,
    "verdicts": verdicts,
}


def main() -> None:
    for name in sys.argv[1:] or PICTURES:
        (OUT / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8")
        print(f"docs/concepts/{name}.svg")


if __name__ == "__main__":
    main()
