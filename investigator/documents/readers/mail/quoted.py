"""Marks what a message quotes of older ones, by the structure of mail alone: ">" at the beginning of lines, the headers
that mail programs put above a forwarded or answered message, and block quotes of HTML. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.records import Heading

QUOTED, OWN = "[quoted message]", "[message]"
_DEPTH = re.compile(r"(?:>[ \t]?)+")
_HEADER = re.compile(r"\s?\*?[^\s:>][^:>\n]{0,24}:\*?[ \t]+\S")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w")
_FEWEST_HEADERS = 3
_LONGEST_INTRODUCTION = 200
_BEGINS, _ENDS = re.compile(r"<blockquote\b[^>]{0,500}>", re.IGNORECASE), re.compile(r"</blockquote\s*>", re.IGNORECASE)


def marked_plain(text: str) -> tuple[str, tuple[Heading, ...]]:
    """Return a plain body in which each quoted message begins with a mark and the line that introduces it, as a
    heading; text of the message itself behind a quotation has a heading too.
    """
    lines = text.split("\n")
    result: list[str] = []
    headings: list[int] = []
    depth = 0
    for index, line in enumerate(lines):
        now = _depth(line)
        if now > depth:
            _begin(result, headings)
        elif now < depth and now == 0 and line.strip():
            headings.append(len(result))
            result.append(OWN)
        depth = now if line.strip() else depth
        if not now and _begins_headers(lines, index):
            headings.append(len(result))
            result.append(QUOTED)
            result += lines[index:]
            break
        result.append(line)
    return "\n".join(result), _at(result, headings)


def marked_html(markup: str) -> str:
    """Return an HTML body in which block quotes begin and end with a mark, as headings."""
    begun = _BEGINS.sub(lambda match: f"{match[0]}<h6>{QUOTED}</h6>", markup)
    return _ENDS.sub(lambda match: f"{match[0]}<h6>{OWN}</h6>", begun)


def without_last_mark(text: str, headings: tuple[Heading, ...]) -> tuple[str, tuple[Heading, ...]]:
    """Return a text and its headings without marks of the message itself behind which nothing stands."""
    while headings and headings[-1].text == OWN and text.rstrip().endswith(OWN):
        text, headings = text.rstrip().removesuffix(OWN).rstrip(), headings[:-1]
    return text, headings


def _depth(line: str) -> int:
    quoted = _DEPTH.match(line)
    return quoted.group().count(">") if quoted is not None else 0


def _begin(result: list[str], headings: list[int]) -> None:
    """Mark the beginning of a quotation, before the line that introduces it: one that ends with a colon."""
    at = len(result)
    while at and not result[at - 1].strip("> \t"):
        at -= 1
    introduces = at and result[at - 1].rstrip().endswith(":") and len(result[at - 1]) <= _LONGEST_INTRODUCTION
    if introduces:
        result[at - 1] = f"{QUOTED} {result[at - 1].lstrip('> ')}"
        headings.append(at - 1)
    else:
        headings.append(len(result))
        result.append(QUOTED)


def _begins_headers(lines: Sequence[str], index: int) -> bool:
    """Return True if the headers of another message begin at a line: three or more, one of them with an address."""
    if index and lines[index - 1].strip(" -_=*"):
        return False
    block = []
    for line in lines[index : index + 8]:
        if not _HEADER.match(line):
            break
        block.append(line)
    return len(block) >= _FEWEST_HEADERS and index > 0 and any(_ADDRESS.search(line) for line in block)


def _at(lines: Sequence[str], headings: Sequence[int]) -> tuple[Heading, ...]:
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    return tuple(Heading(text=lines[number].strip(), start=starts[number]) for number in sorted(set(headings)))
