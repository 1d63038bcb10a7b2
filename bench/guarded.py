"""`nilometer guard` near a limit: leaking programs must be saved in time, and healthy ones left alone.

    python bench/guarded.py                           20 leaking and 40 healthy programs of corpus/
    python bench/guarded.py --leaks 3 --healthy 0     the three shortest that leak
    python bench/guarded.py --files                   in cgroups that are full of pages of a file
    python bench/guarded.py --only memmap_reader      these programs

In: programs of `corpus/`. Out: a row per program and a summary; all output of the runs is kept. Each program
runs once alone, in a cgroup without a limit. Its peak is the need, of a leaking one that of the first epochs.
A leaking one gets 1.2 times its need and more epochs than fit into that. A healthy one gets a limit that its
peak fills to 85 %. Where no cgroup can be made, the limit is `--limit`, and no kernel kills.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from confined import Group, Run, file_of, run
from guarded_programs import Program, programs

MIB = 1 << 20
PAGE_BYTES = 4096
STOPPED = 75  # the guard's exit code
# A leaking program is given so much of its need; a healthy one fills so much of its limit.
LEAK_FACTOR, HEALTHY_SHARE = 1.2, 0.85
# Epochs of a leaking program that count as its need: they make graphs and caches.
FIRST_EPOCHS = 3
# So many times the epochs that fill the room: a leak is less in some epochs. And never more than this.
EPOCHS_FACTOR, MOST_EPOCHS = 3, 1000
PATIENCE_S = 400  # until a run is called a hang
USED = re.compile(r"([\d.]+) ([KMG]i)?B of ([\d.]+) ([KMG]i)?B \(")
UNITS = {None: 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
HEAD = f"{'program':27} {'':8} {'need':>6} {'limit':>6} {'peak':>6} {'exit':>6} {'killed':>6}  acted at"


@dataclass(frozen=True)
class Row:
    """What was seen of one program."""

    program: Program
    limit: int
    alone: Run
    guarded: Run

    @property
    def acted_at(self) -> float | None:
        """The share of the limit that was in use when the guard stopped the program, by its own words."""
        found = USED.search(self.guarded.stderr)
        if self.guarded.exit_code != STOPPED or found is None:
            return None
        used, unit, limit, limit_unit = found.groups()
        return float(used) * UNITS[unit] / (float(limit) * UNITS[limit_unit])

    @property
    def collected(self) -> bool:
        return "collecting garbage gave back" in self.guarded.stderr

    @property
    def is_right(self) -> bool:
        if self.guarded.kills:
            return False
        if self.program.leaks:
            return self.guarded.exit_code == STOPPED
        says_the_same = self.guarded.stdout == self.alone.stdout or not self.program.same_stdout
        return self.guarded.exit_code == self.alone.exit_code and says_the_same

    def __str__(self) -> str:
        code = "hung" if self.guarded.exit_code is None else self.guarded.exit_code
        share = self.acted_at
        acted = f"{100 * share:.0f} %" if share is not None else "collected" if self.collected else ""
        sizes = f"{self.alone.peak_bytes / MIB:6.0f} {self.limit / MIB:6.0f}"
        peak = f"{100 * self.guarded.peak_bytes / self.limit:4.0f} %"
        end = f"{code:>6} {self.guarded.kills:6}  {acted:10}{self.guarded.wall_s:5.0f} s"
        wrong = "" if self.is_right else "  WRONG"
        return f"{self.program.folder:27} {self.program.kind:8} {sizes} {peak} {end}{wrong}"


def seen(program: Program, keep: Path, confined: bool, files: bool) -> Row:
    """Runs it alone, then guarded."""
    folder = keep / f"{program.folder}-{program.kind}"
    for name in ("alone", "guarded"):
        (folder / name).mkdir(parents=True)
    words = [sys.executable, str(program.script), *program.arguments]
    if program.source_in_c:
        library, source = folder / "native.so", program.script.with_name(program.source_in_c)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
        words = [word.replace("{library}", str(library)) for word in words]
    first = ["--epochs", str(FIRST_EPOCHS)] if program.leaks else []
    alone = run([*words, *first], folder / "alone", None, PATIENCE_S)
    # After so few epochs a leaking program may lack what it prints at its end; its peak is seen all the same.
    if alone.exit_code != 0 and not program.leaks:
        raise RuntimeError(f"{program.folder} alone: exit code {alone.exit_code}\n{alone.stderr[-2000:]}")
    factor = LEAK_FACTOR if program.leaks else 1 / HEALTHY_SHARE
    limit = int(alone.peak_bytes * factor) // PAGE_BYTES * PAGE_BYTES
    if program.leaks:
        epochs = math.ceil((limit - alone.peak_bytes) * EPOCHS_FACTOR / program.bytes_per_epoch)
        words += ["--epochs", str(min(max(epochs, program.epochs), MOST_EPOCHS))]
    options = ["-q", "--no-live", "-o", "run.nilo", *([] if confined else ["--limit", str(limit)])]
    words[1:1] = ["-m", "nilometer", "guard", *options]
    pages = file_of(limit, folder / "pages") if files and confined else None
    guarded = run(words, folder / "guarded", limit, PATIENCE_S, pages)
    if pages is not None:
        pages.unlink()
    return Row(program, limit, alone, guarded)


def summary(rows: list[Row]) -> str:
    leaks = [row for row in rows if row.program.leaks]
    healthy = [row for row in rows if not row.program.leaks]
    shares = [row.acted_at for row in leaks if row.acted_at is not None]
    span = f", at {100 * min(shares):.0f} to {100 * max(shares):.0f} % of the limit" if shares else ""
    stopped = sum(row.guarded.exit_code == STOPPED for row in healthy)
    return (
        f"leaking: {sum(row.is_right for row in leaks)} of {len(leaks)} saved and stopped{span}\n"
        f"healthy: {stopped} of {len(healthy)} stopped, "
        f"{sum(row.collected for row in healthy)} collected for, "
        f"{sum(not row.is_right for row in healthy)} not as alone\n"
        f"runs in which the kernel killed: {sum(row.guarded.kills > 0 for row in rows)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leaks", type=int, default=20, help="leaking programs (default 20)")
    parser.add_argument("--healthy", type=int, default=40, help="healthy programs (default 40)")
    parser.add_argument("--longest", type=float, default=120, metavar="SECONDS", help="leave longer ones out")
    parser.add_argument("--only", nargs="+", metavar="PROGRAM", help="folders of corpus/")
    parser.add_argument("--files", action="store_true", help="fill each cgroup with pages of a file before")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="a new folder for the output of all runs")
    parser.add_argument("--list", action="store_true", help="say which programs, and run none")
    words = parser.parse_args()
    chosen = []
    for leaking, count in ((True, words.leaks), (False, words.healthy)):
        known = [one for one in programs(leaking) if one.seconds <= words.longest]
        known = [one for one in known if words.only is None or one.folder in words.only]
        chosen += known[:count]
    if words.list:
        for one in chosen:
            print(f"{one.folder:27} {one.kind:8} {one.seconds:4.0f} s  {' '.join(one.arguments)}")
        return
    keep = words.keep or Path(tempfile.mkdtemp(prefix="bench-guarded-"))
    group = Group.make()
    if group is not None:
        group.remove()
    print(f"limit by {'a cgroup' if group is not None else '--limit'}; outputs in {keep}; MiB\n{HEAD}")
    rows: list[Row] = []
    for program in chosen:
        rows.append(seen(program, keep, group is not None, words.files))
        print(rows[-1], flush=True)
    print(summary(rows))
    sys.exit(0 if all(row.is_right for row in rows) else 1)


if __name__ == "__main__":
    main()
