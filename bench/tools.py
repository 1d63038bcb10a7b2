"""The ways in which a program is run: without a tool, under nilometer, under its peers."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from measure import Cost, cost_of


@dataclass(frozen=True)
class Tool:
    """How a program is run under a tool, and the module or command that must be there for it."""

    before: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    module: str | None = None
    command: str | None = None

    def missing(self) -> bool:
        no_module = self.module is not None and importlib.util.find_spec(self.module) is None
        return no_module or (self.command is not None and shutil.which(self.command) is None)

    def cost(self, workload: Path, *args: str) -> Cost:
        return cost_of([*self.before, sys.executable, *self.arguments, str(workload), *args], self.env)


NILOMETER = ["-m", "nilometer", "run", "-o", "{out}.nilo"]
GUARD = ["-m", "nilometer", "guard", "-q", "--no-live", "-o", "{out}.nilo"]
MEMRAY = ["-m", "memray", "run", "--quiet", "-o", "{out}.bin"]

TOOLS = {
    "none": Tool(),
    "none-again": Tool(),
    "nilometer": Tool(arguments=NILOMETER, module="nilometer"),
    "no-recorder": Tool(arguments=[*NILOMETER, "--no-recorder"], module="nilometer"),
    "guard": Tool(arguments=GUARD, module="nilometer"),
    "nilometer-64K": Tool(arguments=[*NILOMETER, "--sample", "64K"], module="nilometer"),
    "tracemalloc": Tool(env={"PYTHONTRACEMALLOC": "1"}),
    "memray": Tool(arguments=MEMRAY, module="memray"),
    "memray-native": Tool(arguments=[*MEMRAY, "--native"], module="memray"),
    "scalene": Tool(arguments=["-m", "scalene", "run", "-o", "{out}.json"], module="scalene"),
    "heaptrack": Tool(before=["heaptrack", "-o", "{out}.ht"], command="heaptrack"),
}
