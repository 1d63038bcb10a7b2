"""By default: children that the program forks record themselves where nobody can notice; others do not."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest
from cli_bench import Bench

# A child that keeps what it makes, or not, and lives long enough to be judged.
WORKS = """
import multiprocessing as m, os, sys, time
import nilometer
def work(keeps):
    kept = []
    end = time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        batch = os.urandom(300_000)
        if keeps:
            kept.append(batch)
        nilometer.cycle()
        time.sleep(0.05)
    print(os.getpid(), flush=True)
if __name__ == "__main__":
    process = m.get_context("fork").Process(target=work, args=(sys.argv[1] == "keeps",), name="worker")
    process.start()
    process.join()
"""

# What a forked child can see of itself once it is recorded.
LOOKS = """
import atexit, gc, os, sys, threading, time, warnings
def look():
    names = [name for name in os.environ if "NILO" in name or name in ("LD_PRELOAD", "PYTHONPATH")]
    seen = [names, threading.active_count(), len(gc.callbacks), len(sys.meta_path)]
    return [*seen, sorted(os.listdir("/proc/self/fd"))]
before = look()
pid = os.fork()
if pid == 0:
    young = look(), len(os.listdir("/proc/self/task"))
    end = time.monotonic() + 4
    while time.monotonic() < end:
        kept = bytes(300_000); time.sleep(0.01)
    print(before == young[0] == look(), young[1], flush=True)
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def told(done: Any) -> str:
    return " ".join(done.stderr.decode().split())


