"""Random heaps: classes against a slow reference, paths by evaluating them. Prints what is wrong.

Arguments after the library: how many heaps, the seed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import random
import sys
from typing import Any

import paths_door as door

KINDS = ("list", "dict", "node", "slotted")
HEAPS: dict[int, Any] = {}


class Node:
    """Attributes by name."""


class Slotted:
    """Attributes in slots."""

    __slots__ = ("a", "b", "c")


def make(kind: str) -> Any:
    """An object; a dict with something in it, as the collector does not know empty ones."""
    if kind == "dict":
        return {"": []}
    return {"list": list, "node": Node, "slotted": Slotted}[kind]()


def refer(parent: Any, child: Any, rng: random.Random) -> None:
    """One more reference."""
    if type(parent) is list:
        parent.append(child)
    elif type(parent) is dict:
        key: Any = rng.choice([len(parent), f"k{len(parent)}", (len(parent), "t"), -len(parent) - 1.5])
        parent[key] = child
    else:
        setattr(parent, rng.choice("abc"), child)


class Heap:
    """Addresses, edges and truth of one heap; no reference to its objects but from HEAPS and from C."""

    def __init__(self, number: int, rng: random.Random) -> None:
        objects = [make(rng.choice(KINDS)) for _ in range(rng.randint(2, 14))]
        for _ in range(rng.randint(0, 2 * len(objects))):
            refer(rng.choice(objects), rng.choice(objects), rng)
        self.addresses = [id(each) for each in objects]
        places = {address: place for place, address in enumerate(self.addresses)}
        self.edges: list[list[int]] = []
        for each in objects:
            held = list(gc.get_referents(each))
            if isinstance(each, Node) and sys.version_info < (3, 11):
                held = [below for one in held if type(one) is dict for below in gc.get_referents(one)] + held
            self.edges.append([places[id(one)] for one in held if id(one) in places])
        self.native = [place for place in range(1, len(objects)) if rng.random() < 0.15]
        for place in self.native:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(objects[place]))
        self.kinds = [type(each) for each in objects]
        HEAPS[number] = objects[0]

    def below(self, start: list[int]) -> set[int]:
        """What hangs below some places."""
        seen, waiting = set(start), list(start)
        while waiting:
            for child in self.edges[waiting.pop()]:
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
        return seen

    def truth(self) -> dict[int, str]:
        """The class of each object that is alive, by address."""
        reachable = self.below([0])
        native = self.below(self.native) - reachable
        rest = set(range(len(self.addresses))) - reachable - native
        # Reference counting frees at once what no one in the rest refers to.
        while True:
            referred = {child for place in rest for child in self.edges[place]}
            if rest <= referred:
                break
            rest &= referred
        classes = {place: "Reachable" for place in reachable}
        classes |= {place: "NativeHeld" for place in native} | {place: "Garbage" for place in rest}
        return {self.addresses[place]: word for place, word in classes.items()}

    def release(self) -> None:
        """Gives back the references that stand for C's."""
        for place in self.native:
            ctypes.pythonapi.Py_DecRef(ctypes.cast(self.addresses[place], ctypes.py_object))


def evaluated(text: str) -> int:
    """The address of what a path leads to."""
    return id(eval(text.removesuffix("[*]").removeprefix("__main__.")))


def main() -> None:
    """A few heaps per look, as a look sees them all."""
    count, seed = int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    gc.disable()
    wrong: list[str] = []
    objects = paths = 0
    for first in range(0, count, 100):
        heaps = [Heap(number, rng) for number in range(first, min(first + 100, count))]
        truth = {address: word for heap in heaps for address, word in heap.truth().items()}
        found = door.whole([door.block(address) for address in truth])
        known = door.holders(found)
        for address, word in truth.items():
            said = known[address]["class"] if address in known else "nothing"
            if said != word:
                wrong.append(f"seed {seed}: {word} is {said}")
        objects += len(truth)
        for heap in heaps:
            alive = [address for address in heap.addresses if truth.get(address) == "Reachable"]
            for address in rng.sample(alive, min(2, len(alive))):
                (path,) = door.find(address)
                paths += 1
                if path is None or evaluated(path["text"]) != address:
                    wrong.append(f"seed {seed}: {path}")
        HEAPS.clear()
        for heap in heaps:
            heap.release()
        gc.collect()
    print(json.dumps({"wrong": wrong[:20], "objects": objects, "paths": paths}))


main()
