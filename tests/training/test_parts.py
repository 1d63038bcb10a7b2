"""The parts that the callbacks share, without a framework: stand-ins are in `sys.modules` in its place."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
import types
from pathlib import Path
from typing import Any, ClassVar

import nilometer
import pytest
from nilometer import _native
from nilometer.training import guard, late, leaks, own, pace, trackers, watch, words
from nilometer.training.options import options

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "corpus/evidence/annealed_noise-4000_steps.evidence"


class Base:
    """A framework's class of callbacks."""

    def __init__(self) -> None:
        self.model = None


class Made(late.LateCallback):
    _roots = {"one_framework": "Base", "other_framework": "deep.Base"}  # noqa: RUF012
    _framework = "Frameworks"
    _of_a_training = frozenset({"model", "watch"})

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word
        self._begin_anew()

    def _begin_anew(self) -> None:
        self.watch = object()


def module(name: str, **members: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


def test_a_callback_is_of_every_framework_that_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        pass

    with pytest.raises(ImportError, match="import one_framework or other_framework before it is made"):
        Made("a")
    monkeypatch.setitem(sys.modules, "one_framework", module("one_framework", Base=Base))
    one = Made("a")
    assert isinstance(one, Base)
    assert type(Made("b")) is type(one)
    # In the middle of its import: not yet.
    half = module("other_framework")
    monkeypatch.setitem(sys.modules, "other_framework", half)
    assert type(Made("b")) is type(one)
    half.deep = module("deep", Base=Other)  # type: ignore[attr-defined]
    both = Made("c")
    assert isinstance(both, Base)
    assert isinstance(both, Other)
    assert isinstance(both, Made)
    assert type(both).__name__ == "Made"


def test_a_copy_has_the_arguments_and_no_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "one_framework", module("one_framework", Base=Base))
    made = Made("a")
    made.model = object()  # type: ignore[assignment]
    made.of_the_users = [1]  # type: ignore[attr-defined]
    for copied in (copy.deepcopy(made), copy.copy(made), pickle.loads(pickle.dumps(made))):
        assert type(copied) is type(made)
        assert (copied.word, copied.of_the_users, copied.model) == ("a", [1], None)
        assert copied.watch is not made.watch


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"on_leak": "halt"}, "on_leak must be 'warn', 'stop' or a function"),
        ({"check_every": 0}, "1 or more"),
        ({"log_to": "tensorboard"}, "'mlflow', 'wandb' or both"),
    ],
)
def test_wrong_arguments_are_refused_when_it_is_made(wrong: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {
        "on_leak": "warn", "log": True, "log_to": (), "check_every": None, "quiet": False, "capture": None,
        "overwrite": False,
    }  # fmt: skip
    assert options(**right).log_to == ()
    assert options(**{**right, "log_to": "mlflow"}).log_to == ("mlflow",)
    with pytest.raises(ValueError, match=said):
        options(**{**right, **wrong})


def test_the_pace_is_set_by_the_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(pace, "monotonic", lambda: now[0])
    paced = pace.Pace(share=100, first_s=0.1, clock=lambda: now[0])
    now[0] = 9.9
    assert not paced.is_due()
    now[0] = 10.0
    assert paced.is_due()
    with paced:
        now[0] = 12.0
    now[0] = 211.9
    assert not paced.is_due()
    now[0] = 212.0
    assert paced.is_due()


def test_a_guard_ends_failures_and_lets_the_user_through() -> None:
    guarded = guard.Guard()
    with pytest.warns(UserWarning, match="does no more.*ValueError: broken"), guarded:
        raise ValueError("broken")
    assert guarded.has_failed
    with guarded:
        raise ValueError("again, and not a word")
    with pytest.raises(KeyboardInterrupt), guarded:
        raise KeyboardInterrupt


def test_a_leak_in_words_is_the_reports() -> None:
    report = nilometer.read(EVIDENCE)
    assert report.growth is not None
    said = words.leak(report)
    assert f"per {report.cycles.unit} since {report.cycles.unit} {report.growth.since_cycle}" in said
    assert report.findings[0].sentence in said
    # Its cycles are no epochs: no growth per epoch, and no zero.
    assert report.cycles.kind != "epoch"
    assert leaks.mib_per_epoch(report) is None


def test_no_tracker_is_imported_or_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mlflow", "wandb"):
        monkeypatch.delitem(sys.modules, name, raising=False)
        assert trackers.active(name) is None
        assert name not in sys.modules
    monkeypatch.setitem(sys.modules, "wandb", module("wandb", run=None))
    monkeypatch.setitem(sys.modules, "mlflow", module("mlflow", active_run=lambda: None))
    assert [trackers.active(name) for name in ("mlflow", "wandb")] == [None, None]
    assert not _native.is_recording()


def test_a_training_in_another_thread_shares_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = options("warn", True, (), None, False, None, False)
    begun = []
    first, is_own = own.begin(asked, "fit")
    try:
        other = threading.Thread(target=lambda: begun.append(own.begin(asked, "fit")))
        other.start()
        other.join()
        (second, is_others) = begun[0]
        assert (is_own, is_others, second.path) == (True, False, first.path)
        # In this thread, a training that never said its end has broken off.
        third, is_new = own.begin(asked, "fit")
        assert is_new
        assert not first.is_running
        assert third.path != first.path
        own.end(first)
        assert third.is_running
    finally:
        own.end(third)
    assert not _native.is_recording()


def test_a_run_of_mlflow_that_ended_first_gets_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of transformers, whose own callback ends it before ours is called."""

    class Client:
        told: ClassVar[list[tuple[Any, ...]]] = []

        def set_tag(self, *words: Any) -> None:
            self.told.append(words)

        def log_artifact(self, run_id: str, path: str, folder: str) -> None:
            assert "<html" in Path(path).read_text(encoding="utf-8")
            self.told.append((run_id, folder))

    active = [types.SimpleNamespace(info=types.SimpleNamespace(run_id="a run"))]
    mlflow = module("mlflow", active_run=lambda: active[0] if active else None, MlflowClient=Client)
    monkeypatch.setitem(sys.modules, "mlflow", mlflow)
    monkeypatch.chdir(tmp_path)
    watched = watch.Watch(options("warn", True, "mlflow", None, True, None, False))
    watched.begin("fit")
    watched.epoch_ended()
    active.clear()
    watched.end()
    assert Client.told == [("a run", "nilometer.verdict", "undecided"), ("a run", "nilometer")]
    watched.begin("fit")
    watched.end()
    assert len(Client.told) == 2
    assert not _native.is_recording()
