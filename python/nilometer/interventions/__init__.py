"""Interventions: one change each, put into a program that `nilometer prove` runs, to see whether its growth
ends.

In: the lines of the private variable that `nilometer prove` gave this process. Out: a program that is run
as ever but for the changes asked for, cut short after enough epochs, and that cannot write outside of its
scratch folder.
Never: anything in a program that `nilometer run` runs; a change beyond the one that the intervention
names.

One file per intervention, called as the intervention is with `_` for `-`; each has `install(argument)`,
and its docstring says what it changes, how, and what it would prove if the growth ended. Those of a framework
lie in `interventions` of its folder. Files that begin with `_` are what they stand on.
"""

from __future__ import annotations

from nilometer import _native, frameworks
from nilometer.frameworks import trials
from nilometer.interventions import _cycles, _fence

SURVEY = "survey"


def begin(trial: str) -> None:
    """Puts in what `trial` asks for: lines of a word and its value."""
    lines = [line.split(" ", 1) for line in trial.splitlines() if " " in line]
    _cycles.begin()
    for word, value in lines:
        try:
            if word == "stop":
                for file in trials.STOPS:
                    frameworks.load(file).install(value)
            elif word == "try":
                install(value)
            elif word == "plan":
                from nilometer import plan

                plan.install(value)
        except Exception as error:
            _native.lost(f"{word} {value}: {type(error).__name__}: {error}")
    # Last: it would refuse nothing of the above, but its ear for file names is the slowest part.
    allowed = [value for word, value in lines if word == "allow"]
    if allowed:
        _fence.install(allowed)


def install(intervention: str) -> None:
    """Puts in one intervention, `name` or `name:argument`."""
    name, _, argument = intervention.partition(":")
    file = trials.INTERVENTIONS.get(name, f"interventions.{name.replace('-', '_')}")
    frameworks.load(file).install(argument)


_acted: set[str] = set()


def acted(intervention: str) -> None:
    """Says, the first time, that an intervention found something to change."""
    if intervention not in _acted:
        _acted.add(intervention)
        _native.fact(f"prove.acted.{intervention}", "1")
