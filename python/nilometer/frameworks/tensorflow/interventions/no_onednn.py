"""Without oneDNN, the library that many of TensorFlow's CPU kernels come from.

What: TensorFlow uses its own kernels.
How: the variable that TensorFlow asks for it says 0.
Proves: the memory is oneDNN's cache of prepared operations: it keeps one for every shape of batch it
meets.
"""

from __future__ import annotations

import os

from nilometer.interventions import acted


def install(_: str) -> None:
    """Switches oneDNN off."""
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    acted("no-onednn")
