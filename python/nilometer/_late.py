"""Starts and stops a recording in a program that runs already: the one door for all who come late.

In: a capture that somebody outside made, or the path of one to be made here. Out: the same recording as under
`nilometer run`, for as long as it is wanted; with the recorder, if its library is given.
Never: an exception into the program; a second recording beside one that runs; a hook left in place.
What was there before is not known: blocks from before the start are in no sample.
"""

from __future__ import annotations

import os
import sys

from nilometer import _ending, _hooking, _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_forks_are_heard = False
_is_own = False


def is_own() -> bool:
    """Whether the recording that runs was made here: whoever made it may stop it."""
    return _is_own


def join(capture: str, recorder: tuple[str, str] | None = None, own: str = "") -> str | None:
    """Records into a capture that is there; otherwise says why not.

    `recorder` is the recorder's library and what it is told, as `_NILOMETER_RECORDER` has it. `own` names
    installed packages that are the user's own, beside those of `NILOMETER_OWN`.
    """
    if _native.is_recording():
        from nilometer import _words

        return _words.RECORDED_ALREADY
    if not _native.start(capture):
        from nilometer import _words

        return _words.not_joined(capture)
    _began(capture, recorder, own)
    return None


def make(
    capture: str,
    facts: Mapping[str, str],
    overwrite: bool = False,
    pause_ms: int | None = 150,
    recorder: tuple[str, str] | None = None,
) -> str | None:
    """Makes the capture and records into it; otherwise says why not. `facts` say what the program is."""
    global _is_own
    refusal = _native.make(capture, overwrite, pause_ms)
    if refusal is not None:
        return refusal
    _is_own = True
    for key, value in facts.items():
        _native.fact(key, value)
    _began(capture, recorder)
    return None


def stop(look: bool = True) -> None:
    """Ends the recording, takes the hooks out, and leaves the program as it was. Nothing if there is none.

    `look`: a last look and a last reading are taken.
    """
    global _is_own
    if not _native.is_recording():
        return
    _is_own = False
    _native.stop_recorder()
    _hooking.unhook()
    _ending.say_last()
    _native.stop(look)
    _ending.forget()
    _hooking.forget()


def _began(capture: str, recorder: tuple[str, str] | None, own: str = "") -> None:
    global _forks_are_heard
    _native.fact("python.version", ".".join(map(str, sys.version_info[:3])))
    _ending.register()
    if not _forks_are_heard:
        _forks_are_heard = True
        os.register_at_fork(
            before=_native.before_fork, after_in_parent=_native.after_fork_parent, after_in_child=_leave
        )
    _hooking.hook(os.path.abspath(capture), f"{own},{os.environ.get('NILOMETER_OWN', '')}")
    _native.fact("recorder", _recorder_state(capture, recorder))


def _recorder_state(capture: str, recorder: tuple[str, str] | None) -> str:
    """Loads the recorder if it is wanted; whether it records, as the report says it."""
    if recorder is None:
        from nilometer import _words

        return _words.NO_RECORDER
    library, settings = recorder
    refusal = _native.start_recorder(library, os.path.abspath(capture), settings)
    return "on" if refusal is None else f"off: {refusal}"


def _leave() -> None:
    """After a fork, in the child: the recording is the parent's."""
    _ending.forget()
    _native.after_fork_child()
