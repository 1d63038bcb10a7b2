"""Runs in a program that `nilometer attach` came to: begins or ends the recording, and says what came of it.

In: the words of `_begin(...)` or `_end(...)`, which the command adds as the last line. Out: a recording, and
the file `answer` with `ok`, `interrupted` or the reason why not.
Never: an exception, a word on the program's screen, a name in `__main__` (this text has a namespace of its
own), a Ctrl-C of the user's that gets lost, or a signal mask that stays.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV: what the thread itself causes is not to wait.
_OWN_FAULTS = {4, 5, 6, 7, 8, 11}


def _begin(
    answer: str, package: str, capture: str, recorder: "tuple[str, str] | None", own: str = ""
) -> None:
    def work() -> str:
        _load_package(package)
        from nilometer import _late

        return _late.join(capture, recorder, own) or "ok"

    _answer(answer, work)


def _end(answer: str) -> None:
    def work() -> str:
        if "nilometer" in sys.modules:
            from nilometer import _late

            _late.stop()
        return "ok"

    _answer(answer, work)


def _answer(path: str, work: "Callable[[], str]") -> None:
    """Does the work while the signals of this thread wait, and writes down what it gave."""
    import _thread
    import posix

    signal = sys.modules.get("_signal")
    before: Any = None
    was_interrupted = False
    try:
        if signal is not None:
            waiting = signal.valid_signals() - _OWN_FAULTS
            before = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
        said = work()
    except KeyboardInterrupt:
        # It came by another thread, and was meant for the program.
        was_interrupted = True
        said = "interrupted"
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    try:
        with open(path + ".part", "wb") as file:
            file.write(said.encode("utf-8", "replace"))
        posix.rename(path + ".part", path)
    except OSError:
        # The command has given up and taken its folder away.
        pass
    finally:
        if before is not None and signal is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if was_interrupted:
            _thread.interrupt_main()


def _load_package(folder: str) -> None:
    """Imports `nilometer` from `folder` itself, whatever `sys.path` says, as `sitecustomize` does."""
    if "nilometer" in sys.modules:
        return
    import _frozen_importlib as importing
    import _frozen_importlib_external as files

    spec: Any = files.spec_from_file_location(
        "nilometer", folder + "/__init__.py", submodule_search_locations=[folder]
    )
    module = importing.module_from_spec(spec)
    sys.modules["nilometer"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop("nilometer", None)
        raise
