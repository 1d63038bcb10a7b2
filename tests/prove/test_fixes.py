"""What is proposed for a source, without a run: edits by positions, and refusals that say why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nilometer.fixes._engine import attempts

KEEPER = """\
class Keeper:
    def __init__(self):
        self.saved = []   # for later

    def turn(self, x):
        self.saved.append(x * 2)  # every one


keeper = Keeper()
keeper.turn(1)
"""


def finding(cause: str, path: str, owner: str = "", elements: str = "bytes", line: int = 6) -> dict[str, Any]:
    return {
        "cause": cause,
        "sentence": "something is kept",
        "holder": {"owner": owner, "path": path, "elements": elements},
        "sites": [{"role": "made_at", "file": "a.py", "line": line}],
        "stack": [],
        "bytes_per_cycle": {"estimate": 1000},
    }


def proposed(
    folder: Path, found: dict[str, Any], retraced: tuple[dict[str, Any], ...] = ()
) -> dict[str, Any]:
    frameworks = {"keras": "3.15.1", "tensorflow": "2.21.0"}
    report = {"findings": [found], "retraced": list(retraced), "program": {"frameworks": frameworks}}
    return attempts(folder, ["a.py"], report)


def kept(folder: Path, read: str, more: str = "") -> dict[str, Any]:
    (folder / "a.py").write_bytes((KEEPER + read).encode())
    if more:
        (folder / "b.py").write_text(more)
    return proposed(folder, finding("callback-keeps", "fit(): callbacks[0].saved[*]", "Keeper"))


def only(answer: dict[str, Any]) -> str:
    """The one patched text of an answer."""
    (attempt,) = answer["attempts"]
    (file,) = attempt["files"]
    compile(file["after"], "a.py", "exec")
    after: str = file["after"]
    return after


@pytest.mark.parametrize(
    ("read", "line"),
    [
        ("", "del self.saved[:-1]  # older ones are never read"),
        ("keeper.saved.clear()\n", "del self.saved[:-1]  # older ones are never read"),
        ("print(keeper.saved[-1])\n", "del self.saved[:-1]  # older ones are never read"),
        ("print(keeper.saved[-3:])\n", "del self.saved[:-3]  # older ones are never read"),
        ("if not keeper.saved: print(1)\n", "del self.saved[:-1]  # older ones are never read"),
        ("print(keeper.saved[0])\n", "del self.saved[1:-1]  # older ones are never read"),
        ("print(len(keeper.saved))\n", "if len(self.saved) > 1:"),
        ("print(len(keeper.saved), keeper.saved[0])\n", "if len(self.saved) > 2:"),
    ],
)
def test_a_line_drops_what_nobody_reads(tmp_path: Path, read: str, line: str) -> None:
    after = only(kept(tmp_path, read))
    assert f"        self.saved.append(x * 2)  # every one\n        {line}\n" in after
    gone = [text for text in (KEEPER + read).splitlines() if text not in after.splitlines()]
    assert gone == []


@pytest.mark.parametrize(
    ("read", "value", "now"),
    [
        ("print(sum(p.nbytes for p in keeper.saved))\n", "(x * 2).nbytes", "sum(p for p in keeper.saved)"),
        (
            "print([float(q.mean()) for q in keeper.saved])\n",
            "float((x * 2).mean())",
            "[q for q in keeper.saved]",
        ),
        ("print(len(keeper.saved), [p.shape for p in keeper.saved])\n", "(x * 2).shape", "[p for p in"),
    ],
)
def test_the_number_that_is_read_is_kept(tmp_path: Path, read: str, value: str, now: str) -> None:
    after = only(kept(tmp_path, read))
    assert f"self.saved.append({value})  # every one" in after
    assert now in after


@pytest.mark.parametrize(
    ("read", "why"),
    [
        ("print(keeper.saved)\n", "`print(keeper.saved)` at a.py:11 reads saved"),
        ("x = keeper.saved\n", "`keeper.saved` at a.py:11 reads saved"),
        ("for p in keeper.saved: print(p)\n", "at a.py:11 reads saved"),
        ("keeper.saved[0] = 1\n", "sets a thing in saved"),
        ("keeper.saved = [1]\n", "a.py:11 sets saved to something else"),
        ("keeper.saved.extend([1])\n", "reads saved"),
        ("print(getattr(keeper, 'saved'))\n", "'saved' is written as text at a.py:11"),
        ("print(vars(keeper))\n", "vars() is used at a.py:11"),
        (
            "print([p.mean() for p in keeper.saved], [p.max() for p in keeper.saved])\n",
            "more than one number",
        ),
        ("print([p for p in keeper.saved])\n", "reads saved"),
        ("class Other:\n    saved = []\n", "more than one class has a saved"),
        ("import b\n", "at b.py:2 reads saved"),
    ],
)
def test_what_may_be_needed_is_refused(tmp_path: Path, read: str, why: str) -> None:
    answer = kept(tmp_path, read, "import numpy as np\nnp.stack([k for k in []].saved)\n")
    assert answer["attempts"] == []
    (refused,) = answer["refused"]
    assert why in refused["why"]


def test_what_lies_below_a_key_is_its_containers(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("seen = {}\nseen['a[0]'] = bytes(9)\nprint(len(seen))\n")
    after = only(proposed(tmp_path, finding("global-grows", "__main__.seen['a[0]'][*]")))
    assert "seen['a[0]'] = None  # its values are never read\n" in after


def test_an_attribute_of_elements_is_no_global_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("mask = []\nmask.append(bytes(9))\n")
    answer = proposed(tmp_path, finding("object-keeps", "__main__.jobs[*].mask"))
    assert answer["attempts"] == []
    assert "there is no single class" in answer["refused"][0]["why"]


def test_what_is_shared_by_a_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("KEPT = []\nfor x in range(3): KEPT.append(x); print(x)\n")
    answer = proposed(tmp_path, finding("global-grows", "__main__.KEPT[*]"))
    assert "shares its line" in answer["refused"][0]["why"]


def test_line_ends_marks_and_letters_stay(tmp_path: Path) -> None:
    text = '\ufeffÜ = "ä"; KEPT = []\r\nfor x in range(3):\r\n\tKEPT.append(x)\t# ß\r\nprint(len(KEPT))'
    (tmp_path / "a.py").write_bytes(text.encode())
    answer = proposed(tmp_path, finding("global-grows", "__main__.KEPT[*]"))
    lines = "\tif len(KEPT) > 1:\r\n\t    KEPT[-2] = None  # older ones are never read\r\n"
    assert answer["attempts"][0]["files"][0]["after"] == text.replace("# ß\r\n", "# ß\r\n" + lines)


def test_values_of_a_dictionary_that_nobody_reads(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "def f():\n    d = {}\n    for n in range(3):\n        d[n] = 'x'\n    print(len(d))\n"
    )
    after = only(proposed(tmp_path, finding("loop-keeps", "f(): d[*]")))
    assert "        d[n] = 'x'\n        d[n] = None  # its values are never read\n" in after


LOSSES = """\
import numpy as np
losses = []
for step in range(9):
    losses.append(train(step))  # a tensor
