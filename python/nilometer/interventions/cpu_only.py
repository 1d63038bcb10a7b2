"""On the CPU only.

What: the frameworks see no GPU.
How: the variables they ask for devices name none.
Proves: the memory belongs to work for the device: pinned buffers, copies between the two, the driver.
"""

from __future__ import annotations

import os

from nilometer.interventions import acted


def install(_: str) -> None:
    """Hides all GPUs."""
    os.environ.update(CUDA_VISIBLE_DEVICES="-1", HIP_VISIBLE_DEVICES="-1", JAX_PLATFORMS="cpu")
    acted("cpu-only")
