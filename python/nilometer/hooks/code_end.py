"""The end of the program's own code, while what exit handlers let go of is still kept.

In: the module `threading`, whose shutdown Python calls before all exit handlers. Out: a look at the heap, if
its growth is worth one.
Never: a look while threads of the program go on that are no daemons: then its code has not ended.
"""

from __future__ import annotations

from nilometer import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def install(name: str, module: ModuleType) -> None:
    """Registers the look; the handlers of thread pools, which are registered later, run before it."""

    def code_ends() -> None:
        try:
            main = module.main_thread()
            if not any(thread is not main and not thread.daemon for thread in module.enumerate()):
                _native.code_ended()
        except Exception as error:
            _say(error)

    module._register_atexit(code_ends)


def _say(error: Exception) -> None:
    try:
        from nilometer.hooks import words

        _native.lost(words.no_last_look(error))
    except Exception:
        # Python would print it, and not run the handlers that wait.
        pass
