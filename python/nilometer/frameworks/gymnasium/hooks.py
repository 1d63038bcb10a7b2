"""Episodes of a Gymnasium environment: from one `reset` to the next.

In: the module that has `Env` and `Wrapper`. Out: one cycle per reset of an environment but its first.
Never: more than one cycle for the resets that wrappers hand down to each other.
"""

from __future__ import annotations

from _thread import _local
from _weakref import ref

from nilometer.hooks import marks, probes
from nilometer.hooks.wrapping import forget_frame, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any


class _Thread(_local):
    resetting = False


class _Begun(ref):  # type: ignore[type-arg]
    __slots__ = ("home", "key")

    home: dict[int, _Begun]
    key: int


_thread = _Thread()
# The environments that were reset, by address: an environment's own comparison is not asked.
_begun: dict[int, _Begun] = {}


def install(name: str, module: ModuleType) -> None:
    """Wraps `reset` where an environment and its wrappers end up: whichever is reached first counts."""
    replace(module.Env, "reset", _reset)
    replace(module.Wrapper, "reset", _reset)


def _reset(original: Any) -> Any:
    def reset(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if _thread.resetting:
            try:
                return original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
        _thread.resetting = True
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            forget_frame(error)
            raise
        finally:
            _thread.resetting = False
            if _was_begun(self):
                probes.cycle(marks.EPISODE)

    return reset


def _was_begun(env: Any) -> bool:
    try:
        key = id(env)
        known = _begun.get(key)
        if known is not None and known() is env:
            return True
        mark = _Begun(env, _gone)
        mark.home = _begun
        mark.key = key
        _begun[key] = mark
    except TypeError:
        pass  # a class without weak references: its episodes are not seen
    return False


def _gone(mark: Any) -> None:
    if mark.home.get(mark.key) is mark:
        del mark.home[mark.key]
