"""Reports and profiles that no program made: of any size, with any strings.

In: how big. Out: data as a page has it. The numbers add up as real ones do, and the same seed makes
the same data.
"""

from __future__ import annotations

import math
import random
from typing import Any

MIB = 1 << 20
Data = dict[str, Any]


def report(cycles: int = 40, growth: int = 4 * MIB) -> Data:
    """A leak in epochs of a second each, after twenty seconds of starting up."""
    start, points = 20, min(500, cycles + 40)
    timeline = []
    for i in range(points):
        seconds = (start + cycles) * i / (points - 1)
        cycle = max(0, int(seconds) - start)
        live = int(200 * MIB * min(1.0, seconds / start)) + cycle * growth
        known = {"live_bytes": live, "anonymous_bytes": live + 30 * MIB, "file_bytes": 300 * MIB}
        timeline.append({"seconds": seconds, "cycle": cycle, **known})
    per_cycle = {"estimate": growth, "low": int(growth * 0.9), "high": int(growth * 1.1)}
    return {
        "schema": "nilometer.report/1",
        "program": {
            "name": "train.py",
            "argv": ["train.py", "--epochs", str(cycles)],
            "python": "3.11.7",
            "frameworks": {"keras": "3.15.1"},
            "pid": 4711,
            "seconds": float(start + cycles),
            "exit": {"code": 0, "signal": None, "oom_killed": False, "limit": None},
        },
        "verdict": "leak",
        "reason": "live memory grows with every epoch and shows no sign of levelling",
        "cycles": {"unit": "epoch", "count": cycles, "needed": None, "seconds": 1.0},
        "growth": {"bytes_per_cycle": per_cycle, "since_cycle": 3, "basis": "live", "explained": 0.95},
        "forecast": {
            "limit": "cgroup",
            "limit_bytes": 8192 * MIB,
            "cycles_left": 1990,
            "seconds_left": 1990.0,
        },
        "memory": {
            "peak_bytes": 900 * MIB,
            "live_bytes": timeline[-1]["live_bytes"],
            "anonymous_bytes": timeline[-1]["anonymous_bytes"],
            "limit": "cgroup",
            "limit_bytes": 8192 * MIB,
            "headroom_bytes": 7000 * MIB,
        },
        "components": [
            component("growing", "epoch", cycles * growth, growth, "live memory that every epoch adds to"),
            component("one-time", "import", 178 * MIB, None, "code and tables of the imported libraries"),
            component("one-time", "first_batch", 22 * MIB, None, "graph, kernels and thread pools"),
            component("file-backed", None, 300 * MIB, None, "mapped libraries and files"),
        ],
        "findings": [finding("Keep.saved keeps every prediction", growth)],
        "holders": [
            held("fit(): callbacks[0].saved[*]", cycles * growth),
            held("fit(): callbacks[0].last", MIB),
            held("module train: table", 3 * MIB),
        ],
        "objects": {
            "looks": [{"seconds": float(start + cycle), "cycle": cycle} for cycle in (4, 8, 16, 32)],
            "types": [
                {"name": "train.Event", "counts": [None, 80, 160, 320]},
                {"name": "dict", "counts": [9000, 9000, 9000, 9000]},
                {"name": "keras.src.Graph", "counts": [10, 30, 30, 30]},
                {"name": "keras.src.Batch", "counts": [20, 90, 15, 18]},
                *({"name": f"package.Type{i}", "counts": [i] * 4} for i in range(20, 0, -1)),
            ],
        },
        "sampling": {
            "samples": 2345,
            "dropped": 7,
            "lost": [
                {
                    "cause": "filter_busy",
                    "count": 7,
                    "what": "dropped: why",
                    "change": "what to do",
                    "notable": False,
                },
                {"cause": "table_full", "count": 99, "what": "dropped: why", "change": "do", "notable": True},
            ],
            "live_bytes": 10,
            "credited": 0.9,
            "asked_mean": 524288,
            "finest_mean": 4096,
            "coarsest_mean": 524288,
            "cost": 0.008,
        },
        "recorder": "on",
        "processes": [
            {"pid": 4720, "role": "worker", "first_bytes": MIB, "last_bytes": 2 * MIB, "peak_bytes": 3 * MIB}
        ],
        "timeline": timeline,
        "phases": [
            {"name": "import", "begin_seconds": 0.0, "end_seconds": 12.0},
            {"name": "program", "begin_seconds": 12.0, "end_seconds": 14.0},
            {"name": "fit_entry", "begin_seconds": 14.0, "end_seconds": 16.0},
            {"name": "epoch", "begin_seconds": 16.0, "end_seconds": float(start + cycles)},
        ],
        "phase_totals": [
            {"name": "epoch", "times": cycles, "seconds": float(cycles), "bytes": cycles * growth},
            {"name": "import", "times": 1, "seconds": 12.0, "bytes": 178 * MIB},
        ],
        "losses": ["the capture's disk was full: 12 records could not be written"],
    }