"""


@pytest.mark.parametrize(
    "read",
    ["print(np.mean(losses))", "print(f'{losses[-1]:.3f}')", "print(float(losses[0]))", "print(len(losses))"],
)
def test_tensors_become_numbers(tmp_path: Path, read: str) -> None:
    (tmp_path / "a.py").write_text(LOSSES + read + "\n")
    answer = proposed(tmp_path, finding("tensors-kept", "__main__.losses[*]", elements="EagerTensor"))
    first = answer["attempts"][0]
    assert first["fixes"] == ["floats"]
    assert "    losses.append(float(train(step)))  # a tensor\n" in first["files"][0]["after"]


def test_tensors_that_are_needed_stay(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LOSSES + "print(losses[-1].numpy(), sum(losses))\n")
    answer = proposed(tmp_path, finding("tensors-kept", "__main__.losses[*]", elements="EagerTensor"))
    assert answer["attempts"] == []


STEPS = """\
import tensorflow as tf

@tf.function
def step(x, *, weight): return x * weight

class Net:
    @tf.function
    def step2(self, x, rate):
        return x * rate

net = Net()
for n in range(9):
    step(1.0,
         weight=n / 9)  # grows
    net.step2(1.0, n * 0.1)
"""


def traced(function: str, line: int, caller: int, argument: str) -> dict[str, Any]:
    why = f"argument {argument!r} was 0.5, before 0.4 (a Python float)"
    called = {"function": function, "file": "a.py", "line": line}
    return {**called, "caller_file": "a.py", "caller_line": caller, "why": why}


@pytest.mark.parametrize(
    ("function", "now"),
    [
        (traced("step", 3, 13, "weight"), "         weight=tf.constant(np.float32(n / 9)))  # grows"),
        (traced("Net.step2", 7, 15, "rate"), "    net.step2(1.0, tf.constant(np.float32(n * 0.1)))"),
    ],
)
def test_numbers_become_tensors_where_the_report_says(
    tmp_path: Path, function: dict[str, Any], now: str
) -> None:
    (tmp_path / "a.py").write_text(STEPS)
    found = finding("retraced-by-scalars", "", line=function["caller_line"])
    answer = proposed(tmp_path, found, (function,))
    assert now in answer["attempts"][0]["files"][0]["after"].splitlines()
    assert "+import numpy as np" in answer["attempts"][0]["diff"]
    assert "np.float64" in answer["attempts"][1]["diff"]


LOOP = """\
import keras
names = []
for rate in (0.1, 0.2):
    inputs = keras.Input((4,))
    model = keras.Model(inputs, keras.layers.Dense(1)(inputs))
    model.compile(keras.optimizers.Adam(float(rate)), "mse")
    model.fit(x, y)
    print(model.evaluate(x, y))
