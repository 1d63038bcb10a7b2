"""Turns JSON into frozen dataclasses, by their annotations.

In: a dataclass whose fields are named as in `docs/report.schema.json`, and an object of it. Out: an instance.
Keys that no field is named after are left out, so that a report with more in it can still be read. What must
not happen here: a value changed on the way.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

_Made = TypeVar("_Made")
_Reader = Callable[[Any], Any]


def build(kind: type[_Made], data: Mapping[str, Any], **more: object) -> _Made:
    """An instance of `kind` from the keys of `data` that it has fields for, and from `more`."""
    readers = _readers(typing.cast("Any", kind))
    known = {name: read(data[name]) for name, read in readers.items() if name in data}
    return kind(**known, **more)


@functools.cache
def _readers(kind: type[Any]) -> dict[str, _Reader]:
    """How each public field is read."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: _reader(hints[field.name]) for field in fields(kind) if not field.name.startswith("_")
    }


def _reader(hint: Any) -> _Reader:
    """How a value of this annotation is read: as it is, unless a dataclass is somewhere in it."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        inner = _reader(next(part for part in parts if part is not type(None)))
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        element = _reader(parts[0])
        return lambda values: tuple(element(value) for value in values)
    if is_dataclass(hint):
        made: type[Any] = typing.cast("type[Any]", hint)
        return lambda value: build(made, value)
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value
