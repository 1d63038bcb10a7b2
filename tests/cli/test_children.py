"""`--children`: the Python processes that the program starts get captures of their own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from cli_bench import Bench

WORKS = """
import multiprocessing as m, os, sys
import nilometer
def work(x):
    with nilometer.phase("working"):
        kept = [bytearray(1000) for _ in range(1000)]
    nilometer.cycle()
    return os.getpid()
if __name__ == "__main__":
    with m.get_context(sys.argv[1]).Pool(2) as pool:
        pids = set()
        while len(pids) < 2:
            pids |= set(pool.map(work, range(8), chunksize=1))
        print(sorted(pids))
        pool.close(); pool.join()
"""


KEEPS = """
import multiprocessing as m, os, time
def fill():
    kept = []
    end = time.monotonic() + 16
    while time.monotonic() < end:
        kept.append(os.urandom(300_000))
        time.sleep(0.1)
    print(os.getpid(), flush=True)
if __name__ == "__main__":
    process = m.get_context("fork").Process(target=fill, name="filler")
    process.start()
    process.join()
"""


LOADS = """
import multiprocessing as m, os, sys, time
import nilometer
def load(queue, keeps):
    kept = []
    for _ in range(70):
        batch = os.urandom(1_000_000)
        if keeps:
            kept.append(batch)
        queue.put(batch[:10])
        time.sleep(0.2)
    queue.put(None)
if __name__ == "__main__":
    context = m.get_context("spawn")
    queue = context.Queue(2)
    worker = context.Process(target=load, args=(queue, sys.argv[1] == "keeps"), name="loader")
    worker.start()
    print(worker.pid, flush=True)
    while queue.get() is not None:
        nilometer.cycle()
    worker.join()
"""


def report_of(bench: Bench, path: Path) -> dict[str, object]:
    done = bench.report(path.name, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def capture_of(bench: Bench, pid: int) -> Path:
    return bench.folder / f"nilometer-prog.py.{pid}.nilo"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(bench: Bench, method: str) -> None:
    done = bench.watched("--children", bench.script(WORKS), method)
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    for pid in json.loads(done.stdout):
        capture = capture_of(bench, pid)
        assert re.search(rf"Child {pid} \(.+\): nilometer report {capture.name}\n", said), said
        report = report_of(bench, capture)
        assert report["program"]["pid"] == pid  # type: ignore[index]
        assert "prog.py" in report["program"]["name"]  # type: ignore[index]
        assert report["cycles"]["count"] > 0  # type: ignore[index]
        assert report["losses"] == []
        assert b"working" in capture.read_bytes()


def test_a_leak_in_a_worker_is_named_with_its_worker(bench: Bench) -> None:
    """It has no cycles; the seconds serve, and the census looks at the worker's own heap."""
    done = bench.watched("--children", bench.script(KEEPS))
    assert done.returncode == 0, done.stderr
    pid = int(done.stdout)
    report = report_of(bench, capture_of(bench, pid))
    assert report["verdict"] == "leak", report["reason"]
    findings: list[Any] = report["findings"]  # type: ignore[assignment]
    assert [finding["holder"]["path"] for finding in findings] == ["fill(): kept[*]"]
    (line,) = re.findall(rf"Child {pid} \(filler\): (LEAK .+)\n", done.stderr.decode())
    assert line.startswith("LEAK +"), line
    assert line.endswith(", held by fill(): kept[*]"), line
    (own,) = [path for path in bench.captures() if path != capture_of(bench, pid)]
    job: dict[str, Any] = report_of(bench, own)
    assert (job["verdict"], job["job"]["culprit"]["pid"]) == ("leak", pid), "also when it is reported again"
    # The line is told where a look had time to find it.
    assert re.search(r", held by fill\(\): kept\[\*\](, kept at \S+:\d+)?$", job["findings"][-1]["sentence"])


def test_a_child_that_grows_with_the_programs_cycles_makes_the_job_a_leak(bench: Bench) -> None:
    """Judged from outside: by the cycles of the program, under the name that the program gave it."""
    done = bench.watched(bench.script(LOADS), "keeps")
    pid = int(done.stdout)
    told = " ".join(done.stderr.decode().split())
    assert f"LEAK loader (pid {pid}), a process that the program started, grows by" in told, told
    (capture,) = bench.captures()
    report: dict[str, Any] = report_of(bench, capture)
    assert (report["verdict"], report["job"]["program"]) == ("leak", "no_leak")
    culprit = report["job"]["culprit"]
    assert (culprit["pid"], culprit["role"]) == (pid, "loader")
    assert 800_000 < culprit["bytes_per_cycle"]["estimate"] < 1_200_000
    assert [finding["process"] for finding in report["findings"]] == [pid]


def test_a_child_that_lets_its_batches_go_makes_none(bench: Bench) -> None:
    done = bench.watched(bench.script(LOADS), "not")
    assert "NO LEAK" in done.stderr.decode()
    (capture,) = bench.captures()
    report: dict[str, Any] = report_of(bench, capture)
    assert (report["verdict"], report["job"]["culprit"], report["findings"]) == ("no_leak", None, [])
    (worker,) = [one for one in report["processes"] if one["role"] == "loader"]
    assert worker["private_bytes"] > 1 << 20


