"""Which function was traced, from which line, and what differed: each reason by its exact words."""

from __future__ import annotations

import pytest
from hook_runner import PROGRAMS, Ran, Runner, Traced
from test_marks import KERAS, pytestmark  # noqa: F401

PROGRAM = PROGRAMS / "retraces.py"


def traced(run: Runner, name: str) -> Ran:
    ended = run([str(PROGRAM), name], {"NILOMETER_TEST_KERAS": KERAS})
    assert ended.code == 0, ended.stderr
    assert ended.losses() == []
    return ended


def of(ended: Ran, function: str) -> list[Traced]:
    """The traces of one function; where it is defined and called must be lines of the program."""
    found = [trace for trace in ended.traces() if trace.function.rpartition(">.")[2] == function]
    lines = PROGRAM.read_text().splitlines()
    for trace in found:
        assert trace.file == trace.caller_file == str(PROGRAM)
        assert 0 < trace.line <= len(lines)
        assert "(" in lines[trace.caller_line - 1]
    return found


KINDS = [
    "",
    "argument 'x' had shape (31, 4), before (32, 4)",
    "argument 'x' had dtype float64, before float32",
    "argument 'y' was 1.5 (a Python float), before None",
    f"argument 'y' was '{'word' * 10}'... (a Python str), before 1.5 (a Python float)",
    f"argument 'y' was a tensor of shape () and dtype float32, before '{'word' * 10}'... (a Python str)",
    "argument 'x' was a list of 2, before a tensor of shape (31, 4) and dtype float64",
    "argument 'x' was a list of 3, before a list of 2",
    "argument 'x[2]' had shape (2,), before (1,)",
    "argument 'x' was a dict of 2, before a list of 3",
    "argument 'x['image']' had shape (2,), before (1,); argument 'x['label']' had shape (2,), before (1,); "
    "and 1 more",
    "argument 'x' was a pair of 2, before a dict of 2",
    "argument 'x.b' had shape (3,), before (2,)",
    "argument 'x' was a Thing, before a pair of 2; "
    "argument 'y' was None, before a tensor of shape () and dtype float32; and 1 more",
    "argument 'x' was another Thing",
    "the same arguments in another context: a device, strategy or graph",
]


@pytest.mark.slow
def test_every_reason(run: Runner) -> None:
    ended = traced(run, "reasons")
    work = of(ended, "work")
    assert [trace.why for trace in work] == KINDS
    assert [trace.nth for trace in work] == list(range(1, len(KINDS) + 1))
    assert len({trace.caller_line for trace in work}) == len(KINDS)

    step = of(ended, "step")
    assert [trace.why for trace in step[1:]] == [
        f"argument 'step' was {turn}, before {turn - 1} (a Python int)" for turn in range(1, 20)
    ]
    anew = {
        "<lambda>": "a new lambda each time",
        "inner": "a new function object each time",
        "same": "wrapped by tf.function anew each time",
        "Model.call": "a method of a new object each time",
    }
    for function, why in anew.items():
        lines = {trace.line for trace in of(ended, function)}
        for line in lines:
            whys = [trace.why for trace in of(ended, function) if trace.line == line]
            assert whys == ["", why, why], function
    assert len({trace.line for trace in of(ended, "<lambda>")}) == 2  # one of them given to Dataset.map
    # Run eagerly in between, it is not traced again.
    assert [trace.why for trace in of(ended, "toggles")] == [""]
    # The first call, which makes a variable, traces twice and is told once.
    once = of(ended, "Once.__call__")
    assert [(trace.nth, trace.why) for trace in once] == [
        (1, ""),
        (3, "argument 'x' had shape (3,), before (2,)"),
    ]


@pytest.mark.slow
def test_a_healthy_fit_traces_once(run: Runner) -> None:
    ended = traced(run, "healthy")
    # Once for training and once for validation.
    assert max(trace.nth for trace in ended.traces()) <= 2
    assert not [trace for trace in ended.traces() if trace.why.startswith("argument")]
    probes = ended.probes()
    traces = len(probes["traces"])
    assert traces <= 3
    assert probes["models"] == [1]
    assert probes["batch_shapes"] == [1]


@pytest.mark.slow
def test_models_in_a_loop(run: Runner) -> None:
    ended = traced(run, "models")
    probes = ended.probes()
    registry = probes["gradient_registry"]
    assert registry == sorted(registry)
    # What a fit of this Keras registers is never taken out; Keras 3.0 and Keras 2 register nothing.
    if KERAS == "keras" and ended.facts()["framework.keras"].startswith("3.15"):
        # How often this dear count is looked at depends on how busy the machine is.
        assert registry[-1] > registry[0]
    assert len(probes["traces"]) >= 5
    assert probes["traces"] == sorted(probes["traces"])
    # Each is compiled once, and the last count is said whatever the pace.
    assert probes["compiles"] == sorted(probes["compiles"])
    assert len(probes["compiles"]) >= 5
    # Each model is gone before the next one: none is kept alive by being counted.
    assert set(probes["models"]) <= {0, 1}
    assert set(probes["iterators"]) <= {0, 1, 2}
    # The user sees where it comes from: the line that calls `fit`.
    lines = PROGRAM.read_text().splitlines()
    calls = [lines[t.caller_line - 1] for t in ended.traces() if t.caller_file == str(PROGRAM)]
    assert calls
    assert all("fit(" in line for line in calls)


@pytest.mark.slow
def test_batches_of_other_shapes(run: Runner) -> None:
    ended = traced(run, "shapes")
    assert ended.probes()["batch_shapes"] == [1, 2, 3, 4]
    assert ended.probes()["models"] == [1]
