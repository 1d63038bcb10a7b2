"""Measures what a corpus program really keeps per cycle, without nilometer.

In: the unit of its cycles, the program, its arguments. Out: what live bytes rose by from cycle to
cycle, each after a full collection, and their slope over the last two thirds. Nothing of nilometer
may be used here: this is what its word is compared with. The corpus runs with `TF_ENABLE_ONEDNN_OPTS=1`.

    python tests/corpus/measure_truth.py epoch corpus/keeps_predictions/train.py --epochs 32
    python tests/corpus/measure_truth.py call --every 10 corpus/new_shapes/train.py
    python tests/corpus/measure_truth.py line corpus/running_loss/train.py
"""

from __future__ import annotations

import argparse
import builtins
import ctypes
import functools
import gc
import itertools
import os
import re
import runpy
import statistics
import sys
import tempfile
from collections.abc import Callable
from typing import Any

UNITS = ("epoch", "fit", "predict", "evaluate", "on_batch", "call", "line")


class Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd",
            "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
        )
    ]  # fmt: skip


def small_objects() -> int:
    """Bytes of the blocks that Python's allocator of small objects has handed out."""
    with tempfile.TemporaryFile() as file:
        sys.stderr.flush()
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        sys._debugmallocstats()
        os.dup2(saved, 2)
        os.close(saved)
        file.seek(0)
        found = re.search(rb"# bytes in allocated blocks\s*=\s*([\d,]+)", file.read())
    return int(found[1].replace(b",", b"")) if found else 0


class Series:
    """Live bytes at the end of each `every`th cycle."""

    def __init__(self, every: int, collect: bool) -> None:
        self.count = 0
        self.every = every
        self.collect = collect
        self.points: list[tuple[int, int]] = []
        self.mallinfo2 = ctypes.CDLL(None).mallinfo2
        self.mallinfo2.restype = Mallinfo2

    def cycle(self) -> None:
        self.count += 1
        if self.count % self.every == 0:
            if self.collect:
                gc.collect()
            info = self.mallinfo2()
            self.points.append((self.count, info.uordblks + info.hblkhd + small_objects()))

    def slope(self) -> float:
        """Median of the slopes between all points but the first third."""
        points = self.points[len(self.points) // 3 :]
        slopes = [(b - a) / (j - i) for n, (i, a) in enumerate(points) for j, b in points[n + 1 :]]
        return statistics.median(slopes) if slopes else float("nan")


def after(owner: Any, name: str, done: Callable[[], None]) -> None:
    """Calls `done` at the end of each outermost call of `owner.name`."""
    real = getattr(owner, name)
    depth = 0

    @functools.wraps(real)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        nonlocal depth
        depth += 1
        try:
            return real(*args, **kwargs)
        finally:
            depth -= 1
            if depth == 0:
                done()

    setattr(owner, name, wrapped)


def watch(unit: str, series: Series) -> None:
    if unit == "line":
        after(builtins, "print", series.cycle)
    elif unit == "epoch":
        from keras.src.callbacks.callback_list import CallbackList

        after(CallbackList, "on_epoch_end", series.cycle)
    elif unit == "call":
        from tensorflow.python.eager.polymorphic_function.polymorphic_function import Function

        after(Function, "__call__", series.cycle)
    else:
        from keras.src.backend.tensorflow.trainer import TensorFlowTrainer

        on_batch = ("train_on_batch", "test_on_batch", "predict_on_batch")
        for name in on_batch if unit == "on_batch" else (unit,):
            after(TensorFlowTrainer, name, series.cycle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("unit", choices=UNITS)
    parser.add_argument("--every", type=int, default=1, help="look at every so-manieth cycle only")
    parser.add_argument("--no-collect", action="store_true", help="leave garbage where it is")
    parser.add_argument("script")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    args = parser.parse_args()

    series = Series(args.every, not args.no_collect)
    watch(args.unit, series)
    sys.argv = [args.script, *args.args]
    sys.path[0] = os.path.dirname(os.path.abspath(args.script))
    try:
        runpy.run_path(args.script, run_name="__main__")
    finally:
        sizes = [size for _, size in series.points]
        print(*[f"{(b - a) / 1000:.0f}" for a, b in itertools.pairwise(sizes)], "kB", file=sys.stderr)
        print(f"{series.count} {args.unit}s, {series.slope():,.0f} B each", file=sys.stderr)


if __name__ == "__main__":
    main()
