"""The command around the forms: where they go, what a terminal is spared, what is left out."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess

import pytest
from forms import COMMAND, Forms

BINARY = ["pprof", "tensorboard", "parquet"]
TEXT = ["terminal", "json", "jsonl", "markdown", "collapsed", "speedscope", "firefox", "openmetrics", "sarif"]
TEXT += ["junit", "github", "html"]


@pytest.mark.parametrize("form", [*BINARY, "evidence"])
def test_what_is_no_text_is_kept_from_a_terminal(forms: Forms, form: str) -> None:
    master, terminal = pty.openpty()
    try:
        command = [*COMMAND, "report", "leak.nilo", "--format", form]
        done = subprocess.run(
            command, cwd=forms.folder, stdin=terminal, stdout=terminal, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(terminal)
        os.close(master)
    assert done.returncode == 2
    assert b"a terminal cannot show it" in done.stderr
    assert b"hint: -o " in done.stderr
    assert forms.run("report", "leak.nilo", "--format", form).stdout, "a pipe gets it"


@pytest.mark.parametrize(
    ("env", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
@pytest.mark.parametrize("words", [["report", "leak.nilo"], ["diff", "mended.nilo", "leak.nilo"]])
def test_only_a_terminal_gets_colour(
    forms: Forms, words: list[str], env: dict[str, str], coloured: bool
) -> None:
    master, terminal = pty.openpty()
    command = [*COMMAND, *words]
    whole = {**os.environ, "TERM": "xterm", "COLUMNS": "60", "NILOMETER_NO_PROGRESS": "1", **env}
    whole.pop("NO_COLOR", None) if "NO_COLOR" not in env else None
    with os.fdopen(master, "rb", buffering=0) as reader:
        done = subprocess.Popen(
            command, cwd=forms.folder, stdin=terminal, stdout=terminal, stderr=terminal, env=whole
        )
        os.close(terminal)
        told = b""
        with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
            while part := reader.read(65536):
                told += part
        assert done.wait(60) == 0
    assert (b"\x1b[1m" in told) == coloured
    text = re.sub(r"\x1b\[[0-9;]*[mK]", "", told.decode()).replace("\r", "")
    assert max(len(line) for line in text.splitlines()) <= 60
    piped = forms.run(*words, env={"COLUMNS": "60"}).stdout.decode()
    assert "\x1b" not in piped
    assert text.split() == piped.split()


@pytest.mark.parametrize("form", TEXT)
def test_text_is_utf_8_and_ends_its_last_line(forms: Forms, form: str) -> None:
    text = forms.of(form).decode("utf-8")
    assert text.endswith("\n")
    assert "\x1b" not in text
    redacted = forms.of(form, "--redact").decode("utf-8")
    assert str(forms.folder) not in redacted


def test_files_and_folders_are_written_where_asked(forms: Forms) -> None:
    folder = forms.folder / "out"
    folder.mkdir()
    for words, made in (
        (["--format", "json", "-o", "out"], "leak.json"),
        (["--format", "pprof", "-o", "out/mine.pb.gz"], "mine.pb.gz"),
        (["--html", "-o", "out"], "leak.html"),
    ):
        done = forms.run("report", "leak.nilo", *words)
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
        assert done.stderr.decode() == f"Report: out/{made}\n"
        assert (folder / made).stat().st_size > 100
    done = forms.run("report", "leak.nilo", "--html")
    assert done.returncode == 0
    assert (forms.folder / "leak.html").exists(), "a page goes to a file"
    failed = forms.run("report", "leak.nilo", "--format", "json", "-o", "no/such/folder/x.json")
    assert (failed.returncode, failed.stdout) == (2, b"")
    assert failed.stderr.startswith(b"error: no/such/folder/x.json cannot be written")


def test_source_and_arguments_are_left_out_where_asked(forms: Forms) -> None:
    secret = forms.folder / "secret"
    secret.mkdir()
    (secret / "job.py").write_text((forms.folder / "leak.py").read_text(), encoding="utf-8")
    words = [
        "run",
        "-q",
        "-f",
        "--sample",
        "64K",
        "-o",
        "secret.nilo",
        str(secret / "job.py"),
        "--token=hunter2",
    ]
    assert forms.run(*words).returncode == 0
    for form in [*TEXT, *BINARY]:
        told = forms.of(form, "--redact", capture="secret.nilo")
        for gone in (b"hunter2", b"secret/", b"kept.append"):
            assert gone not in told, (form, gone)
    whole = json.loads(forms.of("json", capture="secret.nilo"))
    assert "hunter2" in json.dumps(whole)


def test_verbose_tells_the_stack(forms: Forms) -> None:
    done = forms.run("report", "leak.nilo", "--verbose")
    short = forms.run("report", "leak.nilo")
    told = done.stdout.decode()
    assert "     stack      " in told
    assert "keep (leak.py:8)" in told
    assert "SAMPLING" in told
    assert len(short.stdout) < len(done.stdout)
