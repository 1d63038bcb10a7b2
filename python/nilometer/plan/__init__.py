"""The part of `nilometer plan` inside the program: a `fit` at a part of its batch, ended after a few steps.

In: a line that says which part of the batch, and how many steps. Out: facts in the capture: for each `fit`
its peak, its batch, and what can be counted exactly; and the peak of the program outside of `fit`.
Never: an exception into the program, an import of a framework, or a `fit` changed whose data come batched.

The framework's own `plan` changes and ends each `fit`, and counts; `memory` reads.
"""

from __future__ import annotations

from nilometer import frameworks
from nilometer.frameworks import trials


def install(value: str) -> None:
    """`value`: divisor of the batch, the batch or 0 for the program's own, steps; with spaces between."""
    divisor, batch, steps = (int(word) for word in value.split())
    for file in trials.PLANS:
        frameworks.load(file).install(divisor, batch, steps)
