"""What a tool costs in CPU time, told by runs that suffer the same machine at the same moment.

In each round the program runs twice at once, without and with the tool, each on its half of the processors;
then again with the halves exchanged. The ratio of a round is the geometric mean of the two: what slows the
whole machine down, or one half of it, falls out. What is left as noise is shown by `none-again`. Meant for
machines whose speed changes from run to run by more than a tool costs.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from measure import Cost
from overhead import WORKLOADS, compile_native, installed, spread
from tools import TOOLS


def halves() -> tuple[str, str]:
    """The processors of this process, as `taskset` takes them."""
    all_of_them = sorted(os.sched_getaffinity(0))
    if len(all_of_them) < 2:
        sys.exit("side by side takes two processors at least")
    middle = len(all_of_them) // 2
    return ",".join(map(str, all_of_them[:middle])), ",".join(map(str, all_of_them[middle:]))


def at_once(workload: str, tool: str, places: tuple[str, str]) -> tuple[Cost, Cost]:
    """The program without a tool in the first place and under `tool` in the second, at the same moment."""

    def cost(name: str, place: str) -> Cost:
        run = TOOLS[name]
        return replace(run, before=[*run.before, "taskset", "-c", place]).cost(WORKLOADS[workload])

    with ThreadPoolExecutor(2) as pool:
        alone, under = pool.map(cost, ("none", tool), places)
    return alone, under


def ratio(workload: str, tool: str) -> float:
    """CPU time under the tool to that without, over both places."""
    first, second = halves()
    pairs = [at_once(workload, tool, places) for places in ((first, second), (second, first))]
    return math.prod(under.cpu_s / alone.cpu_s for alone, under in pairs) ** (1 / len(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="rounds (default 7)")
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=["mlp"], metavar="WORKLOAD")
    tools = [tool for tool in TOOLS if tool != "none"]
    parser.add_argument(
        "--tools", nargs="+", choices=tools, default=["none-again", "nilometer"], metavar="TOOL"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        compile_native(folder)
        for workload in options.only:
            names = [tool for tool in installed(options.tools) if tool != "none"]
            ratios: dict[str, list[float]] = {tool: [] for tool in names}
            for number in range(options.runs):
                for tool in names if number % 2 == 0 else reversed(names):
                    ratios[tool].append(ratio(workload, tool))
                print(f"{workload}: round {number + 1} of {options.runs}", file=sys.stderr)
            for tool in names:
                print(f"{workload:20} {tool:14} CPU {spread(ratios[tool], 3)}", flush=True)


if __name__ == "__main__":
    main()
