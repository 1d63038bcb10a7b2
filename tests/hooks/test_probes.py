"""Counts of a framework's own things: exact, paced, and without anything kept alive. No framework needed."""

from __future__ import annotations

from hook_runner import Runner

ALIVE = """
import gc, weakref
from nilometer.hooks import alive, probes

class Odd:
    __slots__ = ("__weakref__", "other")
    def __hash__(self): raise AssertionError("asked for its hash")
    def __eq__(self, other): raise AssertionError("was compared")
    def __bool__(self): raise AssertionError("was asked whether it is true")
"""


def test_counts_go_up_and_down(run: Runner) -> None:
    program = ALIVE + (
        "things = [Odd() for _ in range(5)]\n"
        "for thing in things: alive.born(thing, 'odd'); alive.born(thing, 'odd')\n"
        "print(dict(alive.counts()), [weakref.getweakrefcount(t) for t in things])\n"
        "first = weakref.ref(things[0])\n"
        "del things[:2], thing\n"
        "print(dict(alive.counts()), first())\n"
        "a, b = things[:2]; a.other = b; b.other = a\n"
        "del things[:2], a, b\n"
        "print(dict(alive.counts())); gc.collect(); print(dict(alive.counts()))\n"
        "alive.born(5, 'numbers'); alive.born(6, 'numbers')\n"
        "for _ in range(3): alive.count('happened')\n"
        "print(dict(alive.counts()))\n"
    )
    ended = run(["-c", program])
    assert ended.stdout.splitlines() == [
        "{'odd': 5} [1, 1, 1, 1, 1]",
        "{'odd': 3} None",
        "{'odd': 3}",
        "{'odd': 1}",
        "{'odd': 1, 'numbers': 0, 'happened': 3}",
    ]
    assert (ended.stderr, ended.losses()) == ("", ["the count of numbers: TypeError"])


def test_a_full_count_says_so_once(run: Runner) -> None:
    program = ALIVE + (
        "alive._MAX_FOLLOWED = 3\n"
        "things = [Odd() for _ in range(5)]\n"
        "for thing in things: alive.born(thing, 'odd')\n"
        "print(dict(alive.counts()))\n"
    )
    ended = run(["-c", program])
    assert ended.stdout == "{'odd': 3}\n"
    assert ended.losses() == ["more than 3 odd: later ones are not counted"]


def test_objects_that_outlive_the_interpreter_print_nothing(run: Runner) -> None:
    program = ALIVE + (
        "class Box: pass\n"
        "box = Box(); box.me = box; alive.born(box, 'boxes')\n"
        "import builtins; builtins.kept = Odd(); alive.born(builtins.kept, 'odd')\n"
    )
    ended = run(["-c", program])
    assert (ended.code, ended.stderr) == (0, "")


def test_what_changed_is_said_once(run: Runner) -> None:
    program = (
        "import logging, nilometer\n"
        "from nilometer.hooks import probes\n"
        "probes._TIME_DIVISOR = 0\n"
        "before = len(logging._handlerList)\n"
        "kept = []\n"
        "for turn in range(4):\n"
        "    if turn % 2: kept.append(logging.StreamHandler())\n"
        "    nilometer.cycle()\n"
        "print(before)\n"
    )
    ended = run(["-c", program])
    before = int(ended.stdout)
    wanted = [count for count in (before, before + 1, before + 2) if count]
    assert ended.probes()["log_handlers"] == wanted
    assert ended.order("step") == ["step"] * 4
    # A cycle is said before what was looked at after it.
    assert next(call[0] for call in ended.calls if call[0] in ("cycle", "probe")) == "cycle"


def test_functions_for_the_end_are_counted(run: Runner) -> None:
    program = (
        "import atexit, nilometer\n"
        "from nilometer.hooks import probes\n"
        "probes._TIME_DIVISOR = 0\n"
        "before = atexit._ncallbacks()\n"
        "for turn in range(3):\n"
        "    atexit.register(len, 'x' * turn)\n"
        "    nilometer.cycle()\n"
        "print(before)\n"
    )
    ended = run(["-c", program])
    before = int(ended.stdout)
    assert ended.probes()["exit_functions"] == [before + 1, before + 2, before + 3]


