"""What there would be to change in trainings of Keras.

In: the arguments of `fit` and `compile`. Out: facts: callbacks, kind of data, validation, workers, eagerness.
Never: a batch taken, or an argument changed.
"""

from __future__ import annotations

from nilometer.frameworks.keras import places
from nilometer.frameworks.keras.interventions._callbacks import flat
from nilometer.frameworks.keras.interventions._data import kind_of
from nilometer.frameworks.keras.interventions._roots import roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any


def install(say: Callable[..., None]) -> None:
    """Looks from now on; `say(key)` or `say(key, value)` states a fact."""

    def compiled(_: Any, arguments: dict[str, Any]) -> None:
        if arguments.get("run_eagerly"):
            say("eager")

    places.on_fit(lambda model, arguments: _fit(say, model, arguments))
    places.on_compile(compiled)


def _fit(say: Callable[..., None], model: Any, arguments: dict[str, Any]) -> None:
    roots(model, arguments)
    callbacks = arguments.get("callbacks")
    for callback in flat(getattr(callbacks, "callbacks", callbacks)):
        say(f"callback.{type(callback).__name__}", _span(type(callback)))
    if arguments.get("validation_data") is not None or arguments.get("validation_split"):
        say("validation")
    data = arguments.get("x")
    say(f"data.{kind_of(data)}")
    if getattr(data, "workers", 0) or arguments.get("workers", 0) or arguments.get("use_multiprocessing"):
        say("workers")


def _span(kind: type) -> str:
    """The file of a class and the lines of its methods: `/a/b.py:10-40`. Empty if it has none."""
    codes = [function.__code__ for function in vars(kind).values() if hasattr(function, "__code__")]
    if not codes:
        return ""
    first = min(code.co_firstlineno for code in codes)
    return f"{codes[0].co_filename}:{first}-{max(map(_last_line, codes))}"


def _last_line(code: CodeType) -> int:
    inner = [_last_line(const) for const in code.co_consts if isinstance(const, type(code))]
    return max([line for _, _, line in code.co_lines() if line is not None] + inner + [code.co_firstlineno])
