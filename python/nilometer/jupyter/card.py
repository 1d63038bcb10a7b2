"""What a magic shows: a small piece of HTML, and the same as text.

In: rows of words and bytes. Out: an object that a notebook shows.
Never: a string of the person's that a browser takes for markup; a script, a style sheet, a colour of text.
"""

from __future__ import annotations

import re
from html import escape

_BOX = (
    "border:1px solid rgba(128,128,128,.4);border-left-width:4px;padding:.5em .8em;max-width:60em;"
    "line-height:1.45;color:inherit;background:transparent;margin:.3em 0"
)
_CELL = "text-align:left;padding:.1em .9em .1em 0;vertical-align:top;border:0;background:transparent"
_NUMBER = "text-align:right;padding:.1em .9em .1em 0;vertical-align:top;white-space:nowrap;border:0"
_CODE = "font-family:monospace;color:inherit;background:transparent;overflow-wrap:anywhere"


class Shown:
    """HTML and the same words as text."""

    def __init__(self, text: str, html: str) -> None:
        self._text = text
        self._html = html

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html


def size(count: float) -> str:
    """Bytes as a person says them; with a sign where they became fewer."""
    sign, count = ("-", -count) if count < 0 else ("", count)
    for unit in ("B", "KiB", "MiB"):
        if count < 999.5:
            return (
                f"{sign}{count:.0f} {unit}" if unit == "B" or count >= 99.5 else f"{sign}{count:.3g} {unit}"
            )
        count /= 1024
    return f"{sign}{count:.3g} GiB"


def code(text: str) -> str:
    """Words of the person's, as HTML."""
    return f'<code style="{_CODE}">{escape(text)}</code>'


def box(title: str, parts: list[str], color: str = "rgba(128,128,128,.6)") -> str:
    """A box with a title; the parts are HTML."""
    inner = "".join(parts)
    head = f'<div style="margin:.1em 0 .3em"><strong>{escape(title)}</strong></div>' if title else ""
    return f'<div style="{_BOX};border-left-color:{color}">{head}{inner}</div>'


def table(rows: list[tuple[str, str, str]]) -> str:
    """Rows of an amount, words of the person's, and words of ours; as HTML."""
    lines = [
        f'<tr style="background:transparent"><td style="{_NUMBER}">{escape(amount)}</td>'
        f'<td style="{_CELL}">{code(what)}</td><td style="{_CELL}">{_unbroken(more)}</td></tr>'
        for amount, what, more in rows
    ]
    return f'<table style="border-collapse:collapse;border:0;margin:0">{"".join(lines)}</table>'


def _unbroken(text: str) -> str:
    """As HTML; a number stays with its unit."""
    return re.sub(r"(\d) ([KMG]?i?B)\b", r"\1&nbsp;\2", escape(text))


def line(text: str) -> str:
    """A line of our words, as HTML."""
    return f'<div style="margin:.2em 0">{escape(text)}</div>'


def link(page: str, text: str) -> str:
    """A line of our words that leads to a page, as HTML."""
    return f'<div style="margin:.3em 0"><a href="{page}" target="_blank">{escape(text)}</a></div>'


def columns(rows: list[tuple[str, str, str]]) -> str:
    """The same rows as text."""
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(2)]
    return "\n".join(f"  {a:>{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows)
