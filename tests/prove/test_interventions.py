"""Interventions: each has its words, and the parts that need no framework do what they say."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
import time
import weakref
from collections import OrderedDict, defaultdict, deque
from pathlib import Path
from typing import Any

import nilometer
import numpy as np
import pytest
from nilometer.frameworks.keras.interventions import _callbacks, _data
from nilometer.frameworks.tensorflow.interventions import fixed_shape
from nilometer.hooks import marks
from nilometer.interventions import _containers, _cycles, bounded
from prove_bench import COMMAND

PACKAGE = Path(nilometer.__file__).parent
DOCS = Path(__file__).parents[2] / "docs" / "prove.md"
FILES = sorted(path for path in PACKAGE.glob("**/interventions/*.py") if not path.name.startswith("_"))
NAMES = [path.stem.replace("_", "-") for path in FILES if path.stem != "survey"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_says_what_it_changes_how_and_what_it_would_prove(path: Path) -> None:
    module = ast.parse(path.read_text())
    words = ast.get_docstring(module) or ""
    assert all(f"\n{word}: " in words for word in ("What", "How", "Proves")), words
    assert any(isinstance(part, ast.FunctionDef) and part.name == "install" for part in module.body)


def test_the_command_line_and_the_page_know_each() -> None:
    done = subprocess.run(
        [*COMMAND, "prove", "--try", "nothing", "x.py"], capture_output=True, text=True, cwd=PACKAGE
    )
    known = done.stderr.partition("there are ")[2].split("\n")[0].strip(" .'").split(", ")
    # jemalloc is put in by the loader, before there is any Python.
    assert sorted(known) == sorted([*NAMES, "jemalloc"])
    page = DOCS.read_text()
    assert [name for name in known if f"`{name}" not in page] == []


def test_kinds_of_data() -> None:
    assert _data.kind_of(np.zeros(3)) == "arrays"
    assert _data.kind_of([np.zeros(3)]) == "arrays"
    assert _data.kind_of(iter([1])) == "generator"
    assert _data.kind_of(None) == "other"


def test_callbacks_in_lists_in_lists() -> None:
    assert _callbacks.flat(None) == []
    assert _callbacks.flat([1, [2, (3,)]]) == [1, 2, 3]
    assert _callbacks.flat(4) == [4]


def test_short_programs_are_changed_in_every_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes in some of them only shows in the growth of none."""
    actions: list[Any] = []
    monkeypatch.setattr(_cycles, "_actions", actions)
    done: list[int] = []

    def slow() -> None:
        time.sleep(0.005)
        done.append(len(done))

    _cycles.before_cycle(slow)
    for _ in range(30):
        actions[0](marks.CALL)
    assert len(done) == 30


def test_what_changes_is_not_the_bound_method_that_is_passed() -> None:
    class Passed:
        def method(self) -> None: ...

    class Owner: ...

    owner, passed = Owner(), Passed()
    kept = weakref.ref(passed)
    fixed_shape._same(owner, "", ((passed.method,), {}))
    del passed
    assert kept() is None


def test_the_oldest_goes_first() -> None:
    lengths: dict[int, int] = {}
    containers = [[1, 2], {1: 1, 2: 2}, deque([1, 2])]
    assert not any(bounded._trim(container, lengths) for container in containers)
    containers[0].append(3)
    containers[1][3] = 3
    containers[2].append(3)
    assert all(bounded._trim(container, lengths) for container in containers)
    assert containers == [[2, 3], {2: 2, 3: 3}, deque([2, 3])]


def test_lists_in_a_dictionary_are_bounded_each() -> None:
    history: dict[str, list[int]] = {"loss": [1], "accuracy": [1]}
    lengths: dict[int, int] = {}
    bounded._trim(history, lengths)
    history["loss"].append(2)
    assert bounded._trim(history, lengths)
    assert history == {"loss": [2], "accuracy": [1]}


def test_a_cache_that_is_full_does_not_grow() -> None:
    @functools.lru_cache(maxsize=2)
    def small(number: int) -> int:
        return number

    small(1)
    assert _containers.size(small) == 1
    small(2)
    assert _containers.size(small) == 0


def test_subclasses_with_a_length_of_their_own_are_left_alone() -> None:
    class Counted(dict[str, int]):
        def __len__(self) -> int:
            raise AssertionError

    assert all(map(_containers.is_container, ([], {}, set(), deque(), OrderedDict(), defaultdict(list))))
    assert not any(map(_containers.is_container, (Counted(), (), "text", None)))


WALKS = """
import os
import nilometer
from nilometer.interventions import _containers

class Keeps:
    shared = {}
    def __init__(self):
        self.saved = []

keeps = Keeps()
TOP = []

def outer():
    inside = set()
    def closure():
        return inside
    return closure

def generates():
    seen = []
    while True:
        yield seen

function, generator = outer(), generates()
next(generator)

def looks():
    local = [1]
    return dict(_containers.walk())

found = looks()
print(sorted(path for path in found if "Keeps" in path or "TOP" in path or "closure" in path or "()" in path))
"""


def test_containers_are_found_by_names_a_person_knows(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(WALKS)
    done = subprocess.run([sys.executable, "prog.py"], cwd=tmp_path, capture_output=True, text=True)
    expected = ["Keeps.saved", "Keeps.shared", "__main__.TOP", "closure.inside", "generates():seen"]
    assert done.stdout.strip() == str(sorted([*expected, "looks():local"])), done.stderr


ROOTS = """
import numpy as np
from nilometer.frameworks.keras.interventions import _roots

class Keeps:
    def __init__(self):
        self.saved = []

def generates():
    seen = []
    while True:
        yield seen

generator, arrays = generates(), [np.zeros(3), np.ones(3)]
next(generator)
for x in [*arrays, generator]:
    _roots.roots(None, {"x": x, "callbacks": [[Keeps()], None]})
print("fine")
"""


def test_what_fit_is_given_is_not_compared(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(ROOTS)
    done = subprocess.run([sys.executable, "prog.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr
