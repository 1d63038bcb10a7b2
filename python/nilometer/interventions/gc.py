"""A full collection at the end of each cycle.

What: Python's collector looks at everything once per cycle, also where the program switched it off.
How: `gc.collect()` before each cycle is counted.
Proves: the growth is garbage in cycles of references, which the collector would free if it came; or, if
it was switched off or its objects were frozen, that it does not come.
"""

from __future__ import annotations

import gc as collector

from nilometer.interventions import acted
from nilometer.interventions._cycles import before_cycle


def install(_: str) -> None:
    """Collects before each cycle is counted."""
    before_cycle(_collect)


def _collect() -> None:
    if collector.get_freeze_count():
        collector.unfreeze()
    collector.collect()
    acted("gc")
