"""Code that judges holds no sentences: it makes reasons, and `told/` puts them into words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates/diagnose/src"
JUDGES = ("counted", "claims", "reconcile", "decide", "job")
MAX_WORDS = 3
# Where a literal may have more words.
CATALOGUE = ("told/", "causes/")
NO_SENTENCES = {
    "numbers.rs": "the page of numbers is compared with its table",
    "holders/unattached_lines.rs": "kinds of objects, as a list",
}
# What glues a sentence together from shorter pieces.
GLUE = re.compile(
    r"\b(format|format_args|concat|stringify|write|writeln|include_str)!|\.(push_str|join|concat)\("
)

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*)
  | (?P<block>/\*)
  | b?c?r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)
  | [bc]?"(?P<text>(?:\\.|[^"\\])*)"
  | b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\])'
  | (?P<lifetime>'\w+)
  | (?P<word>\w+)
  | (?P<mark>\S)
    """,
    re.VERBOSE | re.DOTALL,
)
# Only a programmer reads what these say.
OF_PROGRAMMERS = re.compile(r"(debug_)?(assert\w*|panic|unreachable|todo|unimplemented)!\($|\.expect\($")

Token = tuple[str, str]  # "text" or "code", and what it says


def tokens(source: str) -> list[Token]:
    """The literals and the marks of a source; no comments."""
    out: list[Token] = []
    at = 0
    while found := TOKEN.search(source, at):
        at = found.end()
        if found["block"]:
            at = end_of_comment(source, at)
        elif found["raw"] is not None or found["text"] is not None:
            # A line that ends with a backslash goes on in the next one.
            said = found["raw"] if found["raw"] is not None else re.sub(r"\\\s*\n\s*", "", found["text"])
            out.append(("text", said))
        elif not found["comment"]:
            out.append(("code", found.group()))
    return out


def end_of_comment(source: str, at: int) -> int:
    depth = 1
    while depth and (found := re.compile(r"/\*|\*/").search(source, at)):
        depth += 1 if found.group() == "/*" else -1
        at = found.end()
    return at


def text(stream: list[Token]) -> str:
    """The code, with empty literals."""
    return "".join(what if kind == "code" else '""' for kind, what in stream)


def closed(stream: list[Token], at: int) -> int:
    """The place behind the bracket that closes the one at this place."""
    depth = 0
    for index in range(at, len(stream)):
        kind, what = stream[index]
        depth += (what in "([{") - (what in ")]}") if kind == "code" else 0
        if not depth:
            return index + 1
    return len(stream)


def behind_item(stream: list[Token], at: int) -> int:
    """The place behind the item that begins here, with its own attributes."""
    while stream[at] != ("code", "{"):
        if stream[at] == ("code", ";"):
            return at + 1
        at = closed(stream, at)
    return closed(stream, at)


def told(source: str) -> list[Token]:
    """What is left without attributes, tests, and the words of panics."""
    stream = tokens(source)
    out: list[Token] = []
    at = 0
    while at < len(stream):
        if stream[at] == ("code", "#") and text(stream[at + 1 : at + 3]).startswith(("[", "![")):
            is_test = text(stream[at : at + 7]) == "#[cfg(test)]"
            at = closed(stream, at + (2 if stream[at + 1] == ("code", "!") else 1))
            at = behind_item(stream, at) if is_test else at
        elif stream[at] == ("code", "(") and OF_PROGRAMMERS.search(text(stream[max(0, at - 2) : at + 1])):
            at = closed(stream, at)
        else:
            out.append(stream[at])
            at += 1
    return out


def sentences(source: str) -> list[str]:
    """Literals of more than a few words."""
    words = re.compile(r"[^\W\d_][^\s{}]*")
    texts = (re.sub(r"{[^{}]*}", " ", what) for kind, what in told(source) if kind == "text")
    return [said for said in texts if len(words.findall(said)) > MAX_WORDS]


def glued(source: str) -> list[str]:
    """What puts a sentence together: macros, methods, pieces that begin or end with a space."""
    stream = told(source)
    pieces = [what for kind, what in stream if kind == "text" and what != what.strip()]
    return pieces + [found.group() for found in GLUE.finditer(text(stream))]


@pytest.mark.parametrize("stage", JUDGES)
def test_a_stage_that_judges_makes_no_text(stage: str) -> None:
    files = {str(file.relative_to(SOURCES)): file.read_text() for file in (SOURCES / stage).rglob("*.rs")}
    assert files
    found = {file: sentences(source) + glued(source) for file, source in files.items()}
    assert {file: said for file, said in found.items() if said} == {}


def test_sentences_stand_in_the_catalogue_alone() -> None:
    files = {str(file.relative_to(SOURCES)): file.read_text() for file in SOURCES.rglob("*.rs")}
    assert all(files[file] for file in NO_SENTENCES)
    judged = {file: sentences(source) for file, source in files.items() if not file.startswith(CATALOGUE)}
    assert {file for file, said in judged.items() if said} == set(NO_SENTENCES)


@pytest.mark.parametrize(
    "source",
    [
        'let why = "live memory grows again";',
        'let why = "live \\\n    memory \\\n grows again";',
        'let why = r#"live "memory" grows again"#;',
        'let why = "it\'s {} per {unit}, at the most";',
        'let quote = \'"\'; let why = "live memory grows again";',
        "fn of<'a>(x: &'a str) { say(\"live memory grows again\") }",
        'const WHY: &str = "live memory grows again"; // "short"',
        '/* a /* nested */ one */ let why = "live memory grows again";',
        '#[cfg(test)] mod tests { fn a() { "}" } } let why = "live memory grows again";',
        'assert!(true); let why = "live memory grows again";',
        '#[cfg(test)] use a::b; let why = "live memory grows again";',
        '#[cfg(test)] #[expect(dead_code)] fn a() -> [u8; 2] { [0] } let why = "live memory grows again";',
    ],
)
def test_a_sentence_is_found(source: str) -> None:
    assert sentences(source)


@pytest.mark.parametrize(
    "source",
    [
        'let why = format!("{} {}", "live memory", "grows again");',
        'let why = ["live memory", "grows again"].join(" ");',
        'let why = concat!("live memory", " ", "grows again");',
        'why.push_str("live memory");',
        'let why = "live memory ".to_owned() + "grows again";',
    ],
)
def test_glue_is_found(source: str) -> None:
    assert glued(source)


@pytest.mark.parametrize(
    "source",
    [
        '/// He said "live memory grows again".',
        '/* "live memory grows again" */ let path = "at_exit";',
        'if confidence != "possible" && unit == "per request made" {}',
        "let quote = '\"'; let apostrophe = '\\''; // \"live memory grows again\"",
        '#[expect(dead_code, reason = "the table is for the docs")] fn a() {}',
        '#[cfg(test)] mod tests { fn a() { let why = "live memory grows again"; } }',
        '#[cfg(test)] #[allow(a, reason = "b")] mod tests { const WHY: &str = "live memory grows again"; }',
        'let words = "no {more} than {these} three";',
        'let command = "MALLOC_ARENA_MAX=2 nilometer run {script}";',
        'let key = "jax_gpu_memory_reserved";',
        'debug_assert_eq!(a, b(c), "they come in the order {}", 1);',
        'x.expect("a reading has a level");',
    ],
)
def test_what_no_user_reads_is_none(source: str) -> None:
    assert sentences(source) + glued(source) == []
