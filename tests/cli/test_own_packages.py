"""Whose code keeps memory: an installed package of the user's own, a framework outside of site-packages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_bench import Bench

LOOP = """\
import time


class Trainer:
    def __init__(self, rounds):
        self.rounds = rounds
        self.curves = []

    def train(self):
        for number in range(1, self.rounds + 1):
            self.one_round(number)
            print(f"epoch {number}/{self.rounds}  best {number / 7:.3f}")

    def one_round(self, number):
        scores = bytearray(300_000)
        time.sleep(0.02)
        self.curves.append(scores)
        return scores
"""
KEPT_LINE = 1 + LOOP.splitlines().index("        self.curves.append(scores)")
SCRIPT = """\
from {package}.loop import Trainer

def main():
    trainer = Trainer(rounds=24)
    trainer.train()

main()
"""
CALL_LINE = 1 + SCRIPT.splitlines().index("    trainer.train()")


def install(bench: Bench, package: str, folder: str) -> dict[str, str]:
    """Puts the package into the folder; the environment in which Python finds it there."""
    at = bench.folder / folder / package
    at.mkdir(parents=True)
    (at / "__init__.py").write_text("")
    (at / "loop.py").write_text(LOOP)
    return {"PYTHONPATH": str(bench.folder / folder)}


def report(bench: Bench, *args: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(
        bench.report(str(bench.captures()[-1]), "--format", "json", *args).stdout
    )
    assert told["verdict"] == "leak", told["reason"]
    return told


def lines(told: dict[str, Any], role: str) -> list[tuple[str, int]]:
    sites = [site for finding in told["findings"] for site in finding["sites"]]
    return [(Path(site["file"]).name, site["line"]) for site in sites if site["role"] == role]


def test_an_installed_package_is_somebody_elses(bench: Bench) -> None:
    there = install(bench, "acme_train", "site-packages")
    bench.watched("-q", bench.script(SCRIPT.format(package="acme_train")), env=there)
    told = report(bench)
    assert lines(told, "made_at") == [("prog.py", CALL_LINE)]
    assert lines(told, "kept_at") == []


@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_package_that_the_user_owns_is_named(bench: Bench, how: str) -> None:
    there = install(bench, "acme_train", "site-packages")
    options = ["--own", "acme-train"] if how == "option" else []
    if how == "variable":
        there["NILOMETER_OWN"] = "other,acme_train"
    bench.watched("-q", *options, bench.script(SCRIPT.format(package="acme_train")), env=there)
    told = report(bench)
    assert lines(told, "kept_at") == [("loop.py", KEPT_LINE)]
    finding = told["findings"][0]
    assert finding["holder"]["owner"] == "Trainer"
    # The file can be opened, and its line was read.
    kept = next(site for site in finding["sites"] if site["role"] == "kept_at")
    assert Path(kept["file"]).name == "loop.py"
    assert kept["text"] == "self.curves.append(scores)"


def test_a_recording_without_it_can_be_judged_anew(bench: Bench) -> None:
    there = install(bench, "acme_train", "site-packages")
    bench.watched("-q", bench.script(SCRIPT.format(package="acme_train")), env=there)
    assert [file for file, _ in lines(report(bench, "--own", "acme_train"), "made_at")] == ["loop.py"]


@pytest.mark.parametrize(("options", "file"), [([], "prog.py"), (["--own", "optuna"], "loop.py")])
def test_a_framework_is_a_library_wherever_it_lies(bench: Bench, options: list[str], file: str) -> None:
    there = install(bench, "optuna", "checkout")
    bench.watched("-q", *options, bench.script(SCRIPT.format(package="optuna")), env=there)
    assert {name for name, _ in lines(report(bench), "made_at")} == {file}


def test_it_holds_for_what_the_program_becomes(bench: Bench) -> None:
    there = install(bench, "acme_train", "site-packages")
    again = "if len(sys.argv) == 1:\n    os.execv(sys.executable, [sys.executable, __file__, 'again'])\n"
    script = bench.script(f"import os, sys\n{again}" + SCRIPT.format(package="acme_train"))
    bench.watched("-q", "--own", "acme_train", script, env=there)
    assert lines(report(bench), "kept_at") == [("loop.py", KEPT_LINE)]


def test_the_program_sees_nothing_of_it(bench: Bench) -> None:
    script = bench.script("import os\nprint(sorted(name for name in os.environ if 'NILOMETER' in name))\n")
    done = bench.watched("-q", "--own", "acme_train", script)
    assert done.stdout == bench.plain(script).stdout


def test_what_is_no_package_is_refused(bench: Bench) -> None:
    done = bench.watched("--own", "/opt/acme", bench.script("print(1)"))
    assert done.returncode == 2
    assert b"a package, as `import` names it" in done.stderr
