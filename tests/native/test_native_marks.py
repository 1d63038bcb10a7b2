"""What the marks leave in the capture."""

from __future__ import annotations

import json
import subprocess

import pytest
from native_program import Program


def test_marks_are_recorded_in_order_with_readings(program: Program) -> None:
    program.run("""
_native.fact("framework.keras", "3.15.1")
_native.phase_begin("fit")
_native.step(); _native.step()
_native.cycle(0)
_native.phase_end("fit")
_native.child(4711, "PyDataset worker")
_native.before_exit()
_native.before_exit_collection()
_native.after_exit_collection()
""")
    capture = program.capture()
    assert (capture.steps, capture.cycles[0], capture.lost) == (2, 1, 0)
    assert [record.kind for record in capture.records] == [
        *["fact", "phase", "reading", "cycle", "reading", "phase", "reading", "child", *["reading"] * 3]
    ]
    assert [record["moment"] for record in capture.of("reading")] == [
        *["phase", "cycle", "phase", "before_exit", "before_exit", "after_exit_collection"]
    ]
    assert [(record["name"], record["edge"]) for record in capture.of("phase")] == [
        ("fit", "begin"),
        ("fit", "end"),
    ]
    reading = capture.of("reading", moment="cycle")[0]
    assert (reading["unit"], reading["ordinal"]) == (0, 1)
    missing = [name for name, value in reading.fields.items() if value is None]
    assert missing == ["pool_used", "pool_reserved", "library_used"], "no recorder, no such library"


ARROW = """
import time, types
class Pool:
    backend_name = {backend!r}
arrow = types.ModuleType("pyarrow.lib")
time.sleep(0.01)
_native.cycle(0)
sys.modules["pyarrow.lib"] = arrow  # is being imported
time.sleep(0.01)
_native.cycle(0)
arrow.default_memory_pool = Pool
arrow.total_allocated_bytes = lambda: 12345
time.sleep(0.01)
_native.cycle(0)
del sys.modules["pyarrow.lib"]
time.sleep(0.01)
_native.cycle(0)
"""


@pytest.mark.parametrize(
    ("backend", "told"),
    [("mimalloc", 12345), ("jemalloc", 12345), ("system", None), ("a new one", None), (7, None)],
)
def test_a_pool_past_the_c_allocator_is_asked(program: Program, backend: object, told: int | None) -> None:
    program.run(ARROW.format(backend=backend))
    found = [record["library_used"] for record in program.capture().of("reading", moment="cycle")]
    assert found == [None, None, told, told]


def test_a_program_s_own_pyarrow_is_let_alone(program: Program) -> None:
    out, err = program.run("""
class Trap:
    def __getattr__(self, name): print("asked for", name)
sys.modules["pyarrow.lib"] = Trap()
_native.cycle(0)
import types
arrow = sys.modules["pyarrow.lib"] = types.ModuleType("pyarrow.lib")
import time
time.sleep(0.01)
arrow.__getattr__ = lambda name: print("asked for", name)
_native.cycle(0)
arrow.total_allocated_bytes = lambda: 1 / 0
_native.cycle(0)
arrow.default_memory_pool = lambda: 1 / 0
_native.cycle(0)
""")
    assert (out, err) == ("", "")
    assert [one["library_used"] for one in program.capture().of("reading", moment="cycle")] == [None] * 4


def test_figures_follow_what_the_program_keeps(program: Program) -> None:
    program.run("""
import gc
_native.cycle(7)
small = [bytes([i & 255]) * 31 for i in range(100_000)]  # 64 bytes each in Python's allocator
_native.cycle(7)
big = bytearray(b"x") * (64 << 20)
_native.cycle(7)
chunks = [bytearray(1000) for _ in range(20_000)]
_native.cycle(7)
del small, big, chunks
gc.collect()
_native.cycle(7)
""")
    first, small, big, chunks, freed = program.capture().of("reading", moment="cycle")
    # 33 bytes of header and 31 of content are one block of 64; the list is 800,000 bytes of the C allocator.
    assert abs(small["py_in_use"] - first["py_in_use"] - 6_400_000) < 20_000
    assert abs(small["py_blocks"] - first["py_blocks"] - 100_000) < 300
    assert small["py_system"] >= small["py_in_use"]
    assert 64 << 20 <= big["heap_mapped"] - small["heap_mapped"] < (64 << 20) + 65536
    assert big["rss_anon"] - small["rss_anon"] > 60 << 20
    assert abs(chunks["heap_in_use"] - big["heap_in_use"] - 20_000 * 1016) < 300_000
    assert abs(freed["py_in_use"] - first["py_in_use"]) < 50_000
    assert freed["gc2"] == first["gc2"] + 1


