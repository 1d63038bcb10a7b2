"""On the CPU only.

What: the frameworks see no GPU.
How: the variables they ask for devices name none.
Proves: the memory belongs to work for the device: pinned buffers, copies between the two, the driver.
"""

from __future__ import annotations

import os

from nilometer.frameworks import trials
from nilometer.interventions import acted


def install(_: str) -> None:
    """Hides all GPUs."""
    os.environ.update(trials.NO_DEVICES)
    acted("cpu-only")
