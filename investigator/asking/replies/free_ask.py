"""Parses a scored reply written as free text: a point, quotes, and the remaining text as the reply.

Quotes are found after "Quote:", in the list below it, as block quotes, and in quotation marks. Labels ("Reply:"), lines
with the point, and lines that underline a heading are removed from the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from investigator.asking.replies.points import read_point
from investigator.language.late_patterns import late
from investigator.records import AskReply

_POINT_LINE = late(
    r"^[\W_]*(?:(?:final|overall|relevance|my)\s+)?(?:points?|score|rating|relevance|punkte|punktzahl|bewertung|点数|点數"
    r"|スコア|评分|評分|得分|점수)(?:[\W_]|\d|out of|of|percent|points?|n/?a|none)*$",
    re.IGNORECASE,
)
_POINT_LEAD = late(
    r"^[\W_]*(?:points?|score|rating)[\W_]*[:=][\W_]*\d[\d.,]*[ \t]*(?:%|/[ \t]*\d+|out of \d+)?[\s.,;:/*_-]*",
    re.IGNORECASE,
)
_BARE_VALUE = late(r"^[\W_]*\d{1,3}(?:[.,]\d+)?\s*(?:%|/\s*\d+|out of \d+)?[\W_]*$")
_QUOTE_LINE = late(
    r"^[\W_]*(?:quotes?|quotation|evidence|citation|zitat|引用)(?:\s*\d+)?[*_ \t]*[:：][*_ \t]*(?P<words>.*)$",
    re.IGNORECASE,
)
_BULLET = late(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+")
_RULE = late(r"^\s*[-=_*]{2,}\s*$")
_REPLY_LABEL = late(r"^[\W_]*(?:reply|answer|response|antwort|回答)[*_ \t]*[:：][*_ \t]*", re.IGNORECASE)
_QUOTED = late(
    r"\"([^\"\n]{8,1500})\"|\u201c([^\u201d]{8,1500})\u201d|\u00ab([^\u00bb]{8,1500})\u00bb|\u300c([^\u300d]{8,1500})\u300d"
    r"|\u201e([^\u201c\u201d]{8,1500})[\u201c\u201d]"
)
_MARKS = "\"'\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d*_` \t"
_LONGEST = 200_000
_LONGEST_LINE = 2_000
_FEWEST_WORDS = 4
_FEWEST_UNSPACED = 8


def read_free_ask(text: str) -> AskReply | None:
    """Return the reply in free text; None if it is empty.

    Quotes are lines that begin with "Quote:" or ">", then quoted spans of at least four words. The reply is the text
    without the lines that contain the point or quotes.
    """
    text = text.strip()
    if not text:
        return None
    lines = text[:_LONGEST].splitlines()
    quotes = (*_quote_lines(lines), *_quoted_spans(text[:_LONGEST]))
    reply = "\n".join(_reply_lines(lines)).strip()
    return AskReply(point=read_point(text), reply=reply, quotes=_once(quotes))


def _quote_lines(lines: list[str]) -> Iterator[str]:
    """Yield the words after "Quote:", the items of the list below it, and block quotes; the lines of a block quote
    belong together.
    """
    block: list[str] = []
    for line in [*lines, ""]:
        if line.lstrip().startswith(">"):
            block.append(line.lstrip().lstrip("> "))
            continue
        if block:
            yield " ".join(block)
            block = []
    listing = False
    for line in lines:
        found = _QUOTE_LINE.match(line[:_LONGEST_LINE])
        words = found["words"] if found else _BULLET.sub("", line) if listing and _BULLET.match(line) else ""
        listing = (found is not None and not words.strip()) or (listing and found is None and bool(words))
        if words.strip():
            quoted = _QUOTED.search(words)
            yield quoted[quoted.lastindex or 0] if quoted else words


def _quoted_spans(text: str) -> Iterator[str]:
    for found in _QUOTED.finditer(text):
        words = found[found.lastindex or 0]
        if len(words.split()) >= _FEWEST_WORDS or (not words.isascii() and len(words) >= _FEWEST_UNSPACED):
            yield words


def _reply_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines that are neither the point nor quotes, without their labels."""
    after_point = after_quote = False
    for line in lines:
        if len(line) > _LONGEST_LINE:
            yield line
        elif _POINT_LINE.match(line):
            after_point = True
        elif _QUOTE_LINE.match(line) or line.lstrip().startswith(">"):
            after_quote = True
        elif not (
            (after_quote and _BULLET.match(line))
            or (after_point and _RULE.match(line))
            or (_BARE_VALUE.match(line) and (after_point or line in (lines[0], lines[-1])))
        ):
            after_point = after_point and not line.strip()
            after_quote = after_quote and not line.strip()
            yield _REPLY_LABEL.sub("", _POINT_LEAD.sub("", line, count=1), count=1)


def _once(quotes: tuple[str, ...]) -> tuple[str, ...]:
    bare = (quote.strip().strip(_MARKS) for quote in quotes)
    return tuple(dict.fromkeys(quote for quote in bare if quote))
