"""What happens when the program ends by itself: last facts, last readings, around the shutdown collection.

In: the interpreter's exit handlers. Out: a reading before shutdown, and one before and one after Python's own
full collection, which tell garbage that waited from memory that is held. Between the first two the
interpreter lets go of its exit handlers: what they kept is no garbage.
Never: a collection of our own (it would hide a sawtooth), output, or work in a forked child.
"""

from __future__ import annotations

import atexit
import gc
import sys

from nilometer import _native
from nilometer.hooks import code, facts, finder, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def register() -> None:
    """Registers the exit handler; to be called before the program can register any."""
    atexit.register(_at_exit)


def forget() -> None:
    """After a fork, in the child: its end is not the end of the program."""
    atexit.unregister(_at_exit)


def _at_exit() -> None:
    # A forked child that was not recorded: its end is not the end of the program.
    if not _native.is_recording():
        _native.before_exit()
        return
    say_last()
    _native.before_exit()
    gc.callbacks.append(_last_collection())


def say_last() -> None:
    """Says what is known only at the end of a recording."""
    try:
        facts.say_versions()
        code.look()
        marks.say_left_out()
        finder.say_missed()
        unhandled = getattr(sys, "last_type", None)
        if isinstance(unhandled, type):
            _native.fact("exit.exception", unhandled.__name__)
    except Exception:
        _native.lost("facts at exit")


def _last_collection() -> Callable[[str, dict[str, int]], None]:
    """A callback that tells the next full collection, once.

    It needs no global name: a later collection may call it after this module was cleared. It stays in the
    list: taking itself out while the interpreter walks it would skip the program's next callback.
    """
    waiting = [_native.after_exit_collection, _native.before_exit_collection]
    moments = ("stop", "start")

    def tell(moment: str, info: dict[str, int]) -> None:
        if waiting and moment == moments[len(waiting) - 1] and info.get("generation") == 2:
            waiting.pop()()

    return tell
