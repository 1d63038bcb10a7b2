"""What the magics say, in a kernel into which the extension was loaded."""

from __future__ import annotations

from kernels import Kernel


def test_the_ledger_names_what_a_cell_left(plain: Kernel) -> None:
    shown = plain.run(
        "import numpy as np\ndef made():\n    return np.ones(2_000_000)",
        "table = made()",
        "made()[:10].base",
        "%nilometer",
    )
    lines = [line for line in shown["text"].splitlines() if line.strip().startswith("+15.3 MiB")]
    assert any("table = made()" in line and "table 15.3 MiB" in line for line in lines), shown["text"]
    assert any("Out[" in line.split("base")[-1] for line in lines), shown["text"]
    assert "<script" not in shown["html"]
    assert "table = made()" in shown["html"]


def test_what_a_person_wrote_is_no_markup(plain: Kernel) -> None:
    shown = plain.run("text = '<script>alert(1)</script>' * 100_000", "%nilometer")
    assert "<script" not in shown["html"]
    assert "&lt;script&gt;" in shown["html"]


def test_a_cell_that_is_run_ten_times(plain: Kernel) -> None:
    leaks = plain.run(
        "history = []", "%%nilometer --cycles 10\nhistory.append(bytearray(1 << 20))\nprint('ran')"
    )
    assert leaks["text"].startswith("LEAK  in 10 runs")
    assert "1 MiB per run" in leaks["text"]
    assert leaks["printed"] == "ran\n"
    healthy = plain.run("%%nilometer\nx = bytearray(1 << 20)")
    assert healthy["text"].startswith("NO LEAK  in 10 runs")
    # A cycle of references is garbage, and no leak.
    garbage = plain.run("%%nilometer\nbox = [bytearray(1 << 20)]\nbox.append(box)")
    assert garbage["text"].startswith("NO LEAK")


def test_what_cannot_be_judged_is_said(plain: Kernel) -> None:
    assert "ask for 8 or more" in plain.run("%%nilometer --cycles 3\nx = 1")["text"]
    fails = plain.run("%%nilometer\n1 / 0")
    assert (fails["error"], fails["text"]) == (
        "ZeroDivisionError",
        "not judged: the cell ended by ZeroDivisionError",
    )
    assert "knows --html" in plain.run("%nilometer --page")["text"]


def test_what_changed_since_the_last_look(plain: Kernel) -> None:
    shown = plain.run("%nilometer_diff", "fresh = bytearray(3 << 20)\nold = None", "%nilometer_diff")
    assert "+3 MiB  fresh" in shown["text"]
    assert "Nothing" not in shown["text"]


def test_the_last_traceback_is_told_and_let_go(plain: Kernel) -> None:
    cells = ["def fails(x):\n    big = bytearray(5 << 20)\n    return 1 / x", "fails(0)"]
    assert "big in fails() of the last traceback" in plain.run(*cells, "%nilometer_who")["text"]
    assert "This would be freed" in plain.run("%nilometer_free tracebacks")["text"]
    freed = plain.run("%nilometer_free tracebacks --yes")["text"]
    assert freed.startswith("Freed: 5"), freed
    assert "keeps nothing" in plain.run("%nilometer_free tracebacks")["text"]


def test_outputs_are_told_and_let_go(plain: Kernel) -> None:
    cells = ["%nilometer_free Out --yes", "bytearray(7 << 20)", "x = 1", "%nilometer_who"]
    assert "Out[" in plain.run(*cells)["text"]
    freed = plain.run("%nilometer_free Out --yes")["text"]
    assert freed.startswith("Freed: 7"), freed


def test_the_page_lies_beside_the_notebook(plain: Kernel) -> None:
    shown = plain.run("%nilometer --html")
    assert "nilometer.html" in shown["html"]
    assert plain.run("import os; os.path.exists('nilometer.html')")["text"] == "True"


def test_unloading_ends_the_recording_and_loading_begins_another(plain: Kernel) -> None:
    shown = plain.run("%unload_ext nilometer", "from nilometer import _native; print(_native.is_recording())")
    assert shown["printed"] == "False\n"
    shown = plain.run("%load_ext nilometer", "print(_native.is_recording())", "%nilometer")
    assert "UNDECIDED" in shown["text"]
