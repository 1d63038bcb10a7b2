"""Checks that each crate depends only on the rooms ARCHITECTURE.md allows; says what is wrong and exits 1."""

from __future__ import annotations

import json
import subprocess
import sys

ALLOWED: dict[str, set[str]] = {
    "capture": set(),
    "host": set(),
    "stats": set(),
    "unwind": set(),
    "pyframes": set(),
    "census": set(),
    "symbols": set(),
    "recorder": {"capture", "unwind", "pyframes"},
    "diagnose": {"capture", "stats"},
    "prove": {"diagnose"},
    "report": {"diagnose", "prove"},
    "cli": {"capture", "host", "symbols", "diagnose", "prove", "report"},
    "native": {"capture", "census", "host", "cli"},
}
PREFIX = "nilometer-"


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
    for line in wrong:
        print(f"layers: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
