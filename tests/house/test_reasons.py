"""Code that judges holds no sentences: it makes reasons, and `told/` puts them into words."""

from __future__ import annotations

from pathlib import Path

import pytest
from rust_literals import glued, sentences

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "crates/diagnose/src"
JUDGES = ("counted", "claims", "reconcile", "decide", "job")
# Where a literal may have more words.
CATALOGUE = ("told/", "causes/")
NO_SENTENCES = {
    "numbers.rs": "the page of numbers is compared with its table",
    "holders/unattached_lines.rs": "kinds of objects, as a list",
    "pack/traced.rs": "what hooks say of two traces, which no person reads here",
}


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
