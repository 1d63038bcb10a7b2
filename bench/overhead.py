"""What `nilometer run` costs, as ratios to the same program without any tool, beside two other tools.

In each round every tool runs the workload once, in turn (A B C D, A B C D, ...), and each run is compared
with the no-tool run of its own round, so that a machine that slows down slows all alike. Read README.md
before quoting a figure.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import Cost, cost_of

WORKLOADS = {path.stem: path for path in sorted(Path(__file__).parent.joinpath("workloads").glob("*.py"))}


@dataclass(frozen=True)
class Tool:
    """How a program is run under a tool, and the module that must be installed for it."""

    arguments: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    module: str | None = None

    def missing(self) -> bool:
        return self.module is not None and importlib.util.find_spec(self.module) is None

    def cost(self, workload: Path) -> Cost:
        return cost_of([sys.executable, *self.arguments, str(workload)], self.env)


TOOLS = {
    "none": Tool(),
    "none-again": Tool(),
    "nilometer": Tool(["-m", "nilometer", "run", "-o", "{out}.nilo"], module="nilometer"),
    "tracemalloc": Tool(env={"PYTHONTRACEMALLOC": "1"}),
    "memray": Tool(["-m", "memray", "run", "--quiet", "-o", "{out}.bin"], module="memray"),
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--runs", type=int, default=7, help="rounds; every tool runs once in each (default 7)"
    )
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS), metavar="WORKLOAD")
    parser.add_argument(
        "--tools",
        nargs="+",
        choices=[tool for tool in TOOLS if tool != "none"],
        default=["nilometer", "tracemalloc", "memray"],
        metavar="TOOL",
        help=f"of {', '.join(tool for tool in TOOLS if tool != 'none')}; none always runs",
    )
    return parser.parse_args()


def installed(names: list[str]) -> list[str]:
    """`none` and those of `names` that can run; says which cannot."""
    for name in names:
        if TOOLS[name].missing():
            print(f"{name} is not installed for {sys.executable}: left out", file=sys.stderr)
    return ["none", *(name for name in dict.fromkeys(names) if not TOOLS[name].missing())]


def rounds(workload: str, tools: list[str], runs: int) -> dict[str, list[Cost]]:
    """The costs of each tool, in the order of the rounds."""
    # Not counted: it reads the files that the others find in the page cache.
    TOOLS["none"].cost(WORKLOADS[workload])
    costs: dict[str, list[Cost]] = {tool: [] for tool in tools}
    for number in range(runs):
        for tool in tools:
            costs[tool].append(TOOLS[tool].cost(WORKLOADS[workload]))
        print(f"{workload}: round {number + 1} of {runs}", file=sys.stderr)
    return costs


def spread(values: list[float], digits: int) -> str:
    """Median, and lowest to highest."""
    middle = statistics.median(values)
    return f"{middle:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def row(tool: str, costs: list[Cost], none: list[Cost]) -> list[str]:
    pairs = list(zip(costs, none, strict=True))
    mib = [cost.peak_bytes / 2**20 for cost in costs]
    if tool == "none":
        return [
            tool,
            spread([cost.cpu_s for cost in costs], 2) + " s",
            spread([cost.wall_s for cost in costs], 2) + " s",
            f"{statistics.median(mib):.0f} MiB",
        ]
    more = [(cost.peak_bytes - base.peak_bytes) / 2**20 for cost, base in pairs]
    return [
        tool,
        spread([cost.cpu_s / base.cpu_s for cost, base in pairs], 3),
        spread([cost.wall_s / base.wall_s for cost, base in pairs], 3),
        f"{statistics.median(more):+.0f} MiB",
    ]


def table(workload: str, costs: dict[str, list[Cost]]) -> str:
    head = [workload, "CPU", "wall", "peak RSS"]
    lines = [head, *(row(tool, costs[tool], costs["none"]) for tool in costs)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join([text[0], "-|-".join("-" * width for width in widths), *text[1:]])


def main() -> None:
    options = parse()
    tools = installed(options.tools)
    for workload in options.only:
        print(table(workload, rounds(workload, tools, options.runs)), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