def test_one_name_for_all_gets_a_pid(bench: Bench) -> None:
    done = bench.watched("--children", "-o", "run.nilo", bench.script(WORKS), "fork")
    assert done.returncode == 0, done.stderr
    found = {int(path.name.split(".")[1]) for path in bench.captures() if path.name.startswith("run.")}
    assert set(json.loads(done.stdout)) < found


@pytest.mark.slow
def test_a_child_that_grows_is_told_without_being_looked_into(bench: Bench) -> None:
    done = bench.watched("--no-children", bench.script(KEEPS))
    said = done.stderr.decode()
    pid = int(done.stdout)
    told = " ".join(said.split())  # lines break where the words before them end
    assert "NO LEAK" in told, "the program itself does not grow"
    assert "process that it started grows: CHILD PROCESSES below." in told
    assert re.search(rf"\(pid {pid}\): .+ GROWS by 1\d\d MiB per minute to the end", told), said
    assert "nilometer run --children prog.py" in told
    (capture,) = bench.captures()
    processes: list[Any] = report_of(bench, capture)["processes"]  # type: ignore[assignment]
    # Ten times 300,000 bytes per second, as far as the child gets to run.
    assert [100e6 < one["bytes_per_minute"] < 200e6 for one in processes] == [True]


def test_children_of_all_kinds(bench: Bench) -> None:
    """Python ones have captures, others have none; a failing one is no failure of ours."""
    script = bench.script(
        "import os, subprocess, sys\n"
        "code = 'import os; print(os.getpid())'\n"
        "def out(words, **more): return int(subprocess.check_output(words, **more))\n"
        "pids = [out([sys.executable, '-c', code]),\n"
        "        out([sys.executable, '-c', code], env=dict(os.environ)),\n"
        "        out([sys.executable, '-I', '-c', code]),\n"
        "        out(['sh', '-c', f'{sys.executable} -c \"{code}\"; :'])]\n"
        "shell = out(['sh', '-c', 'echo $$'])\n"
        "fork = os.fork()\n"
        "if fork == 0: os._exit(3)\n"
        "os.waitpid(fork, 0)\n"
        "print([pids + [fork], shell])"
    )
    done = bench.watched("--children", script)
    assert done.returncode == 0, done.stderr
    pids, shell = json.loads(done.stdout)
    found = {int(path.name.split(".")[-2]) for path in bench.captures()}
    assert set(pids) <= found
    assert shell not in found
    assert len(found) == len(pids) + 1


def test_without_the_recorder_too(bench: Bench) -> None:
    done = bench.watched("--children", "--no-recorder", bench.script(WORKS), "fork")
    assert done.returncode == 0
    for pid in json.loads(done.stdout):
        assert report_of(bench, capture_of(bench, pid))["cycles"]["count"] > 0  # type: ignore[index]


def test_a_program_that_replaces_itself_keeps_its_capture(bench: Bench) -> None:
    script = bench.script(
        "import os, sys, nilometer\n"
        "if len(sys.argv) == 1: os.execv(sys.executable, [sys.executable, 'prog.py', 'again'])\n"
        "nilometer.cycle(); print(os.getpid())"
    )
    done = bench.watched("--children", script)
    [capture] = bench.captures()
    assert capture == capture_of(bench, int(done.stdout))
    assert report_of(bench, capture)["cycles"]["count"] == 1  # type: ignore[index]


def test_not_without_being_asked(bench: Bench) -> None:
    done = bench.watched(bench.script(WORKS), "spawn")
    assert len(bench.captures()) == 1
    assert b"Child " not in done.stderr


def test_an_older_capture_with_the_childs_name_is_left_alone(bench: Bench) -> None:
    """In containers pids come again in the same order."""
    bench.watched("--no-recorder", "-o", "old.nilo", bench.script("pass"))
    old = bench.folder / "old.nilo"
    os.utime(old, (1, 1))
    (bench.folder / "copy").write_bytes(old.read_bytes())
    script = bench.script(
        "import os\n"
        "from nilometer import _native\n"
        "for run in (2 * 10**9, 0):\n"
        "    if os.fork() == 0:\n"
        "        print(_native.start_child('old.nilo', str(run)), flush=True)\n"
        "        _native.fact('key', 'value')\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
        "    print(open('old.nilo', 'rb').read() == open('copy', 'rb').read(), flush=True)"
    )
    done = bench.watched("--no-recorder", script)
    assert done.stdout.split() == [b"False", b"True", b"True", b"False"]


def test_children_of_an_earlier_run_are_not_this_ones(bench: Bench) -> None:
    script = bench.script(WORKS)
    earlier = json.loads(bench.watched("--children", script, "fork").stdout)
    later = bench.watched("--children", script, "fork")
    for pid in set(earlier) - set(json.loads(later.stdout)):
        assert f"Child {pid} " not in later.stderr.decode()