def test_objects_that_are_gone_and_kept_for_the_next_are_told(program: Program) -> None:
    program.run("""
import time
_native.cycle(7)
made = [(one, one, one, one, one) for one in [None] * 1500]
time.sleep(0.02)  # later than what passes for the same moment
_native.cycle(7)
del made
time.sleep(0.02)
_native.cycle(7)
""")
    first, made, gone = program.capture().of("reading", moment="cycle")
    if first["py_kept"] is None:
        # Python 3.13 hides the function that prints them.
        assert (made["py_kept"], gone["py_kept"]) == (None, None)
        return
    # Five references in 64 bytes, the collector's head before them; some lie there from before.
    assert 1400 * 80 <= gone["py_kept"] - made["py_kept"] <= 1500 * 80 + 1000
    assert abs(gone["py_in_use"] - made["py_in_use"]) < 20_000


def test_fast_cycles_are_thinned_and_counted_exactly(program: Program) -> None:
    program.run("for _ in range(200_000): _native.cycle(8)")
    capture = program.capture()
    assert capture.cycles[8] == 200_000
    ordinals = [record["ordinal"] for record in capture.of("cycle")]
    assert ordinals[:1024] == list(range(1, 1025))
    assert len(ordinals) < 3000
    readings = capture.of("reading", moment="cycle")
    assert {record["ordinal"] for record in readings} <= set(ordinals)
    elapsed = capture.records[-1].at_ns - capture.records[0].at_ns
    assert sum(record["cost_ns"] for record in readings) < 0.12e9 + 0.006 * elapsed


def test_phases_of_threads_are_told_apart(program: Program) -> None:
    program.run("""
import threading
_native.phase_begin("fit")
threads = [threading.Thread(target=_native.phase_begin, args=("data",)) for _ in range(3)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
_native.phase_end("fit")
""")
    capture = program.capture()
    assert {record["thread"] for record in capture.of("phase", name="fit")} == {0}
    assert len({record["thread"] for record in capture.of("phase", name="data")} - {0}) == 3


def test_nothing_raises_and_losses_add_up(program: Program) -> None:
    _, err = program.run(r"""
_native.cycle("epoch"); _native.cycle(99); _native.cycle(-1); _native.cycle(None)
_native.phase_begin(3); _native.phase_end(None)
_native.phase_begin("half a \ud800 pair"); _native.phase_begin("zero \0 byte"); _native.phase_begin("")
_native.fact(1, "x"); _native.fact("x" * 100_000, "\udcff")
_native.child("x", "role"); _native.child(-4, "role")
for _ in range(1000): _native.lost("hooks: no such method")
_native.lost(None)
assert _native.start("/nowhere/at/all") is False and _native.start(3) is False
_native.before_exit()
""")
    assert err == ""
    losses: dict[str, int] = {}
    for record in (capture := program.capture()).of("loss"):
        losses[record["what"]] = losses.get(record["what"], 0) + record["count"]
    assert losses["hooks: no such method"] == 1000
    assert losses["a cycle of an unknown unit"] == 4
    assert len(capture.of("loss")) < 30
    assert len(capture.of("phase")) == 3


def test_without_a_capture_every_call_does_nothing(program: Program) -> None:
    _, err = program.run(
        """
import _native, os
assert _native.start("/nowhere/at/all.nilo") is False
_native.cycle(0); _native.step(); _native.phase_begin("fit"); _native.phase_end("fit")
_native.fact("a", "b"); _native.child(1, "x"); _native.lost("x")
_native.before_fork(); _native.after_fork_parent(); _native.after_fork_child()
_native.before_exit(); _native.before_exit_collection(); _native.after_exit_collection()
assert len(os.listdir("/proc/self/task")) == 1
""",
        prelude=False,
    )
    assert err == ""


def test_python_without_its_own_allocator(program: Program) -> None:
    program.run("_native.cycle(0); _native.cycle(0)", env={"PYTHONMALLOC": "malloc"})
    for reading in program.capture().of("reading", moment="cycle"):
        assert (reading["py_in_use"], reading["py_blocks"]) == (None, None)
        assert reading["heap_in_use"] > 1 << 20


