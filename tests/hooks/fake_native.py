"""Stands in for the native module: writes each call as JSON to the file that FAKE_NATIVE_LOG names."""

import os
from _thread import get_ident

_log = None
_fork = False


def _tell(*call):
    if _log is not None:
        values = ", ".join(
            str(v) if isinstance(v, int) else '"' + str(v).replace('"', "'") + '"' for v in call
        )
        os.write(_log, f"[{values}]\n".encode())


def start(path):
    global _log
    name = os.environ.get("FAKE_NATIVE_LOG")
    if os.environ.get("FAKE_NATIVE_REFUSES"):
        return False
    if name:
        _log = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.set_inheritable(_log, False)
    _tell("start", path)
    return True


def start_child(path, run):
    return start(path)


def cycle(unit):
    _tell("cycle", unit, get_ident())


def cycle_of(unit, name):
    _tell("cycle", unit, get_ident(), name)


def served(method, place, is_route):
    _tell("cycle", 11, get_ident(), f"{method} {place}", int(is_route))


def census():
    _tell("census")


def watch_printed():
    return True


def line(text):
    _tell("line", text)


def turn(key, place):
    _tell("turn", key, place)


def turns(key, place, count):
    _tell("turns", key, place, count)


def know_iterators(samples):
    return 0


def place_of(frame, inner, is_outermost):
    return False


def at_ticks(call):
    pass


def read_now():
    return None


def phase_begin(name, is_part=False):
    _tell("phase_begin", name, get_ident())


def phase_end(name, is_part=False):
    _tell("phase_end", name, get_ident())


def importing(begins):
    _tell("importing", int(begins), get_ident())


def step():
    _tell("step")


def fact(key, value):
    _tell("fact", key, value)


def know_code(standard, ours, own):
    if own:
        _tell("know_code", own)


def frameworks():
    return ["keras", "numpy"]


def learn_module(name, file):
    pass


def is_users(file):
    others = ("<frozen", "/site-packages/", "/lib/python3", "/nilometer/", "__autograph_generated_file")
    return not any(part in file for part in others)


def probe(name, value):
    _tell("probe", name, value)


def trace(function, place, nth, why, caller):
    _tell("trace", function, *place, nth, why, *caller)


def child(pid, role):
    _tell("child", pid, role)


def lost(what):
    _tell("lost", what)


def before_fork():
    _tell("before_fork")


def after_fork_parent():
    _tell("after_fork_parent")


def after_fork_child():
    global _log
    _tell("after_fork_child")
    _log = None


def follow_forks(template, run, command):
    return False


def wait_after_fork():
    pass


def is_recording():
    return _log is not None


def code_ended() -> None:
    pass


def before_exit():
    _tell("before_exit")


def before_exit_collection():
    _tell("before_exit_collection")


def after_exit_collection():
    _tell("after_exit_collection")


class Import:
    """As the real one, which has no frame in a traceback."""

    def __init__(self, original, before, after):
        self.original, self.before, self.after = original, before, after

    def __call__(self, module):
        self.before()
        imported = False
        try:
            self.original(module)
            imported = True
        except BaseException as error:
            BaseException.with_traceback(error, error.__traceback__.tb_next)
            raise
        finally:
            self.after(module, imported)
