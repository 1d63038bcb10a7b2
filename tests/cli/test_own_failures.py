"""What nilometer says about itself: help, mistakes, places it cannot write to."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cli_bench import COMMAND, Bench


def test_no_words_at_all_print_the_help(bench: Bench) -> None:
    done = bench.run(COMMAND)
    assert done.returncode == 0
    assert b"run" in done.stdout
    assert b"report" in done.stdout
    assert done.stderr == b""


def test_version(bench: Bench) -> None:
    done = bench.run([*COMMAND, "--version"])
    assert done.returncode == 0
    assert done.stdout.startswith(b"nilometer 0.")


def test_run_without_a_program(bench: Bench) -> None:
    done = bench.run([*COMMAND, "run", "--no-live"])
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: ")
    assert b"\nhint: " in done.stderr


def test_an_option_nobody_knows(bench: Bench) -> None:
    done = bench.watched("--no-such-option", bench.script("print('ran')"))
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"--no-such-option" in done.stderr


def test_our_option_behind_the_script_is_hinted_at(bench: Bench) -> None:
    done = bench.watched(bench.script("import sys; print(sys.argv[1:])"), "--no-live")
    assert done.stdout == b"['--no-live']\n"
    assert b"hint: --no-live" in done.stderr
    other = bench.watched("prog.py", "--epochs")
    assert b"hint: " not in other.stderr


def test_the_capture_is_named_after_script_and_pid(bench: Bench) -> None:
    done = bench.watched(bench.script("import os; print(os.getpid())", "train.py"))
    name = f"nilometer-train.py.{int(done.stdout)}.nilo"
    assert [path.name for path in bench.captures()] == [name]
    assert f"Capture: {name}".encode() in done.stderr


def test_an_existing_capture_is_kept_unless_forced(bench: Bench) -> None:
    script = bench.script("print('ran')")
    assert bench.watched("-o", "a.nilo", script).returncode == 0
    first = (bench.folder / "a.nilo").read_bytes()
    again = bench.watched("-o", "a.nilo", script, env={"TMPDIR": str(bench.folder)})
    assert again.stdout == b"ran\n"
    assert again.returncode == 0
    assert b"a.nilo" in again.stderr
    assert b"warning: " in again.stderr
    assert (bench.folder / "a.nilo").read_bytes() == first
    forced = bench.watched("-f", "-o", "a.nilo", script)
    assert b"warning: " not in forced.stderr
    assert (bench.folder / "a.nilo").read_bytes() != first


def test_a_place_that_takes_no_capture(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("temporary")
    done = bench.watched(
        "-o", "no/such/folder/a.nilo", bench.script("print('ran')"), env={"TMPDIR": str(elsewhere)}
    )
    assert done.stdout == b"ran\n"
    assert done.returncode == 0
    assert len(list(elsewhere.glob("nilometer-prog.py.*.nilo"))) == 1
    assert str(elsewhere).encode() in done.stderr.splitlines()[0]


def test_no_place_at_all_and_the_program_runs_all_the_same(bench: Bench) -> None:
    script = bench.script("import os, sys; print('_NILOMETER_CAPTURE' in os.environ); sys.exit(3)")
    done = bench.watched("-o", "no/such/a.nilo", script, env={"TMPDIR": str(bench.folder / "none")})
    assert done.stdout == b"False\n"
    assert done.returncode == 3
    warning, hint = done.stderr.splitlines()
    assert warning.startswith(b"warning: ")
    assert b"without being recorded" in warning
    assert hint.startswith(b"hint: ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    script = bench.script("print('ran')")
    bench.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        done = bench.watched(script, env={"TMPDIR": str(tmp_path_factory.mktemp("temporary"))})
    finally:
        bench.folder.chmod(stat.S_IRWXU)
    assert done.stdout == b"ran\n"


def test_a_read_only_file_system(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Also for root, who may write into any folder that can be written to at all."""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, "true"]).returncode != 0:
        pytest.skip("no file system can be mounted here")
    second = tmp_path_factory.mktemp("temporary")
    mounted = 'mount -t tmpfs -o ro none "$PWD" && cd "$PWD" && exec "$@"'
    watched = [*unshare, "sh", "-c", mounted, "sh", *COMMAND, "run", "-c", "print('ran')"]
    done = bench.run(watched, env={"TMPDIR": str(second)})
    assert done.stdout == b"ran\n"
    assert done.returncode == 0
    said = done.stderr.decode()
    assert "Read-only file system" in said
    [capture] = second.glob("*.nilo")
    assert str(capture) in said


@pytest.mark.parametrize("closed", ["2>&-", "0<&- 2>&-", "0<&-"])
def test_closed_streams_stay_closed_and_harm_nothing(bench: Bench, closed: str) -> None:
    script = bench.script(
        "import os, sys\n"
        "def is_open(fd):\n"
        "    try: os.fstat(fd)\n"
        "    except OSError: return False\n"
        "    return True\n"
        "print([is_open(fd) for fd in range(12)], sys.stdin, sys.stderr)\n"
        "sys.exit(3)"
    )
    plain = bench.plain(script, before=f"exec {closed}")
    done = bench.watched(script, before=f"exec {closed}")
    assert done.stdout == plain.stdout
    assert done.returncode == 3
    report = bench.report(bench.captures()[0].name, "--format", "json")
    assert json.loads(report.stdout)["program"]["exit"]["code"] == 3


def test_quiet_says_only_where_the_capture_is(bench: Bench) -> None:
    done = bench.watched("--quiet", bench.script("print('ran')"))
    assert done.stderr.splitlines() == [b"Capture: " + bench.captures()[0].name.encode()]


def test_colour_goes_to_terminals_only(bench: Bench) -> None:
    done = bench.watched(bench.script("print('ran')"))
    assert b"\x1b" not in done.stderr


def test_report_prints_what_run_printed(bench: Bench) -> None:
    done = bench.watched(bench.script("print('ran')"))
    again = bench.report(bench.captures()[0].name)
    assert again.returncode == 0
    assert again.stderr == b""
    assert again.stdout.strip()
    assert again.stdout.strip() in done.stderr


def test_report_as_json(bench: Bench) -> None:
    bench.watched(bench.script("import sys; sys.exit(3)"), "a", "b")
    done = bench.report(bench.captures()[0].name, "--format", "json")
    report = json.loads(done.stdout)
    assert report["schema"] == "nilometer.report/1"
    assert report["program"]["argv"] == ["prog.py", "a", "b"]
    assert report["program"]["exit"]["code"] == 3


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "empty"])
def test_report_of_what_is_no_capture(bench: Bench, kind: str) -> None:
    path: Path = bench.folder / "x.nilo"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_text("hello" * 2000 if kind == "text" else "")
    done = bench.report("x.nilo")
    assert done.returncode == 2
    assert done.stdout == b""
    error, hint = done.stderr.splitlines()
    assert error.startswith(b"error: ")
    assert b"x.nilo" in error
    assert hint.startswith(b"hint: ")