def test_looks_are_put_off_by_what_they_cost(run: Runner) -> None:
    program = (
        "import nilometer\n"
        "from nilometer.hooks import probes\n"
        "now, looks = [0.0], []\n"
        "probes.monotonic = probes.thread_time = lambda: now[0]\n"
        "def dear(module):\n"
        "    looks.append(now[0]); now[0] += 0.001\n"
        "    return len(looks)\n"
        "cheap = probes._Row('cheap', 'sys', lambda module: looks.append(None) or 1)\n"
        "probes._rows[:] = [probes._Row('dear', 'sys', dear), cheap]\n"
        "for _ in range(1000):\n"
        "    now[0] += 0.01; nilometer.cycle()\n"
        "print(len([at for at in looks if at is not None]), len([at for at in looks if at is None]))\n"
    )
    dear, cheap = map(int, run(["-c", program]).stdout.split())
    # A millisecond each: one part in 5000 of ten seconds.
    assert dear == 2
    assert 900 < cheap <= 1000


def test_after_many_looks_they_are_further_apart(run: Runner) -> None:
    program = (
        "import nilometer\n"
        "from nilometer.hooks import probes\n"
        "now, looks = [0.0], []\n"
        "probes.monotonic = probes.thread_time = lambda: now[0]\n"
        "probes._rows[:] = [probes._Row('mine', 'sys', lambda module: looks.append(1) or len(looks))]\n"
        "for _ in range(3000):\n"
        "    now[0] += 0.001; nilometer.cycle()\n"
        "print(len(looks))\n"
    )
    assert 1024 + 6 <= int(run(["-c", program]).stdout) <= 1024 + 9


def test_a_count_that_fails_is_given_up(run: Runner) -> None:
    program = (
        "import nilometer\n"
        "from nilometer.hooks import probes\n"
        "probes._TIME_DIVISOR = 0\n"
        "tried = []\n"
        "def fails(module): tried.append(1); raise KeyError('gone')\n"
        "probes._rows.insert(0, probes._Row('mine', 'sys', fails))\n"
        "probes._rows.append(probes._Row('absent', 'no.such.module', fails))\n"
        "for _ in range(50): nilometer.cycle()\n"
        "print(len(tried))\n"
    )
    ended = run(["-c", program])
    assert ended.stdout == "8\n"
    assert ended.losses() == ["no count of mine in this version: KeyError"]
    assert {"mine", "absent"}.isdisjoint(ended.probes())


def test_shapes_of_what_is_passed(run: Runner) -> None:
    program = (
        "from nilometer.frameworks.keras.hooks.trainers import _see_batches as see_all\n"
        "from nilometer.frameworks.tensorflow import hooks\n"
        "from nilometer.hooks import shapes\n"
        "shapes.learn('EagerTensor', 'tensorflow.', hooks._shape)\n"
        "ndarray = type('ndarray', (), {'__module__': 'numpy', 'shape': (70, 4)})\n"
        "shaped = {'__module__': 'tensorflow.x', '_shape_tuple': lambda self: (5, 4)}\n"
        "EagerTensor = type('EagerTensor', (), shaped)\n"
        "Mine = type('Mine', (), {'shape': property(lambda self: 1 / 0)})\n"
        "counts = []\n"
        "def say(): counts.append(shapes.seen())\n"
        "shapes.see((ndarray(),)); shapes.see((ndarray(), 1)); say()\n"
        "shapes.see((EagerTensor(),)); say()\n"
        "shapes.see(()); shapes.see((Mine(),)); shapes.see(([1],)); say()\n"
        "see_all((ndarray(),), {}); say()\n"  # 32 rows, and a rest of 6
        "see_all((), {'x': ndarray(), 'batch_size': 35}); say()\n"  # two full ones
        "see_all((), {'x': Mine(), 'batch_size': 'many'}); say()\n"
        "print(counts)\n"
    )
    ended = run(["-c", program])
    assert (ended.stdout, ended.stderr) == ("[1, 2, 2, 4, 5, 5]\n", "")


def test_compilations_of_jax_are_said_when_they_happen(run: Runner) -> None:
    """Without a cycle of ours, and without a tick: those are rare once printed lines are the cycles."""
    program = (
        "import types\n"
        "from nilometer.frameworks.jax import hooks as jax\n"
        "from nilometer.hooks import probes\n"
        "probes._TIME_DIVISOR = 0\n"
        "heard = []\n"
        "jax.install('jax', types.SimpleNamespace(register_event_duration_secs_listener=heard.append))\n"
        "for turn in range(3):\n"
        "    heard[0](jax._COMPILED, 0.1)\n"
        "    heard[0]('/jax/another', 0.1)\n"
    )
    assert run(["-c", program]).probes()["jax_compiles"] == [1, 2, 3]
