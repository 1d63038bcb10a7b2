"""What each command prints, as a text that can be compared: cases, and what of it is the same each time.

A case about a made capture is the same to the letter, but for the folder. One about a program that really
runs has other numbers each time; of it only the words stay.
`NILOMETER_CLI` names another command to test (shell words).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import made_capture

COMMAND: list[str] = shlex.split(os.environ.get("NILOMETER_CLI", "")) or [sys.executable, "-m", "nilometer"]
EXPECTED = Path(__file__).with_name("expected")
PATIENCE = 120  # seconds until a hang is called one
LOOP = """\
import time
import nilometer

KEPT = []
for turn in range(60):
    KEPT.append(bytes(200_000))
    time.sleep(0.01)
    nilometer.cycle()
"""
HOLDS = """\
import select
import sys
import nilometer

KEPT = []
for turn in range(16):
    KEPT.append(bytearray(8 << 20))
    nilometer.cycle()
print("ready", flush=True)
while not select.select([sys.stdin], [], [], 0.05)[0]:
    pass
"""


@dataclass(frozen=True)
class Told:
    code: int
    out: bytes
    err: bytes


class Desk:
    """A folder with two made captures and two programs, and the command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "train.py").write_text(made_capture.SOURCE, encoding="utf-8")
        (folder / "loop.py").write_text(LOOP, encoding="utf-8")
        (folder / "holds.py").write_text(HOLDS, encoding="utf-8")
        for name, kept in (("leak", 2 << 20), ("mended", 0)):
            made_capture.make(folder / f"{name}.nilo", kept, str(folder))

        self.version = self.tell("--version").out.decode().split()[-1]

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        plain = {"COLUMNS": "100", "NILOMETER_NO_PROGRESS": "1", "PYTHONUNBUFFERED": "1"}
        kept = {name: value for name, value in os.environ.items() if name != "GITHUB_STEP_SUMMARY"}
        return subprocess.Popen(
            [*COMMAND, *words],
            cwd=self.folder,
            env={**kept, **plain},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def tell(self, *words: str) -> Told:
        process = self.start(*words)
        out, err = process.communicate(timeout=PATIENCE)
        return Told(process.returncode, out, err)

    def exact(self, told: Told, read: Callable[[bytes], str] = bytes.decode) -> str:
        """The exit code, stdout and stderr; the folder has another name each time."""
        said = f"exit code {told.code}\n--- stdout\n{read(told.out)}--- stderr\n{told.err.decode()}"
        return said.replace(str(self.folder), "FOLDER").replace(self.version, "VERSION")

    def words(self, told: Told) -> str:
        """Without numbers and the room that they take, nor intervals, which stand only in some."""
        said = re.sub(r"[+-]?\d[\d.,_]*( ?(B|KiB|MiB|GiB|%|s|min|h|ms)\b)?", "N", self.exact(told))
        said = re.sub(r"N( N)+", "N", said)
        said = re.sub(r"\s\(N %: N to N\)", "", said)
        # With an interval a finding's rate has a line of its own; without one it may follow the sentence.
        said = re.sub(r"\n +(?=N per \w+ +SURE)", " ", said)
        return "\n".join(re.sub(r"(?<=\S) +", " ", line).rstrip() for line in said.splitlines()) + "\n"


def page(data: bytes) -> str:
    """The document without its script and style, which have tests of their own; its data on many lines."""
    document = data.decode()
    document = re.sub(r"(<style[^>]*>).*?(</style>)", r"\1...\2", document, flags=re.DOTALL)
    document = re.sub(r"(<script type=\"module\">).*?(</script>)", r"\1...\2", document, flags=re.DOTALL)
    document = re.sub(r"sha256-[\w+/=]+", "sha256-...", document)
    block = re.compile(r'(<script type="application/json" id="data">)(.*?)(</script>)', re.DOTALL)
    return block.sub(lambda found: f"{found[1]}\n{lines(found[2])}{found[3]}", document)


def lines(text: str | bytes) -> str:
    return json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"


def binary(data: bytes) -> str:
    """The texts in it, to see what differs, and a sum that tells whether anything does."""
    whole = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    texts = [found.decode() for found in re.findall(rb"[\x20-\x7e]{5,}", whole)]
    return "\n".join([f"{len(whole)} bytes, sha256 {hashlib.sha256(whole).hexdigest()}", *texts, ""])


READERS: dict[str, Callable[[bytes], str]] = {
    "html": page,
    "json": lines,
    "speedscope": lines,
    "firefox": lines,
    "sarif": lines,
    "pprof": binary,
    "tensorboard": binary,
    "parquet": binary,
}


def values(desk: Desk, command: str) -> list[str]:
    """What may stand behind `--format`, as the help says."""
    told = desk.tell(command, "--help").out.decode()
    _, _, behind = told.partition("--format <FORMAT>")
    return re.findall(r"^ +- ([a-z]+): ", behind.partition("[default")[0], re.MULTILINE)


def reported(desk: Desk, form: str) -> str:
    told = desk.tell("report", "leak.nilo", "--format", form, "-o", "-")
    return desk.exact(told, READERS.get(form, bytes.decode))


def differing(desk: Desk, form: str) -> str:
    told = desk.tell("diff", "mended.nilo", "leak.nilo", "--format", form, "-o", "-")
    return desk.exact(told, READERS.get(form, bytes.decode))


def asked(desk: Desk) -> str:
    """A census of a program that waits."""
    running = desk.start("run", "-q", "-f", "-o", "holds.nilo", "holds.py")
    assert running.stdout is not None
    assert running.stdin is not None
    assert running.stdout.readline() == b"ready\n"
    told = desk.tell("census", "holds.nilo")
    running.communicate(timeout=PATIENCE)
    # What Python itself holds differs from version to version.
    heading, largest = told.out.split(b"\n\n")[0], told.out.split(b"\n\n")[1].split(b"\n")[0]
    # A rate needs several cycles between the scans, which come by the clock.
    largest = re.sub(rb", [\d.]+ more per step", b"", largest)
    return desk.words(Told(told.code, heading + b"\n\n" + largest + b"\n", told.err))


def served(desk: Desk) -> str:
    process = desk.start("serve", "leak.nilo")
    assert process.stdout is not None
    link = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    shown = re.sub(rb":\d+/\?token=[0-9a-f]{32}\n", b":PORT/?token=TOKEN\n", link + out)
    return desk.exact(Told(process.returncode, shown, err))


def ran(desk: Desk) -> str:
    """The heading and the finding. How sure that is and what else the memory is differ from run to run."""
    told = desk.tell("run", "-f", "-o", "loop.nilo", "loop.py")
    kept = re.sub(rb"\. At this rate the limit.*?\n(?=      live)", b".\n", told.err, flags=re.DOTALL)
    kept = re.sub(rb"(held by +\S+).*", rb"\1", kept)
    kept = re.sub(rb"(certain|likely|possible)\n", b"SURE\n", kept)
    kept = re.sub(rb"NOT A LEAK\n.*?\n\n", b"", kept, flags=re.DOTALL)
    return desk.words(Told(told.code, told.out, kept))


# Of programs that really run: how long their numbers are decides where lines break.
LIVE = {"run", "run-quiet", "prove", "fix", "census"}
CASES: dict[str, Callable[[Desk], str]] = {
    "run": ran,
    "run-quiet": lambda desk: desk.words(desk.tell("run", "-q", "-f", "-o", "loop.nilo", "loop.py")),
    "run-wrong": lambda desk: desk.exact(desk.tell("run", "--sample", "1", "train.py")),
    "report": lambda desk: desk.exact(desk.tell("report", "leak.nilo")),
    "report-verbose": lambda desk: desk.exact(desk.tell("report", "leak.nilo", "--verbose")),
    "report-redact": lambda desk: desk.exact(desk.tell("report", "leak.nilo", "--redact")),
    "report-no-leak": lambda desk: desk.exact(desk.tell("report", "mended.nilo")),
    "report-nothing": lambda desk: desk.exact(desk.tell("report", "no_such_file.nilo")),
    "diff": lambda desk: desk.exact(desk.tell("diff", "mended.nilo", "leak.nilo", "--fail-on-growth")),
    "diff-same": lambda desk: desk.exact(desk.tell("diff", "leak.nilo", "leak.nilo", "--fail-on-growth")),
    "serve": served,
    "status": lambda desk: desk.exact(desk.tell("status", "leak.nilo", "--exit-code")),
    "status-json": lambda desk: desk.exact(desk.tell("status", "leak.nilo", "--format", "json"), lines),
    "status-nothing": lambda desk: desk.exact(desk.tell("status", "2147483647")),
    "guard-dry": lambda desk: desk.exact(desk.tell("guard", "--dry-run", "leak.nilo")),
    "prove": lambda desk: desk.words(desk.tell("prove", "-o", "proved", "loop.py")),
    "fix": lambda desk: desk.words(desk.tell("fix", "-o", "mended", "loop.py")),
    "plan": lambda desk: desk.words(desk.tell("plan", "-o", "planned", "loop.py")),
    "census": asked,
    # No process has this number.
    "attach-nothing": lambda desk: desk.exact(desk.tell("attach", "2147483647")),
    "detach-nothing": lambda desk: desk.exact(desk.tell("detach", "2147483647")),
    "census-of-the-ended": lambda desk: desk.exact(desk.tell("census", "leak.nilo")),
}