def facts(bench: Bench, name: str) -> dict[str, Any]:
    done = bench.report(name, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_leak_in_a_forked_child_is_named_with_its_holder(bench: Bench) -> None:
    done = bench.watched("-o", "x.nilo", bench.script(WORKS), "keeps", "20")
    assert done.returncode == 0, done.stderr
    pid = int(done.stdout)
    assert [path.name for path in bench.captures()] == [f"x.{pid}.nilo", "x.nilo"]
    assert f"Child {pid} (worker): LEAK +" in told(done)
    assert "held by work(): kept[*]" in told(done)
    report = facts(bench, "x.nilo")
    assert (report["verdict"], report["job"]["culprit"]["pid"]) == ("leak", pid)
    assert facts(bench, f"x.{pid}.nilo")["findings"][0]["holder"]["path"] == "work(): kept[*]"
    assert report["next_steps"] == [], "it was looked into"


def test_a_harmless_one_leaves_a_line_and_no_file(bench: Bench) -> None:
    done = bench.watched("-o", "x.nilo", bench.script(WORKS), "not", "8")
    assert [path.name for path in bench.captures()] == ["x.nilo"]
    assert re.search(r"\nChildren: a forked child was recorded: \w[\w ]+\n", done.stderr.decode()), (
        done.stderr
    )
    assert "Child " not in done.stderr.decode()
    assert facts(bench, "x.nilo")["verdict"] == "no_leak"


@pytest.mark.parametrize("option", ["--no-children", "--no-recorder"])
def test_none_is_recorded(bench: Bench, option: str) -> None:
    done = bench.watched(option, "-o", "x.nilo", bench.script(WORKS), "not", "4")
    assert [path.name for path in bench.captures()] == ["x.nilo"]
    assert b"Child" not in done.stderr


def test_children_and_no_children_exclude_each_other(bench: Bench) -> None:
    done = bench.watched("--children", "--no-children", bench.script("print(1)"))
    assert (done.returncode, done.stdout) == (2, b"")


def test_the_child_sees_nothing_but_a_thread_once_it_is_recorded(bench: Bench) -> None:
    script = bench.script(LOOKS)
    plain, watched = bench.plain(script), bench.watched(script)
    assert (watched.stdout, watched.returncode) == (plain.stdout, plain.returncode) == (b"True 1\n5\n", 0)
    assert "Children: a forked child was recorded" in told(watched)


def test_what_subprocess_starts_sees_nothing_and_is_not_recorded(bench: Bench) -> None:
    """Neither as it is, nor by way of a fork with a function of the program's in between."""
    script = bench.script(
        "import os, subprocess, sys\n"
        "code = '''import os, sys, time\n"
        "end = time.monotonic() + 3\n"
        "while time.monotonic() < end: kept = bytes(300_000); time.sleep(0.01)\n"
        'print(sorted(os.environ), sys.path, any(m.startswith("nilometer") for m in sys.modules))\n'
        'print(any("_recorder" in line for line in open("/proc/self/maps")))\'\'\'\n'
        "for before in (None, lambda: os.listdir('/proc/self/task') == [str(os.getpid())] or os._exit(9)):\n"
        "    done = subprocess.run([sys.executable, '-c', code], preexec_fn=before, capture_output=True)\n"
        "    print(done.returncode, done.stdout, done.stderr)"
    )
    plain, watched = bench.plain(script), bench.watched(script)
    assert watched.stdout == plain.stdout
    assert watched.stdout.count(b"False\\nFalse\\n") == 2
    assert len(bench.captures()) == 1
    assert b"Children" not in watched.stderr


def test_many_short_forks_leave_nothing(bench: Bench) -> None:
    script = bench.script(
        "import multiprocessing as m, os\n"
        "def nothing(): pass\n"
        "context = m.get_context('fork')\n"
        "for _ in range(200):\n"
        "    process = context.Process(target=nothing); process.start(); process.join()\n"
        "    assert process.exitcode == 0\n"
        "for code in range(20):\n"
        "    pid = os.fork()\n"
        "    if pid == 0: os._exit(code)\n"
        "    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code\n"
        "print(sorted(os.listdir()))"
    )
    done = bench.watched("-o", "x.nilo", script)
    assert (done.returncode, done.stdout) == (0, b"['prog.py', 'x.nilo']\n")
    assert len(bench.captures()) == 1
    assert b"Child" not in done.stderr


def test_no_more_than_eight_are_recorded(bench: Bench) -> None:
    script = bench.script(
        "import os, time\n"
        "pids = []\n"
        "for _ in range(12):\n"
        "    pid = os.fork()\n"
        "    if pid == 0:\n"
        "        end = time.monotonic() + 6\n"
        "        while time.monotonic() < end: kept = bytes(300_000); time.sleep(0.02)\n"
        "        os._exit(0)\n"
        "    pids.append(pid)\n"
        "time.sleep(5)\n"
        "print(sum(os.path.exists(f'x.{pid}.nilo') for pid in pids), flush=True)\n"
        "for pid in pids: assert os.waitpid(pid, 0)[1] == 0"
    )
    done = bench.watched("-o", "x.nilo", script)
    assert (done.returncode, done.stdout) == (0, b"8\n"), done.stderr
    assert "Children: 8 forked children were recorded" in told(done)
    assert len(bench.captures()) == 1


def test_a_child_that_is_killed_harms_nothing(bench: Bench) -> None:
    script = bench.script(
        "import os, signal, time\n"
        "pid = os.fork()\n"
        "while pid == 0: kept = bytes(300_000); time.sleep(0.01)\n"
        "time.sleep(4)\n"
        "print(os.path.exists(f'x.{pid}.nilo'))\n"
        "os.kill(pid, signal.SIGKILL)\n"
        "print(os.waitpid(pid, 0)[1])"
    )
    done = bench.watched("-o", "x.nilo", script)
    assert (done.returncode, done.stdout) == (0, b"True\n9\n"), done.stderr
    assert "Children: a forked child was recorded" in told(done)
    assert [path.name for path in bench.captures()] == ["x.nilo"]


def test_a_child_under_a_limit_of_its_own_is_left_alone(bench: Bench) -> None:
    script = bench.script(
        "import os, resource, time\n"
        "if os.fork() == 0:\n"
        "    resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))\n"
        "    end = time.monotonic() + 4\n"
        "    while time.monotonic() < end: kept = bytes(300_000); time.sleep(0.01)\n"
        "    os._exit(0)\n"
        "print(os.wait()[1], sorted(os.listdir()))"
    )
    done = bench.watched("-o", "x.nilo", script)
    assert (done.returncode, done.stdout) == (0, b"0 ['prog.py', 'x.nilo']\n"), done.stderr
    assert b"Child" not in done.stderr


def test_a_daemon_that_is_left_behind_makes_no_file(bench: Bench) -> None:
    script = bench.script(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); os.dup2(os.open('/dev/null', os.O_RDWR), 1); os.dup2(1, 2)\n"
        "    end = time.monotonic() + 4\n"
        "    while time.monotonic() < end: kept = bytes(300_000); time.sleep(0.01)\n"
        "    open('done', 'w').write(' '.join(sorted(os.listdir())))\n"
        "    os._exit(0)\n"
    )
    bench.watched("-o", "x.nilo", script)
    bench.run(["sh", "-c", "while ! [ -s done ]; do sleep 0.1; done"])
    assert (bench.folder / "done").read_text() == "done prog.py x.nilo"


def test_forks_of_a_program_that_replaced_itself(bench: Bench) -> None:
    again = (
        "import os, sys\n"
        "if len(sys.argv) < 4: os.execv(sys.executable, [sys.executable, *sys.argv, 'again'])\n"
    )
    done = bench.watched("-o", "x.nilo", bench.script(again + WORKS), "not", "5")
    assert done.returncode == 0, done.stderr
    assert "Children: a forked child was recorded" in told(done)
    assert os.listdir(bench.folder).count("x.nilo") == 1


def test_a_child_that_forks_again_warns_of_nothing(bench: Bench) -> None:
    """By then it has a thread of ours, which Python 3.12 and later would warn of."""
    script = bench.script(
        "import os, time, warnings\n"
        "warnings.simplefilter('error')\n"
        "def busy(seconds):\n"
        "    end = time.monotonic() + seconds\n"
        "    while time.monotonic() < end: kept = bytes(300_000); time.sleep(0.01)\n"
        "def fork(work):\n"
        "    pid = os.fork()\n"
        "    if pid == 0: work(); os._exit(4)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)\n"
        "fork(lambda: (busy(3.5), fork(lambda: busy(3.5))))\n"
    )
    done = bench.watched(script)
    assert (done.returncode, done.stdout) == (0, b"4\n4\n"), done.stderr
    assert "Children: 2 forked children were recorded" in told(done)
    assert b"Warning" not in done.stderr
