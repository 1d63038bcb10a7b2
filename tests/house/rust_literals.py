"""A lexer of Rust for literals: without comments, attributes, tests and the words of panics."""

from __future__ import annotations

import re

MAX_WORDS = 3
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
OF_PROGRAMMERS = re.compile(
    r"(debug_)?(assert\w*|compile_error|panic|unreachable|todo|unimplemented)!\($|\.expect\($"
)

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
