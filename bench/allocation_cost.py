"""Nanoseconds that the recorder adds to an allocation: least of many rounds, processes taken in turn."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import TOOLS

MICRO = Path(__file__).parent / "micro"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="processes of each kind (default 7)")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=["no-recorder", "nilometer"])
    options = parser.parse_args()
    found: dict[str, dict[str, list[float]]] = {tool: {} for tool in ["none", *options.tools]}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        library = f"{folder}/pairs.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, MICRO / "pairs.c"], check=True)
        for _ in range(options.runs):
            for tool, values in found.items():
                said = TOOLS[tool].cost(MICRO / "probe.py", library).said
                for name, nanoseconds in json.loads(said.splitlines()[0]).items():
                    values.setdefault(name, []).append(nanoseconds)
    plain = found.pop("none")
    print(f"{'ns':<24}{'none':>20}" + "".join(f"{tool:>34}" for tool in found), file=sys.stdout)
    for name, base in plain.items():
        line = f"{name:<24}{statistics.median(base):>9.2f} ({min(base):.2f})"
        for values in found.values():
            more = [ours - its for ours, its in zip(values[name], base, strict=True)]
            line += f"   {statistics.median(values[name]):>9.2f} {statistics.median(more):>+7.2f} "
            line += f"({min(more):+.2f} to {max(more):+.2f})"
        print(line)


if __name__ == "__main__":
    main()
