"""Says in words how the arguments of one trace differ from those of the trace before.

In: what a framework's hooks made of both. Out: `argument 'step' was 17, before 16 (a Python int)`.
Never: more than two of many differences, or an address.
"""

from __future__ import annotations

from nilometer.hooks import words
from nilometer.hooks.parts import GROUP, NONE, OBJECT, SCALAR, TENSOR, Part, Parts

_MAX_DIFFERENCES = 2
# Each look at a bound method makes another object of it.
_METHOD = "method"


def difference(now: Parts, before: Parts) -> str:
    """What differs, or nothing if nothing does."""
    names = [name for name in (*now, *(name for name in before if name not in now))
             if now.get(name) != before.get(name)]  # fmt: skip
    # Where a container has other members, those need no word of their own.
    groups = [name for name in names if _is_group(now.get(name)) or _is_group(before.get(name))]
    names = [name for name in names if not any(name != group and name.startswith(group) for group in groups)]
    said = [_of(name, now.get(name), before.get(name)) for name in names[:_MAX_DIFFERENCES]]
    return words.together(said, len(names) - len(said))


def of_methods(now: Parts) -> str:
    """What to say where nothing differs: the address of a method that is gone may have been used again."""
    names = [name for name, part in now.items() if part[0] == OBJECT and part[1] == _METHOD]
    return words.together([words.was_another(name, _METHOD) for name in names[:_MAX_DIFFERENCES]], 0)


def _is_group(part: Part | None) -> bool:
    return part is not None and part[0] == GROUP


def _of(name: str, now: Part | None, before: Part | None) -> str:
    if now is not None and before is not None and now[0] == before[0]:
        if now[0] == TENSOR:
            if now[1] != before[1]:
                return words.had(name, "shape", now[1], before[1])
            return words.had(name, "dtype", now[2], before[2])
        if now[0] == SCALAR and now[2] == before[2]:
            return words.was_number(name, now[1], before[1], now[2])
        if now[0] == OBJECT and now[1] == before[1]:
            return words.was_another(name, now[1])
    return words.was(name, _phrase(now), _phrase(before))


def _phrase(part: Part | None) -> str:
    if part is None:
        return words.NOT_GIVEN
    kind = part[0]
    if kind == TENSOR:
        return words.tensor(part[1], part[2])
    if kind == SCALAR:
        return words.number(part[1], part[2])
    if kind == NONE:
        return "None"
    if kind == GROUP:
        return words.group(part[1], part[2])
    return words.thing(part[1])
