"""Callbacks whose base class is the framework's, which is known when one is made, and not before.

In: where frameworks have their class of callbacks. Out: objects that are callbacks of every one of these
frameworks that the program has imported by then (`keras` and `tf_keras` may both be).
Never: an import of a framework that the program did not import.
"""

from __future__ import annotations

import importlib
import operator
import sys
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from nilometer.training import words

_Callback = TypeVar("_Callback", bound="LateCallback")


class LateCallback:
    """A callback of a framework that is imported already. Raises `ImportError` where none is."""

    # Modules, and the name of the class in each; who they are, in an error.
    _roots: ClassVar[dict[str, str]]
    _framework: ClassVar[str]
    # What belongs to one training: a copy begins without it.
    _of_a_training: ClassVar[frozenset[str]] = frozenset()

    def __new__(cls: type[_Callback], *args: object, **kwargs: object) -> _Callback:
        return object.__new__(_joined(cls))

    def __reduce__(self) -> tuple[Any, ...]:
        declared, modules = type(self)._declared_with  # type: ignore[attr-defined]
        kept = {name: value for name, value in vars(self).items() if name not in self._of_a_training}
        return _again, (declared, modules), kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__init__()  # the framework's
        vars(self).update(kept)
        self._begin_anew()

    if TYPE_CHECKING:

        def _begin_anew(self) -> None:
            """Makes what belongs to a training, for a copy too. Each callback has its own."""


def _joined(declared: type[_Callback]) -> type[_Callback]:
    """The class as declared, and below it those of the frameworks."""
    if "_declared_with" in vars(declared):
        return declared
    found = {
        name: base for name in declared._roots if (base := _base(name, declared._roots[name])) is not None
    }
    if not found:
        names = " or ".join(declared._roots)
        callback = f"{declared.__module__}.{declared.__name__}"
        raise ImportError(words.not_imported(callback, declared._framework, names))
    modules = tuple(found)
    made: dict[tuple[str, ...], type[_Callback]] = vars(declared).get("_made", {})
    if modules not in made:
        names_of_it = {
            "__module__": declared.__module__,
            "__qualname__": declared.__qualname__,
            "__doc__": declared.__doc__,
            "_declared_with": (declared, modules),
        }
        made[modules] = type(declared.__name__, (declared, *found.values()), names_of_it)
        declared._made = made  # type: ignore[attr-defined]
    return made[modules]


def _base(name: str, path: str) -> type | None:
    """The framework's class of callbacks, if the framework has been imported."""
    module = sys.modules.get(name)
    try:
        return None if module is None else cast("type", operator.attrgetter(path)(module))
    except AttributeError:  # in the middle of its import
        return None


def _again(declared: type[_Callback], modules: tuple[str, ...]) -> _Callback:
    """A copy, perhaps in another process, which has none of the modules yet."""
    for name in modules:
        importlib.import_module(name)
    return declared.__new__(declared)
