"""Says in words how the arguments of one trace differ from those of the trace before.

In: what `signature.parts` made of both. Out: `argument 'step' was 17, before 16 (a Python int)`.
Never: more than two of many differences, or an address.
"""

from __future__ import annotations

from nilometer.hooks.signature import GROUP, NONE, OBJECT, SCALAR, TENSOR, Part, Parts

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
    more = len(names) - len(said)
    return "; ".join(said) + (f"; and {more} more" if more > 0 else "")


def of_methods(now: Parts) -> str:
    """What to say where nothing differs: the address of a method that is gone may have been used again."""
    names = [name for name, part in now.items() if part[0] == OBJECT and part[1] == _METHOD]
    return "; ".join(f"argument '{name}' was another {_METHOD}" for name in names[:_MAX_DIFFERENCES])


def _is_group(part: Part | None) -> bool:
    return part is not None and part[0] == GROUP


def _of(name: str, now: Part | None, before: Part | None) -> str:
    what = f"argument '{name}'"
    if now is not None and before is not None and now[0] == before[0]:
        if now[0] == TENSOR:
            if now[1] != before[1]:
                return f"{what} had shape {now[1]}, before {before[1]}"
            return f"{what} had dtype {now[2]}, before {before[2]}"
        if now[0] == SCALAR and now[2] == before[2]:
            return f"{what} was {now[1]}, before {before[1]} (a Python {now[2]})"
        if now[0] == OBJECT and now[1] == before[1]:
            return f"{what} was another {now[1]}"
    return f"{what} was {_phrase(now)}, before {_phrase(before)}"


def _phrase(part: Part | None) -> str:
    if part is None:
        return "not given"
    kind = part[0]
    if kind == TENSOR:
        return f"a tensor of shape {part[1]} and dtype {part[2]}"
    if kind == SCALAR:
        return f"{part[1]} (a Python {part[2]})"
    if kind == NONE:
        return "None"
    if kind == GROUP:
        return f"a {part[1]} of {part[2]}"
    return f"a {part[1]}"
