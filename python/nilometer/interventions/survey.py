"""No change: looks at what there would be to change, in the first run of a proof.

What: says which callbacks `fit` is given, what kind of data, whether it validates, caches, shuffles, has
workers, runs eagerly, whether the collector is off. What is not there need not be taken out.
How: looks at the arguments of `fit` and `compile`.
Proves: nothing; it saves experiments.
"""

from __future__ import annotations

import gc
import sys

from nilometer import _native
from nilometer.hooks.wrapping import replace
from nilometer.interventions import _containers, _cycles, _eagerness, _keras, bounded, plain_pipeline
from nilometer.interventions._callbacks import flat
from nilometer.interventions._data import kind_of
from nilometer.interventions._imports import after_import

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

_said: set[str] = set()


def install(_: str) -> None:
    """Looks from now on."""
    _keras.on_fit(_fit)
    _keras.on_compile(_compile)
    after_import(plain_pipeline.MODULE, _pipeline)
    after_import(_eagerness.MODULE, _eager)
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


def _fit(model: Any, arguments: dict[str, Any]) -> None:
    bounded.roots(model, arguments)
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


def _compile(_: Any, arguments: dict[str, Any]) -> None:
    if arguments.get("run_eagerly"):
        say("eager")


def _pipeline(module: ModuleType) -> None:
    def maker(name: str) -> Any:
        def make(original: Any) -> Any:
            def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
                # Keras' own adapters call them too; that is not the program's pipeline.
                if "/keras/" not in sys._getframe(1).f_code.co_filename:
                    say(f"pipeline.{name}")
                return original(self, *args, **kwargs)

            return method

        return make

    for name in plain_pipeline.METHODS:
        replace(module.DatasetV2, name, maker(name))


def _eager(module: ModuleType) -> None:
    def make(original: Any) -> Any:
        def run_functions_eagerly(run_eagerly: bool) -> Any:
            if run_eagerly:
                say("eager")
            return original(run_eagerly)

        return run_functions_eagerly

    replace(module, "run_functions_eagerly", make)
