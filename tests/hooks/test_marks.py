"""The marks of each framework, counted exactly. NILOMETER_TEST_KERAS: keras, tf_keras or tf.keras."""

from __future__ import annotations

import os
import subprocess

import pytest
from hook_runner import PROGRAMS, PYTHON, Ran, Runner

KERAS = os.environ.get("NILOMETER_TEST_KERAS", "keras")
PACKAGE = "tensorflow" if KERAS == "tf.keras" else KERAS


def _has_framework() -> bool:
    find = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({PACKAGE!r}) is None)"
    return subprocess.run([PYTHON, "-c", find]).returncode == 0


pytestmark = pytest.mark.skipif(not _has_framework(), reason=f"{PYTHON} has no {PACKAGE}")


def loop(run: Runner, name: str, ok: bool = True) -> Ran:
    """Runs one of the programs; every phase that it opens must be closed, and nothing lost."""
    ended = run([str(PROGRAMS / "loops.py"), name], {"NILOMETER_TEST_KERAS": KERAS, "PYTHONHASHSEED": "0"})
    assert (ended.code == 0) is ok, ended.stderr
    assert ended.losses() == []
    ended.phases()
    return ended


def test_fit(run: Runner) -> None:
    ended = loop(run, "fit")
    assert ended.cycles() == {"model": 1, "epoch": 3, "fit": 1}
    assert ended.steps() == 12
    phases = ended.phases()
    once = {name: phases[name] for name in ("fit", "fit_entry", "first_batch", "first_op")}
    assert once == {"fit": 1, "fit_entry": 1, "first_batch": 1, "first_op": 1}
    assert (phases["epoch"], phases["validation"]) == (3, 3)
    assert phases["data_adapter"] == 2  # of the training and of the validation data
    assert int(ended.facts()["fit.elements"]) > 0
    assert phases["import"] >= 1
    assert phases["build"] >= 1
    assert "evaluate" not in phases
    epoch = ["+epoch", "+validation", "-validation", "epoch", "-epoch"]
    first = ["+epoch", "+first_batch", "-first_batch", *epoch[1:]]
    wanted = ("fit", "fit_entry", "epoch", "validation", "first_batch")
    assert ended.order(*wanted) == [
        "+fit", "+fit_entry", "-fit_entry", *first, *epoch, *epoch, "fit", "-fit",
    ]  # fmt: skip


def test_evaluate(run: Runner) -> None:
    ended = loop(run, "evaluate")
    assert ended.cycles() == {"model": 1, "evaluate": 3}
    phases = ended.phases()
    assert (phases["evaluate"], phases["data_adapter"]) == (3, 3)
    assert "validation" not in phases


def test_predict(run: Runner) -> None:
    ended = loop(run, "predict")
    assert ended.cycles() == {"model": 1, "predict": 4}
    assert (ended.phases()["predict"], ended.steps()) == (4, 0)


def test_predict_in_callback(run: Runner) -> None:
    ended = loop(run, "predict_in_callback")
    assert ended.cycles() == {"model": 1, "predict": 2, "epoch": 2, "fit": 1}
    assert (
        ended.order("epoch", "predict")
        == ["+epoch", "+predict", "predict", "-predict", "epoch", "-epoch"] * 2
    )
    assert ended.phases()["validation"] == 2


def test_evaluate_in_callback_is_not_validation(run: Runner) -> None:
    ended = loop(run, "evaluate_in_callback")
    assert ended.cycles() == {"model": 1, "evaluate": 2, "epoch": 2, "fit": 1}
    assert "validation" not in ended.phases()


def test_on_batch(run: Runner) -> None:
    assert loop(run, "on_batch").cycles() == {"model": 1, "on_batch": 7}


def test_custom_loop(run: Runner) -> None:
    ended = loop(run, "custom")
    assert ended.cycles() == {"call": 8}
    assert ended.phases()["trace"] == 1  # the inner function is traced as part of the outer one
    assert ended.stdout.split() == ["1"]


def test_gradient_loop(run: Runner) -> None:
    assert loop(run, "gradient").cycles() == {"model": 1, "call": 6}


def test_eager_gradient_loop(run: Runner) -> None:
    """An optimizer that a program applies itself; the one inside of `fit` is the epoch's."""
    assert loop(run, "eager_gradient").cycles() == {"model": 1, "call": 6, "update": 6, "fit": 1, "epoch": 2}


def test_models_in_a_loop(run: Runner) -> None:
    ended = loop(run, "models")
    assert ended.cycles() == {"model": 3, "fit": 3, "epoch": 3, "clear_session": 3}
    assert ended.phases()["first_batch"] == 3


def test_models_inside_models_are_not_counted(run: Runner) -> None:
    assert loop(run, "nested_models").cycles() == {"model": 4, "fit": 2, "epoch": 2, "call": 1}


def test_eager_calls(run: Runner) -> None:
    """The outermost calls of models and layers; none while models are put together, built, or trained."""
    assert loop(run, "eager_calls").cycles() == {"model": 5, "call": 13, "fit": 1, "epoch": 2, "predict": 1}


def test_passes_over_a_dataset(run: Runner) -> None:
    """Passes to the end, told from epochs by the updates within; none of `fit`'s own."""
    ended = loop(run, "passes")
    assert ended.cycles() == {
        "model": 1, "pass": 7, "epoch": 4, "call": 8, "update": 8, "fit": 1, "predict": 1,
    }  # fmt: skip


def test_sessions(run: Runner) -> None:
    assert loop(run, "session").cycles() == {"call": 6}


def test_marks_by_hand(run: Runner) -> None:
    ended = loop(run, "by_hand")
    assert ended.cycles() == {"step": 3, "request": 1}
    assert ended.order("load", "work", "step") == ["+load", "-load", "+work", "-work", "step"] * 3


def test_exception_in_a_callback(run: Runner) -> None:
    ended = loop(run, "raises_in_callback", ok=False)
    assert ended.cycles() == {"model": 1, "epoch": 1, "fit": 1}
    assert ended.facts()["exit.exception"] == "ValueError"
    assert "nilometer" not in ended.stderr.replace(str(PROGRAMS), "")


def test_interrupt_in_fit(run: Runner) -> None:
    ended = loop(run, "interrupted")
    assert ended.cycles() == {"model": 2, "epoch": 2, "fit": 2}
    assert ended.phases()["first_batch"] == 2


def test_workers(run: Runner) -> None:
    ended = loop(run, "workers")
    assert ended.cycles() == {"model": 1, "epoch": 2, "fit": 1}
    roles = [role for _, _, role in ended.named("child")]
    assert roles.count("my helper") == 1
    assert roles.count("PyDataset worker") >= 2
    assert len({pid for _, pid, _ in ended.named("child")}) == len(roles)
    assert len(ended.named("before_exit")) == 1


def test_two_threads(run: Runner) -> None:
    assert loop(run, "two_threads").cycles() == {"model": 2, "predict": 6}


def test_facts(run: Runner) -> None:
    ended = loop(run, "facts")
    known = ended.facts()
    version = ended.stdout.strip()
    assert version in (known.get("framework.tf_keras"), known.get("framework.keras"))
    assert {"framework.numpy", "framework.tensorflow"} <= set(known)
    if KERAS == "keras" and not version.startswith("2."):
        assert known["framework.keras.backend"] == "tensorflow"
