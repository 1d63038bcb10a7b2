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


# Programs of one process, as TensorFlow takes longer to come than they take. `fit` meets it first.
# Those with a process of their own end early, fork, or turn eager execution off.
TOGETHER = (
    "fit", "evaluate", "predict", "predict_in_callback", "evaluate_in_callback", "on_batch", "custom",
    "gradient", "eager_gradient", "models", "nested_models", "eager_calls", "passes", "by_hand",
    "interrupted", "two_threads", "facts",
)  # fmt: skip


def start(run: Runner, *names: str, ok: bool = True) -> Ran:
    """Runs some of the programs; every phase that they open must be closed, and nothing lost."""
    ended = run([str(PROGRAMS / "loops.py"), *names], {"NILOMETER_TEST_KERAS": KERAS, "PYTHONHASHSEED": "0"})
    assert (ended.code == 0) is ok, ended.stderr
    assert ended.losses() == []
    ended.phases()
    return ended


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    cases = start(Runner(tmp_path_factory.mktemp("together")), *TOGETHER).cases()
    assert tuple(cases) == TOGETHER
    for ended in cases.values():
        ended.phases()  # closed before the next one begins
    return cases


def test_fit(together: dict[str, Ran]) -> None:
    ended = together["fit"]
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


def test_evaluate(together: dict[str, Ran]) -> None:
    ended = together["evaluate"]
    assert ended.cycles() == {"model": 1, "evaluate": 3}
    phases = ended.phases()
    assert (phases["evaluate"], phases["data_adapter"]) == (3, 3)
    assert "validation" not in phases


def test_predict(together: dict[str, Ran]) -> None:
    ended = together["predict"]
    assert ended.cycles() == {"model": 1, "predict": 4}
    assert (ended.phases()["predict"], ended.steps()) == (4, 0)


def test_predict_in_callback(together: dict[str, Ran]) -> None:
    ended = together["predict_in_callback"]
    assert ended.cycles() == {"model": 1, "predict": 2, "epoch": 2, "fit": 1}
    assert (
        ended.order("epoch", "predict")
        == ["+epoch", "+predict", "predict", "-predict", "epoch", "-epoch"] * 2
    )
    assert ended.phases()["validation"] == 2


def test_evaluate_in_callback_is_not_validation(together: dict[str, Ran]) -> None:
    ended = together["evaluate_in_callback"]
    assert ended.cycles() == {"model": 1, "evaluate": 2, "epoch": 2, "fit": 1}
    assert "validation" not in ended.phases()


def test_on_batch(together: dict[str, Ran]) -> None:
    assert together["on_batch"].cycles() == {"model": 1, "on_batch": 7}


def test_custom_loop(together: dict[str, Ran]) -> None:
    ended = together["custom"]
    assert ended.cycles() == {"call": 8}
    assert ended.phases()["trace"] == 1  # the inner function is traced as part of the outer one
    assert ended.stdout.split() == ["1"]


def test_gradient_loop(together: dict[str, Ran]) -> None:
    assert together["gradient"].cycles() == {"model": 1, "call": 6}


def test_eager_gradient_loop(together: dict[str, Ran]) -> None:
    """An optimizer that a program applies itself; the one inside of `fit` is the epoch's."""
    assert together["eager_gradient"].cycles() == {"model": 1, "call": 6, "update": 6, "fit": 1, "epoch": 2}


def test_models_in_a_loop(together: dict[str, Ran]) -> None:
    ended = together["models"]
    assert ended.cycles() == {"model": 3, "fit": 3, "epoch": 3, "clear_session": 3}
    assert ended.phases()["first_batch"] == 3


def test_models_inside_models_are_not_counted(together: dict[str, Ran]) -> None:
    assert together["nested_models"].cycles() == {"model": 4, "fit": 2, "epoch": 2, "call": 1}


def test_eager_calls(together: dict[str, Ran]) -> None:
    """The outermost calls of models and layers; none while models are put together, built, or trained."""
    assert together["eager_calls"].cycles() == {"model": 5, "call": 13, "fit": 1, "epoch": 2, "predict": 1}


def test_passes_over_a_dataset(together: dict[str, Ran]) -> None:
    """Passes to the end, told from epochs by the updates within; none of `fit`'s own."""
    ended = together["passes"]
    assert ended.cycles() == {
        "model": 1, "pass": 7, "epoch": 4, "call": 8, "update": 8, "fit": 1, "predict": 1,
    }  # fmt: skip


def test_sessions(run: Runner) -> None:
    assert start(run, "session").cycles() == {"call": 6}


def test_marks_by_hand(together: dict[str, Ran]) -> None:
    ended = together["by_hand"]
    assert ended.cycles() == {"step": 3, "request": 1}
    assert ended.order("load", "work", "step") == ["+load", "-load", "+work", "-work", "step"] * 3


def test_exception_in_a_callback(run: Runner) -> None:
    ended = start(run, "raises_in_callback", ok=False)
    assert ended.cycles() == {"model": 1, "epoch": 1, "fit": 1}
    assert ended.facts()["exit.exception"] == "ValueError"
    assert "nilometer" not in ended.stderr.replace(str(PROGRAMS), "")


def test_interrupt_in_fit(together: dict[str, Ran]) -> None:
    ended = together["interrupted"]
    assert ended.cycles() == {"model": 2, "epoch": 2, "fit": 2}
    assert ended.phases()["first_batch"] == 2


def test_workers(run: Runner) -> None:
    ended = start(run, "workers")
    assert ended.cycles() == {"model": 1, "epoch": 2, "fit": 1}
    roles = [role for _, _, role in ended.named("child")]
    assert roles.count("my helper") == 1
    assert roles.count("PyDataset worker") >= 2
    assert len({pid for _, pid, _ in ended.named("child")}) == len(roles)
    assert len(ended.named("before_exit")) == 1


def test_two_threads(together: dict[str, Ran]) -> None:
    assert together["two_threads"].cycles() == {"model": 2, "predict": 6}


def test_facts(together: dict[str, Ran]) -> None:
    known = together["fit"].facts()  # said where the framework is met first
    version = together["facts"].stdout.strip()
    assert version in (known.get("framework.tf_keras"), known.get("framework.keras"))
    assert {"framework.numpy", "framework.tensorflow"} <= set(known)
    if KERAS == "keras" and not version.startswith("2."):
        assert known["framework.keras.backend"] == "tensorflow"
