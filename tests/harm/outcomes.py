"""Runs CPython's tests by module and writes the outcome of each: `outcomes.py OUT MODULE...`.

`test_multiprocessing_fork` and its kin are made here from `test._test_multiprocessing`, as many installations
leave the three small modules out.
"""

import importlib
import json
import os
import sys
import tempfile
import unittest
from collections.abc import Callable
from functools import partial

WAYS = {f"test_multiprocessing_{way}": way for way in ("fork", "spawn", "forkserver")}


class Outcomes(unittest.TestResult):
    """Test name to outcome; a subtest that fails fails its test."""

    def __init__(self):
        super().__init__()
        self.outcomes = {}

    def stopTest(self, test):
        super().stopTest(test)
        self.outcomes.setdefault(test.id(), "passed")

    def addSkip(self, test, reason):
        self.outcomes[test.id()] = "skipped"

    def addError(self, test, err):
        self.outcomes[test.id()] = "error"
        print(test.id(), self._exc_info_to_string(err, test), file=sys.stderr)

    def addFailure(self, test, err):
        self.outcomes[test.id()] = "failed"
        print(test.id(), self._exc_info_to_string(err, test), file=sys.stderr)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addFailure(test, err)

    def addExpectedFailure(self, test, err):
        self.outcomes[test.id()] = "expected"

    def addUnexpectedSuccess(self, test):
        self.outcomes[test.id()] = "unexpected"


def tests_of(name: str) -> unittest.TestSuite:
    if name in WAYS:
        # A real file, which children that begin anew can import too; the current folder is a temporary one.
        with open(f"{name}.py", "w") as file:
            file.write(
                "from test import _test_multiprocessing\n"
                f"_test_multiprocessing.install_tests_in_module_dict(globals(), {WAYS[name]!r})\n"
            )
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(name)
    else:
        module = importlib.import_module(f"test.{name}")
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def below(frames: int, call: Callable[[], object]) -> None:
    """Calls below so many frames: `test_tracemalloc` of 3.14 wants as many as CPython's own runner has."""
    if frames:
        below(frames - 1, call)
    else:
        call()


def main() -> None:
    out, *names = sys.argv[1:]
    result = Outcomes()
    here = os.getcwd()
    # As CPython's own runner does it: the tests write into the current folder.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in names:
            below(10, partial(tests_of(name).run, result))
        os.chdir(here)
    with open(out, "w") as file:
        json.dump(result.outcomes, file, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
