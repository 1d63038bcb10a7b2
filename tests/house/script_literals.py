"""A lexer of the page's scripts for texts; a place that a template fills in is a space."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rust_literals import MAX_WORDS

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<regex>(?<![\w)\]\s])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+/[a-z]*)
  | "(?P<double>(?:\\.|[^"\\])*)"
  | '(?P<single>(?:\\.|[^'\\])*)'
  | (?P<template>`)
  | (?P<open>{)
  | (?P<close>})
    """,
    re.VERBOSE | re.DOTALL,
)
PART = re.compile(r"(?P<end>`)|(?P<place>\$\{)|\\.|[^\\`$]+|\$", re.DOTALL)
WORD = re.compile(r"[^\W\d_][^\s]*")
# Selectors and media queries are for the browser.
FOR_BROWSERS = re.compile(r"^main > |^details|^\(prefers-|^http://|^:scope")


def literals(source: str) -> Iterator[str]:
    yield from code(source, 0, [])


def code(source: str, at: int, ends: list[int]) -> Iterator[str]:
    """The texts from here to the bracket that closes; `ends` gets the place behind it."""
    depth = 0
    while found := TOKEN.search(source, at):
        at = found.end()
        if found["template"]:
            behind: list[int] = []
            yield from template(source, at, behind)
            at = behind[0]
        elif found["open"]:
            depth += 1
        elif found["close"]:
            depth -= 1
            if depth < 0:
                break
        elif (said := found["double"] or found["single"]) is not None:
            yield said
    ends.append(at)


def template(source: str, at: int, ends: list[int]) -> Iterator[str]:
    said = ""
    while not (part := PART.match(source, at)) or not part["end"]:
        assert part, source[at : at + 40]
        at = part.end()
        if part["place"]:
            said += " "
            behind: list[int] = []
            yield from code(source, at, behind)
            at = behind[0]
        else:
            said += part.group()
    yield said
    ends.append(part.end())


def sentences(source: str) -> list[str]:
    """Texts of more than a few words."""
    texts = (said for said in literals(source) if not FOR_BROWSERS.search(said))
    return [said for said in texts if len(WORD.findall(said)) > MAX_WORDS]
