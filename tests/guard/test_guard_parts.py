"""Parts of the guard that need no framework: values on disk, the folder, callbacks, collecting."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from nilometer.frameworks.keras.guard import callbacks
from nilometer.guard import store, values
from nilometer.guard.policy import UNTRIED_BYTES, Policy


def test_values_come_back_as_they_were(tmp_path: Path) -> None:
    given = {
        "numbers": [1, 2.5, None, True, "text", float("inf")],
        "tuple": (1, (2, 3)),
        7: {"array": np.arange(6, dtype="float32").reshape(2, 3)},
        "scalar": np.float32(0.1),
    }
    assert values.can_hold(given)
    values.write(str(tmp_path), "state", given)
    back = values.read(str(tmp_path), "state")
    assert np.array_equal(back[7].pop("array"), np.arange(6, dtype="float32").reshape(2, 3))
    given[7] = {}
    assert back == given
    assert isinstance(back["tuple"][1], tuple)
    assert isinstance(back["scalar"], np.float32)


@pytest.mark.parametrize("wrong", [object(), [len], {"a": {1}}, np.array([object()])])
def test_values_that_need_code_are_refused(tmp_path: Path, wrong: object) -> None:
    assert not values.can_hold(wrong)
    with pytest.raises(TypeError):
        values.write(str(tmp_path), "state", wrong)


def fill(into: str) -> None:
    (Path(into) / "weights").write_text("12345")


def fail(into: str) -> None:
    fill(into)
    raise OSError(28, "No space left on device")


def test_a_checkpoint_that_fails_leaves_the_one_before(tmp_path: Path) -> None:
    folder = str(tmp_path / "saved")
    assert store.write(folder, "1", {"kind": "fit"}, fill) == 5
    with pytest.raises(OSError, match="No space"):
        store.write(folder, "2", {"kind": "fit"}, fail)
    said = store.read(folder)
    assert said is not None
    assert (Path(store.place(folder, said)) / "weights").read_text() == "12345"
    assert store.write(folder, "3", {"kind": "fit"}, fill) == 5
    assert sorted(path.name for path in Path(folder).iterdir()) == ["guard.json", "stop-3"]


def test_a_trial_leaves_nothing(tmp_path: Path) -> None:
    assert store.trial(str(tmp_path / "saved"), "1", fill) == 5
    with pytest.raises(OSError, match="No space"):
        store.trial(str(tmp_path / "saved"), "1", fail)
    assert list(tmp_path.iterdir()) == []
    assert store.read(str(tmp_path / "saved")) is None


def of_keras(name: str, **state: Any) -> Any:
    kind = type(name, (), {"__module__": "keras.src.callbacks"})
    made = kind()
    vars(made).update(state)
    return made


def test_only_what_changes_in_keras_own_callbacks_is_kept() -> None:
    stopping = of_keras("EarlyStopping", patience=3, wait=2, best=np.float32(0.5), monitor_op=np.less)
    mine = type("EarlyStopping", (), {"__module__": "train"})()
    mine.wait = 9
    states = callbacks.get([stopping, mine])
    assert states == [["EarlyStopping", 0, {"wait": 2, "best": np.float32(0.5)}]]
    new = of_keras("EarlyStopping", patience=8, wait=0, best=None)
    callbacks.put([new, mine], states)
    assert (new.patience, new.wait, new.best, mine.wait) == (8, 2, np.float32(0.5), 9)
    assert callbacks.others([stopping, mine]) == ["EarlyStopping"]


def test_two_of_a_class_keep_apart() -> None:
    pair = [of_keras("ReduceLROnPlateau", wait=1), of_keras("ReduceLROnPlateau", wait=2)]
    new = [of_keras("ReduceLROnPlateau", wait=0), of_keras("ReduceLROnPlateau", wait=0)]
    callbacks.put(new, callbacks.get(pair))
    assert [one.wait for one in new] == [1, 2]


class Watch:
    """Says to act; after a collection, what the test wants."""

    def __init__(self, again: bool) -> None:
        self.enough = not again

    def epoch_ended(self, reserve: int) -> tuple[bool, str]:
        return True, "before"

    def again(self, reserve: int) -> tuple[bool, str]:
        return not self.enough, "after"

    def resident(self) -> tuple[int, int]:
        return 3 << 20, 4 << 20


def policy(watch: Any, **settings: Any) -> Policy:
    made = Policy.__new__(Policy)
    made.settings = SimpleNamespace(reserve=None, **settings)  # type: ignore[assignment]
    made.watch, made.measured, made._collected = watch, None, 0
    return made


def test_it_collects_before_it_stops(capfd: pytest.CaptureFixture[str]) -> None:
    assert policy(Watch(again=True)).epoch_ended(0) == "after"
    assert policy(Watch(again=True)).epoch_ended(0, may_stop=False) is None
    enough = policy(Watch(again=False))
    for _ in range(5):
        assert enough.epoch_ended(0) is None
    # Said, but not each time.
    assert capfd.readouterr().err.count("collecting garbage gave back") == 3


def test_the_reserve_is_the_most_of_what_is_known() -> None:
    known = policy(None)
    assert known.reserve(0) == UNTRIED_BYTES
    assert known.reserve(100 << 20) == 240 << 20
    known.measured = 500 << 20
    assert known.reserve(100 << 20) == 500 << 20
