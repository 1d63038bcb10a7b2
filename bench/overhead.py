"""What `nilometer run` costs, as ratios to the same program without any tool, beside other tools.

In each round every tool runs the workload once, in turn, every other round the other way round, and each run
is compared with the no-tool run of its own round, so that a machine that slows down slows all alike. Read
README.md before quoting a figure.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from measure import Cost
from tools import TOOLS

WORKLOADS = {path.stem: path for path in sorted(Path(__file__).parent.joinpath("workloads").glob("*.py"))}
USUAL = ["none-again", "nilometer", "no-recorder", "tracemalloc", "memray"]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="rounds; each tool runs once in each (default 7)")
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=list(WORKLOADS), metavar="WORKLOAD")
    names = [tool for tool in TOOLS if tool != "none"]
    parser.add_argument(
        "--tools",
        nargs="+",
        choices=[*names, "all"],
        default=USUAL,
        metavar="TOOL",
        help=f"all, or some of {', '.join(names)} (default {' '.join(USUAL)}); none always runs",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="every single run goes there")
    return parser.parse_args()


def installed(names: list[str]) -> list[str]:
    """`none` and those of `names` that can run; says which cannot."""
    if "all" in names:
        names = [tool for tool in TOOLS if tool != "none"]
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
        for tool in tools if number % 2 == 0 else reversed(tools):
            costs[tool].append(TOOLS[tool].cost(WORKLOADS[workload]))
        print(f"{workload}: round {number + 1} of {runs}", file=sys.stderr)
    return costs


def spread(values: list[float], digits: int) -> str:
    """Median, and lowest to highest."""
    middle = statistics.median(values)
    return f"{middle:.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def trainings(costs: list[Cost]) -> list[float]:
    """CPU seconds of the process in its `fit`, of each run; empty for a workload that does not say them."""
    return [cost.training_s for cost in costs if cost.training_s is not None]


def row(tool: str, costs: list[Cost], none: list[Cost]) -> list[str]:
    pairs = list(zip(costs, none, strict=True))
    if tool == "none":
        return [
            tool,
            spread([cost.cpu_s for cost in costs], 2) + " s",
            spread(known, 2) + " s" if (known := trainings(costs)) else "",
            spread([cost.wall_s for cost in costs], 2) + " s",
            f"{statistics.median([cost.anonymous_bytes / 2**20 for cost in costs]):.0f} MiB",
            f"{statistics.median([cost.peak_bytes / 2**20 for cost in costs]):.0f} MiB",
        ]
    known = (trainings(costs), trainings(none))
    anonymous = [(cost.anonymous_bytes - base.anonymous_bytes) / 2**20 for cost, base in pairs]
    peak = [(cost.peak_bytes - base.peak_bytes) / 2**20 for cost, base in pairs]
    return [
        tool,
        spread([cost.cpu_s / base.cpu_s for cost, base in pairs], 3),
        spread([one / base for one, base in zip(*known, strict=True)], 3) if all(known) else "",
        spread([cost.wall_s / base.wall_s for cost, base in pairs], 3),
        f"{statistics.median(anonymous):+.1f} MiB",
        f"{statistics.median(peak):+.0f} MiB",
    ]


def table(workload: str, costs: dict[str, list[Cost]]) -> str:
    head = [workload, "CPU", "training", "wall", "RssAnon", "peak RSS"]
    lines = [head, *(row(tool, costs[tool], costs["none"]) for tool in costs)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join([text[0], "-|-".join("-" * width for width in widths), *text[1:]])


def compile_native(folder: str) -> None:
    """The C parts of the workloads; each finds its own by this variable."""
    for source in Path(__file__).parent.joinpath("workloads").glob("*.c"):
        library = Path(folder, f"{source.stem}.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
    os.environ["BENCH_NATIVE"] = folder


def main() -> None:
    options = parse()
    tools = installed(options.tools)
    every = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        compile_native(folder)
        for workload in options.only:
            costs = rounds(workload, tools, options.runs)
            every[workload] = {tool: [asdict(cost) for cost in costs[tool]] for tool in costs}
            print(table(workload, costs), end="\n\n", flush=True)
            if options.json:
                options.json.write_text(json.dumps(every, indent=1))


if __name__ == "__main__":
    main()
