"""Removes inline marks from Markdown, line by line, so that a quote reads like the rendered page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARK = re.compile(r"\\[^\w\s]|[*`]|(?<!\w)_|_(?!\w)|<[a-zA-Z/!]|&#?\w+;|\]\(")
"""Matches possible marks; a paragraph without a match is left unchanged."""
_ADDRESS = re.compile(r"[a-zA-Z][\w+.-]*:")
_KEPT = "\ue000|"
"""Placeholder for an escaped bar in a table, which is not a cell border."""


def without_marks(text: str) -> str:
    """Return the text without emphasis, escapes, tags, entities and code marks; a link becomes its words and its
    address. Headings, lists, quotes and tables keep their marks at the start of lines; fenced code keeps all marks. The
    number of lines is unchanged.
    """
    return "\n".join(line for block in _blocks(text) for line in block)


def outside_code(text: str, front: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the lines from offset `front` on, with their offsets; fenced code becomes empty lines."""
    offset, fence = front, ""
    for line in text[front:].split("\n"):
        mark = _FENCE.match(line)
        if fence:
            yield offset, ""
            if mark and mark.group(1).startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark.group(1)
            yield offset, ""
        else:
            yield offset, line
        offset += len(line) + 1


def _blocks(text: str) -> Iterator[list[str]]:
    """Yield the lines of each paragraph without marks; blank lines and code are unchanged."""
    pairs = zip(text.split("\n"), outside_code(text), strict=True)
    for is_prose, group in groupby(pairs, key=lambda pair: bool(pair[1][1].strip())):
        lines = [line for line, _ in group]
        yield _plain(lines) if is_prose else lines


def _plain(lines: list[str]) -> list[str]:
    together = "\n".join(lines)
    if not _MARK.search(together):
        return lines
    texts = _words(together)
    if len(texts) != len(lines):  # a pair of marks has swallowed a line break, so treat each line separately
        texts = [" ".join(_words(line)) for line in lines]
    return [line[: len(line) - len(line.lstrip())] + plain.strip() for line, plain in zip(lines, texts, strict=True)]


def _words(text: str) -> list[str]:
    """Return the text of a paragraph without its marks, line by line; an external link is followed by its address."""
    plain, address, words = "", "", ""
    for token in _parser().parseInline(text.replace("\\|", _KEPT))[0].children or []:
        if token.type == "link_open":
            address, words = str(token.attrs.get("href", "")), ""
        elif token.type == "link_close":
            if _ADDRESS.match(address) and words not in (address, address.removeprefix("mailto:")):
                plain += f" ({address})"
        else:
            words += token.content
            plain += _text_of(token)
    return plain.replace(_KEPT, "\\|").split("\n")


def _text_of(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type == "html_inline":
        return "\n" * token.content.count("\n") or (" " if token.content.lower().startswith("<br") else "")
    return token.content


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # imported when the first file needs it

    return MarkdownIt("commonmark")
