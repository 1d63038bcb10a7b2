"""No change: looks at what there would be to change, in the first run of a proof.

What: says which callbacks `fit` is given, what kind of data, whether it validates, caches, shuffles, has
workers, runs eagerly, whether the collector is off. What is not there need not be taken out.
How: each framework's `_survey` looks at the arguments of its calls; cycles and the collector are seen here.
Proves: nothing; it saves experiments.
"""

from __future__ import annotations

import gc

from nilometer import _native, frameworks
from nilometer.frameworks import trials
from nilometer.interventions import _containers, _cycles

_said: set[str] = set()


def install(_: str) -> None:
    """Looks from now on."""
    for file in trials.SURVEYS:
        frameworks.load(file).install(say)
    _cycles.before_cycle(_cycle, paced=False)  # it paces itself


def say(key: str, value: str = "1") -> None:
    """States a fact, once."""
    if key not in _said:
        _said.add(key)
        _native.fact(f"prove.{key}", value)


def _cycle() -> None:
    if not gc.isenabled() or gc.get_freeze_count():
        say("collector_off")
    _containers.look()