"""


def looped(folder: Path, text: str) -> dict[str, Any]:
    (folder / "a.py").write_text(text)
    line = next(number for number, line in enumerate(text.splitlines(), 1) if ".fit(" in line)
    return proposed(folder, {**finding("models-in-a-loop", "", line=line), "holder": None})


def test_the_first_model_is_fitted_again(tmp_path: Path) -> None:
    after = only(looped(tmp_path, LOOP))
    assert "fitted = None\nfor rate in" in after
    assert "    model = fitted\n        keras.backend.clear_session()\n    model.fit(x, y)\n" in after
    assert set(LOOP.splitlines()) <= set(after.splitlines())


def test_a_growth_that_only_its_line_tells_is_one_of_models_if_that_line_fits(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(LOOP)
    for line, count in ((7, 1), (4, 0)):
        found = {**finding("growth-at-site", "", line=line), "holder": None}
        assert len(proposed(tmp_path, found)["attempts"]) == count


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Dense(1)", "Dense(int(rate * 10))", "rate differs from round to round"),
        ("(float(rate))", "(beta_1=rate)", "rate differs from round to round"),
        ("print(model.evaluate(x, y))", "names.append(model)", "model is kept at a.py:8"),
        ("print(model.evaluate(x, y))", "print(inputs)", "inputs at a.py:8 belongs to the model"),
        (
            "    model.fit(x, y)",
            "    if x: model.fit(x, y)",
            "no loop both builds and fits a model in its own body",
        ),
        (
            "    model.compile",
            "    if rate > 1: model = None\n    model.compile",
            "does not build model in one",
        ),
    ],
)
def test_models_that_may_differ_are_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    answer = looped(tmp_path, LOOP.replace(old, new))
    assert answer["attempts"] == []
    assert why in answer["refused"][0]["why"]
