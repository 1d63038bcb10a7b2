"""What a tool costs in CPU time, told by runs that suffer the same machine at the same moment.

In each round the program runs twice at once, without and with the tool, each on its half of the processors;
then again with the halves exchanged. The ratio of a round is the geometric mean of the two: what slows the
whole machine down, or one half of it, falls out. What is left as noise is shown by `none-again`. Meant for
machines whose speed changes from run to run by more than a tool costs.

With `--one-processor` the two share one processor, and another two the next: where the processors themselves
differ from one moment to the next, that is steadier still. All take twice the time on the wall then, and what
a tool does by the clock happens twice as often.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import tempfile
from collections.abc import Callable
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


def exchanged(workload: str, tool: str) -> list[tuple[Cost, Cost]]:
    """Each on its half of the processors, and then the other way round."""
    first, second = halves()
    return [at_once(workload, tool, places) for places in ((first, second), (second, first))]


def on_one_processor(workload: str, tool: str) -> list[tuple[Cost, Cost]]:
    """Both on the first processor, and at the same moment both on the second."""
    places = [str(place) for place in sorted(os.sched_getaffinity(0))[:2]]
    with ThreadPoolExecutor(len(places)) as pool:
        return list(pool.map(lambda place: at_once(workload, tool, (place, place)), places))


def whole(cost: Cost) -> float | None:
    return cost.cpu_s


def training(cost: Cost) -> float | None:
    return cost.training_s


def ratio(pairs: list[tuple[Cost, Cost]], part: Callable[[Cost], float | None]) -> float | None:
    """CPU time under the tool to that without, over all pairs; `None` for what the workload does not tell."""
    parts = [(part(alone), part(under)) for alone, under in pairs]
    known = [under / alone for alone, under in parts if alone and under]
    return math.prod(known) ** (1 / len(known)) if len(known) == len(pairs) else None


PARTS = {"whole": whole, "training": training}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7, help="rounds (default 7)")
    parser.add_argument("--only", nargs="+", choices=WORKLOADS, default=["mlp"], metavar="WORKLOAD")
    tools = [tool for tool in TOOLS if tool != "none"]
    parser.add_argument(
        "--tools", nargs="+", choices=tools, default=["none-again", "nilometer"], metavar="TOOL"
    )
    parser.add_argument("--one-processor", action="store_true", help="both share a processor")
    options = parser.parse_args()
    pairs = on_one_processor if options.one_processor else exchanged
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        compile_native(folder)
        for workload in options.only:
            names = [tool for tool in installed(options.tools) if tool != "none"]
            rounds: dict[str, list[list[tuple[Cost, Cost]]]] = {tool: [] for tool in names}
            for number in range(options.runs):
                for tool in names if number % 2 == 0 else reversed(names):
                    rounds[tool].append(pairs(workload, tool))
                print(f"{workload}: round {number + 1} of {options.runs}", file=sys.stderr)
            for tool, (name, part) in itertools.product(names, PARTS.items()):
                ratios = [found for each in rounds[tool] if (found := ratio(each, part)) is not None]
                if ratios:
                    print(f"{workload:20} {tool:14} CPU {name:9} {spread(ratios, 3)}", flush=True)


if __name__ == "__main__":
    main()
