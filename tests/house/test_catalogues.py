"""Each crate keeps its sentences in one place; elsewhere a literal has three words at most."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import script_literals
from rust_literals import sentences

CRATES = Path(__file__).resolve().parents[2] / "crates"
SCRIPTS = CRATES / "report/src/html/js"
# Where the sentences of a crate stand; in `symbols` tables name the parts of native code, too.
CATALOGUES = {
    "attach": ["words.rs"],
    "capture": ["words/"],
    "census": ["words.rs"],
    "cli": ["words/"],
    "frameworks": ["*/causes/", "*/device.rs", "*/faults.rs", "*/parts/", "*/phases.rs", "xla/mod.rs"],
    "native": ["words.rs"],
    "plan": ["words/"],
    "prove": ["words/"],
    "pyframes": ["words.rs"],
    "recorder": ["words.rs"],
    "report": ["words/"],
    "symbols": ["words.rs", "part/table.rs"],
}
# `test_reasons.py` has the diagnosis. A crate without a catalogue has no sentence.
ALL = sorted(file.parent.name for file in CRATES.glob("*/Cargo.toml") if file.parent.name != "diagnose")
MAX_SENTENCE_WORDS = 25
# A sentence ends with a mark and a space or a line, not within `train.py`.
ENDS = re.compile(r"[.:;](?:\s|$)")
# Literals that only machines read, by how they begin.
FOR_MACHINES = {
    "attach/src/queue.rs": ["try:"],
    "cli/src/metrics/door.rs": ["HTTP/1.1 "],
    "cli/src/metrics/otlp.rs": ["POST "],
    "cli/src/metrics/request.rs": ["431 Request Header", "505 HTTP Version"],
    "cli/src/prove/scratch.rs": ["import ctypes; "],
    "cli/src/prove/trial.rs": ["ulimit -S -d "],
    "native/src/arenas.rs": ['{{"count"'],
    "recorder/src/tls.rs": ["mov ", "add ", "sub "],
    "report/src/card.rs": ["border:1px solid", "<div style="],
    "report/src/exposition.rs": ["# HELP "],
    "report/src/html/document.rs": ["default-src 'none'; "],
    "report/src/junit.rs": ["<testsuites ", "  <testsuite ", "    <testcase ", "      <failure "],
}


def catalogue_of(crate: str) -> list[Path]:
    sources = CRATES / crate / "src"
    places = [found for place in CATALOGUES.get(crate, []) for found in sources.glob(place.rstrip("/"))]
    return [file for place in places for file in ([place] if place.is_file() else place.rglob("*.rs"))]


def is_for_machines(file: str, said: str) -> bool:
    return any(said.startswith(begin) for begin in FOR_MACHINES.get(file, []))


@pytest.mark.parametrize("crate", ALL)
def test_sentences_stand_in_the_catalogue_of_their_crate(crate: str) -> None:
    sources = CRATES / crate / "src"
    catalogue = catalogue_of(crate)
    assert bool(catalogue) == (crate in CATALOGUES)
    found = {}
    for file in sources.rglob("*.rs"):
        if file not in catalogue:
            name = str(file.relative_to(CRATES))
            found[name] = [said for said in sentences(file.read_text()) if not is_for_machines(name, said)]
    assert {file: said for file, said in found.items() if said} == {}


@pytest.mark.parametrize("crate", CATALOGUES)
def test_a_sentence_is_short(crate: str) -> None:
    parts = [
        part
        for file in catalogue_of(crate)
        for said in sentences(file.read_text())
        for part in ENDS.split(said)
    ]
    assert [part for part in parts if len(part.split()) > MAX_SENTENCE_WORDS] == []


def test_what_machines_read_is_there() -> None:
    for file, begins in FOR_MACHINES.items():
        said = sentences((CRATES / file).read_text())
        assert all(any(one.startswith(begin) for one in said) for begin in begins), file


def test_sentences_of_the_page_stand_in_its_words() -> None:
    found = {file.name: script_literals.sentences(file.read_text()) for file in SCRIPTS.glob("*.js")}
    assert len(found) > 20
    assert {file: said for file, said in found.items() if said} == {}


def test_a_sentence_of_the_page_is_short() -> None:
    said = [one for file in SCRIPTS.glob("words/*.js") for one in script_literals.sentences(file.read_text())]
    assert len(said) > 80
    parts = [part for one in said for part in ENDS.split(one)]
    assert [part for part in parts if len(part.split()) > MAX_SENTENCE_WORDS] == []


def test_what_a_page_says_is_found() -> None:
    source = """x = `Each row is ${many ? `one of many rows here` : "a"} long`; // "not in a comment at all"
    y = text.match(/"[^"]*" is no text of it/u); z = a / b; say('live memory grows again');"""
    assert script_literals.sentences(source) == [
        "one of many rows here",
        "Each row is   long",
        "live memory grows again",
    ]