def test_kill_leaves_every_mark(program: Program) -> None:
    process = program.start("""
for index in range(1, 501):
    _native.cycle(0)
    print(index, flush=True)
sys.stdin.read()
""")
    assert process.stdout is not None
    last = 0
    for line in process.stdout:
        last = int(line)
        if last == 500:
            break
    process.kill()
    process.communicate()
    assert [record["ordinal"] for record in program.capture().of("cycle")] == list(range(1, last + 1))


def test_endless_phases_fill_no_disk(program: Program) -> None:
    program.run("for _ in range(100_000): _native.phase_begin('predict'); _native.phase_end('predict')")
    edges = [record["edge"] for record in program.capture().of("phase")]
    assert 16_000 < len(edges) < 80_000
    assert edges == ["begin", "end"] * (len(edges) // 2)


def test_another_allocator_is_named_and_not_misread(program: Program) -> None:
    source = program.folder / "mimic.c"
    source.write_text(
        "#include <stddef.h>\n"
        "void *__libc_malloc(size_t); void *malloc(size_t n) { return __libc_malloc(n); }\n"
        "void __libc_free(void *); void free(void *p) { __libc_free(p); }\n"
    )
    library = program.folder / "libmimic.so.2"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    program.run("_native.cycle(0)", env={"LD_PRELOAD": str(library)})
    capture = program.capture()
    assert [record["value"] for record in capture.of("fact", key="allocator")] == ["libmimic.so.2"]
    reading = capture.of("reading", moment="cycle")[0]
    assert (reading["heap_in_use"], reading["heap_free"]) == (None, None)
    assert reading["py_in_use"] > 0
    assert reading["rss_anon"] > 0


def test_marks_of_one_moment_share_a_reading(program: Program) -> None:
    program.run("""
def together():
    _native.cycle(0); _native.phase_end("epoch")
_native.phase_begin("epoch")
import time
for _ in range(3):
    time.sleep(0.01)
    together()
""")
    readings = program.capture().of("reading")
    costs = [(record["moment"], record["cost_ns"]) for record in readings if record["moment"] != "tick"]
    assert [moment for moment, _ in costs] == ["phase", *["cycle", "phase"] * 3]
    assert all(cost > 0 for moment, cost in costs if moment == "cycle")
    # A preempted process may need a reading of its own for one of them.
    assert [cost for moment, cost in costs[1:] if moment == "phase"].count(0) >= 2


def test_a_part_of_a_phase_is_recorded_without_a_reading(program: Program) -> None:
    program.run("""
import time
def edge(say, *told):
    time.sleep(0.01)  # not of the same moment
    say(*told)
edge(_native.phase_begin, "fit")
edge(_native.phase_begin, "trace", True)
edge(_native.phase_end, "trace", True)
edge(_native.phase_begin, "validation", False)
""")
    capture = program.capture()
    assert [(record["name"], record["edge"]) for record in capture.of("phase")] == [
        *[("fit", "begin"), ("trace", "begin"), ("trace", "end"), ("validation", "begin")]
    ]
    assert len(capture.of("reading", moment="phase")) == 2


ARENAS = """
import threading
kept = []
def burst():
    pieces = [bytearray(20_000) for _ in range(500)]
    kept.append(bytearray(20_000))
for _ in range({threads}):
    # They live on, one after the other: each with an arena of its own.
    done = threading.Event()
    threading.Thread(target=lambda: (burst(), done.set(), stay.wait()), daemon=True).start()
    done.wait()
_native.cycle(0)
"""


@pytest.mark.parametrize("threads", [0, 8])
def test_free_memory_in_arenas_is_told_where_it_is_much(program: Program, threads: int) -> None:
    """Each lets go of 10 MB below a piece that it keeps, so that its arena cannot give them back."""
    program.run("import threading\nstay = threading.Event()\n" + ARENAS.format(threads=threads))
    told = [json.loads(r["value"]) for r in program.capture().of("fact") if r["key"] == "heap.arenas"]
    if threads == 0:
        assert told == []
        return
    [arenas] = told
    assert arenas["count"] >= threads
    assert arenas["others_free"] >= threads * 8_000_000
    assert arenas["largest_free"] >= 8_000_000
    assert arenas["others_system"] >= arenas["others_free"]