def component(kind: str, phase: str | None, size: int, per_cycle: int | None, sentence: str) -> Data:
    named = {"kind": kind, "phase": phase, "bytes": size, "bytes_per_cycle": per_cycle}
    return {**named, "sentence": sentence, "made_at": None}


def holder(path: str) -> Data:
    words = {"owner": "Keep", "path": path, "kind": "list", "elements": "40 x ndarray (2000, 500) float64"}
    return {**words, "bound": None, "share": 1.0}


def held(path: str, live: int) -> Data:
    return {"holder": holder(path), "live_bytes": live}


def finding(sentence: str, growth: int) -> Data:
    site = {"file": "train.py", "function": "Keep.on_epoch_end", "bytes_per_cycle": growth, "inside": None}
    return {
        "cause": "container-in-callback",
        "confidence": "certain",
        "sentence": sentence,
        "holder": holder("fit(): callbacks[0].saved[*]"),
        "also_held_by": [],
        "sites": [
            {"role": "kept_at", "line": 31, "text": "self.saved.append(preds)", **site},
            {
                "role": "made_at",
                "line": 30,
                "text": "preds = self.model.predict(x)",
                **site,
                "inside": "keras predict",
            },
        ],
        "bytes_per_cycle": {"estimate": growth, "low": growth, "high": growth},
        "phase": "predict",
        "part": None,
        "cycles_seen": 37,
        "stack": [{"kind": "user", "file": "train.py", "line": 30, "function": "Keep.on_epoch_end"}],
        "change": "keep a summary instead of `self.saved.append(preds)`",
        "prove": "nilometer prove train.py --without callback:Keep",
    }


def profile(stacks: int = 60, bins: int = 40, deep: int = 30, seed: int = 1) -> Data:
    """Stacks that branch like real ones: few ways in, many ways out."""
    chance = random.Random(seed)
    kinds = ["library", "library", "standard", "native"]
    frames = [{"kind": "user", "file": "train.py", "line": 10 + i, "function": f"step_{i}"} for i in range(8)]
    frames += [
        {
            "kind": kinds[i % 4],
            "file": f"/lib/site-packages/keras/src/file_{i % 90}.py",
            "line": i,
            "function": f"call_{i}",
        }
        for i in range(max(50, stacks // 4))
    ]
    made = []
    for i in range(stacks):
        length = chance.randint(max(3, deep // 2), deep)
        way = [
            8 + (depth * 7 + chance.randint(0, 1 + depth // 3) ** 2) % (len(frames) - 8)
            for depth in range(length)
        ]
        live = int(chance.paretovariate(1.1) * 20_000) if i else 60 * MIB
        births: dict[int, int] = {}
        for _ in range(3):
            births[chance.randrange(bins + 1)] = live // 3
        grows = live // bins if i % 5 == 0 else -100 if i % 5 == 1 else 0
        made.append(
            {
                "frames": [i % 3, *way[: length // 2], 3 + i % 5, *way[length // 2 :]],
                "live_bytes": live,
                "samples": 1 + i % 4,
                "bytes_per_cycle": grows,
                "deviation_bytes": 0,
                "deviation_per_cycle": 0,
                "births": sorted(births.items()),
                "phase": "epoch",
            }
        )
    survivors = [
        [int(5 * MIB * (0.2 + math.exp(-age))) for age in range(bins - birth)] for birth in range(bins)
    ]
    return {"frames": frames, "stacks": made, "cycles": list(range(1, bins + 1)), "survivors": survivors}
