"""What the hook on Keras' training step costs: nanoseconds per step with it and without, in one process.

Started without nilometer it starts itself again under `nilometer run`. There it times the two batch methods
of `CallbackList` as every training step calls them, wrapped and as Keras wrote them, in turn.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

STEPS = 50_000
ROUNDS = 21

Method = Callable[..., Any]


def main() -> None:
    from keras.callbacks import CallbackList

    begin, end = CallbackList.on_train_batch_begin, CallbackList.on_train_batch_end
    if not (hasattr(begin, "__wrapped__") and hasattr(end, "__wrapped__")):
        if os.environ.get("BENCH_STEP_COST"):
            sys.exit("the hooks are not in place under nilometer run: nothing to measure")
        again()
    callbacks = CallbackList(add_history=True)
    plain, hooked = [], []
    for _ in range(ROUNDS):
        plain.append(nanoseconds_per_step(begin.__wrapped__, end.__wrapped__, callbacks))
        hooked.append(nanoseconds_per_step(begin, end, callbacks))
    more = [ours - base for ours, base in zip(hooked, plain, strict=True)]
    for name, values in (("without", plain), ("with", hooked), ("difference", more)):
        print(f"{name:<11} {statistics.median(values):7.0f} ns per step (least {min(values):.0f})")


def again() -> None:
    """Goes on as this script under `nilometer run`; does not return."""
    os.environ["BENCH_STEP_COST"] = "1"
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        command = [sys.executable, "-m", "nilometer", "run", "-o", f"{folder}/x.nilo", __file__]
        code = os.spawnv(os.P_WAIT, sys.executable, command)
    sys.exit(code)


def nanoseconds_per_step(begin: Method, end: Method, callbacks: object) -> float:
    started = time.perf_counter_ns()
    for batch in range(STEPS):
        begin(callbacks, batch)
        end(callbacks, batch)
    return (time.perf_counter_ns() - started) / STEPS


if __name__ == "__main__":
    main()
