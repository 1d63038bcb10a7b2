"""Checks which crates depend on which, as ARCHITECTURE.md allows; says what is wrong and exits 1.

Nor may modules of the diagnosis need each other in a circle, or code outside of the packs name a framework
(`framework_names`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from framework_names import naming

ALLOWED: dict[str, set[str]] = {
    "capture": set(),
    "model": set(),
    "host": set(),
    "attach": {"host"},
    "stats": set(),
    "unwind": set(),
    "pyframes": set(),
    "census": {"model"},
    "frameworks": {"capture", "model", "census", "diagnose", "prove", "symbols"},
    "symbols": set(),
    "recorder": {"capture", "unwind", "pyframes"},
    "diagnose": {"capture", "model", "stats"},
    "plan": {"diagnose"},
    "prove": {"diagnose", "model"},
    "report": {"diagnose", "plan", "prove"},
    "cli": {
        "capture",
        "model",
        "host",
        "attach",
        "symbols",
        "diagnose",
        "frameworks",
        "plan",
        "prove",
        "report",
    },
    "native": {"capture", "model", "census", "frameworks", "host", "cli"},
}
PREFIX = "nilometer-"
CRATES = Path(__file__).resolve().parent.parent / "crates"
DIAGNOSE = CRATES / "diagnose" / "src"
# Modules that judge ask for words here, and `told` needs those modules: two modules in one folder.
WORDS = "told::words"


def circle() -> list[str]:
    """Modules of the diagnosis that need each other in a circle; empty if there are none."""
    needs: dict[str, set[str]] = {}
    for path in DIAGNOSE.rglob("*.rs"):
        parts = path.relative_to(DIAGNOSE).parts
        module = WORDS if "::".join(parts).startswith(WORDS) else parts[0].removesuffix(".rs")
        rules = path.read_text().split("#[cfg(test)]\nmod tests")[0]
        named = set(re.findall(rf"crate::({WORDS}|\w+)", rules))
        for group in re.findall(r"use crate::\{([^}]*)\}", rules):
            named |= {name.strip().split("::")[0] for name in group.split(",")}
        needs.setdefault(module, set()).update(named - {module})
    needs.pop("lib", None)
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def main() -> int:
    """Compares the workspace's own dependencies with the table above."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    packages = json.loads(subprocess.check_output(command))["packages"]
    wrong = []
    for package in packages:
        room = package["name"].removeprefix(PREFIX)
        ours = {
            dependency["name"].removeprefix(PREFIX)
            for dependency in package["dependencies"]
            if dependency["name"].startswith(PREFIX) and dependency["kind"] != "dev"
        }
        if room not in ALLOWED:
            wrong.append(f"{room}: not in the table of rooms")
        else:
            wrong.extend(f"{room} -> {other}" for other in sorted(ours - ALLOWED[room]))
    if found := circle():
        wrong.append(f"crates/diagnose: {' -> '.join(found)}")
    wrong.extend(naming())
    for line in wrong:
        print(f"layers: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
