"""Loops that look at themselves: what was told are the turns that are over. `turns.py NAME` runs one."""

import contextlib
import gc
import itertools
import sys
import threading
import weakref

from nilometer import _native
from nilometer.hooks import positions

told = []
lost = []
_native.turns = lambda key, place, count: told.append((key, place, count))
_native.lost = lost.append
assert _native.know_iterators(positions._samples()) == 12
positions._HOT_TURNS = 10**9


def over(turns):
    """Looks; so many turns of this loop are over."""
    positions.look()
    counted = sum(count for key, _, count in told if positions._loop and key == positions._loop.key)
    assert counted == turns, (counted, turns)


def nested():
    for outer in range(20):
        over(outer)
        for _ in range(outer):
            over(outer)
            for _ in [1, 2]:
                over(outer)


def kinds():
    for turn in range(30):
        over(turn)
    for turn, _ in zip(range(30), reversed(range(30)), strict=False):
        over(turn)
    turns = itertools.count()
    for _ in list(range(30)):
        over(next(turns))
    turns = itertools.count()
    for _ in tuple(range(30)):
        over(next(turns))
    turns = itertools.count()
    for _ in "x" * 30:
        over(next(turns))
    turns = itertools.count()
    for _ in dict.fromkeys(range(30)).items():
        over(next(turns))
    turns = itertools.count()
    for _ in set(range(30)):
        over(next(turns))
    turns = itertools.count()
    for _ in reversed(list(range(30))):
        over(next(turns))
    assert len({key for key, _, _ in told}) == 8


def generator():
    def batches():
        for batch in range(20):
            # Between two turns: the last one is over.
            over(batch)
            yield batch

    for turn, _ in enumerate(batches(), start=5):
        over(turn - 5)


def leaves():
    """A loop that is left at its fifth turn, and begun again by another call."""

    def part():
        for turn in range(20):
            over(turn)
            if turn == 5:
                break
        before = len(told)
        positions.look()
        assert len(told) == before

    part()
    part()
    assert len({key for key, _, _ in told}) == 2


def guarded():
    with open(sys.argv[0]), contextlib.nullcontext():
        try:
            for turn in range(30):
                try:
                    over(turn)
                    with open(sys.argv[0]):
                        over(turn)
                        if turn % 2:
                            raise KeyError
                except KeyError:
                    over(turn)
                    continue
                finally:
                    over(turn)
        finally:
            pass


def called():
    """By keywords, with a star, as a method; a decorator in between."""

    def loop(first, *_, **__):
        for turn in range(first):
            over(turn)

    def decorated(*args, **options):
        return loop(*args, **options)

    class Trainer:
        def fit(self):
            loop(20)

    decorated(20, 1, name=2)
    loop(first=20)
    Trainer().fit()
    assert len({key for key, _, _ in told}) == 3


def recursion():
    def down(depth):
        for _ in range(3):
            if depth:
                down(depth - 1)
            positions.look()

    # Only the outermost call's loop is counted, in whatever depth it is looked at.
    down(3)
    assert len({key for key, _, _ in told}) == 1
    assert sum(count for *_, count in told) == 2


def nothing():
    """Where a number would not be certain: none."""

    def loop(given=None):
        for _turn in range(5):
            positions.look()
        return given

    turn = 0
    while turn < 5:
        loop()
        turn += 1
    for _turn in map(int, range(5)):
        positions.look()
    shared = iter(range(10))
    for _turn in shared:
        next(shared)
        positions.look()
    thread = threading.Thread(target=loop)
    thread.start()
    thread.join()
    list(map(loop, range(5)))
    sorted(range(5), key=loop)
    retries = 0
    while True:
        # One way through here ends, another comes again.
        try:
            retries += 1
            loop()
            if retries < 3:
                raise KeyError
            break
        except KeyError:
            continue
    assert told == []


def traceless():
    """What a program can see of its own objects stays as it is."""

    class Thing:
        pass

    code = traceless.__code__
    counts = []
    gone = []
    things = [Thing() for _ in range(20)]
    held = iter(things)
    before = (sys.getrefcount(held), sys.getrefcount(things), sys.getrefcount(code.co_consts))
    for turn in range(20):
        thing = things[turn]
        dies = weakref.ref(thing)
        things[turn] = None
        positions.look()
        del thing
        gone.append(dies() is None)
        counts.append((sys.getrefcount(held), sys.getrefcount(things), sys.getrefcount(code.co_consts)))
        assert sys.gettrace() is None
        assert sys.getprofile() is None
    assert all(gone)
    assert set(counts) == {before}


def lightly():
    """Looks keep nothing: Python's cache of attributes neither."""
    gc.disable()
    _native.turns = lambda *_: None
    blocks = []

    def look_often():
        for turn in range(600):
            positions.look()
            if turn in (100, 599):
                blocks.append(sys.getallocatedblocks())

    look_often()
    assert blocks[1] - blocks[0] < 50, blocks


globals()[sys.argv[1]]()
assert lost == []
