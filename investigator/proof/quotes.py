"""Finds an engine's quotes in the source and returns them as written there, or rejects them. Every proof depends on
this module. A quote can be widened to its whole sentence, because words can change their meaning out of context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise

from investigator.documents.pages import line_at, page_at
from investigator.language.late_patterns import late
from investigator.language.normalise import Normalised, normalise
from investigator.language.remembered import remembered
from investigator.language.sentences import sentence_spans
from investigator.proof.boundaries import cuts_into_word
from investigator.records import Document, Quote

Spans = Sequence[tuple[int, int]]
"""Half-open spans of a document's text."""

Load = Callable[[str], Document]
"""Returns the document with the given id."""

LONGEST_QUOTE = 10_000
"""Maximum number of characters of a quote, enough for a table of some eighty rows; a longer one points to nothing."""
LONGEST_GAP = 1_500
"""Maximum number of characters from the beginning of a start phrase to the end of its end phrase."""
_MOST_TRIED = 200
"""Maximum number of occurrences of a start phrase to try when searching for the end phrase."""
_MOST_MATCHES = 20_000
"""Maximum number of occurrences of a phrase that are examined; more frequent phrases prove nothing."""
_MOST_PHRASES = 4

_MOST_SOURCES = 32
_BULLET = late(r"(?:[-*\u2022\u2023\u25e6>]|\(?\d{1,2}[.)]) ")
_OPENING = "\"'\u300c\u300e`*_ "
_CLOSING = "\"'\u300d\u300f`*_ "
_ADDED_END = ".,;:\u3002\u3001"
_ELLIPSIS = late(r" ?[\[(]? ?\.(?: ?\.){2,} ?[\])]? ?")
_INNER_HYPHEN = late(r"(?<=[^\W\d_])-(?: (?=[^\W\d_])|(?=[^\W\d_]))")
_BEFORE_BLANK = "([$€£¥"
_OPTIONAL_BLANK = late(r"(?<=[(\[$€£¥]) ?|(?<=\S) ?(?=[)\]%]|[,;:.!?](?: |$))")
"""Matches places next to brackets, signs and clause ends, where a space makes no difference: "brick , stone"."""
_CJK_CHAR = late("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]")


class Sources:
    """Documents to look up quotes in, keyed by id; recently used documents are cached in normalised form."""

    def __init__(self, load: Load) -> None:
        self._source = lru_cache(maxsize=_MOST_SOURCES)(lambda document_id: Source(load(document_id)))

    def __getitem__(self, document_id: str) -> Source:
        """Return the source with that id; the loader raises an error if the id is unknown."""
        return self._source(document_id)


class Source:
    """A document to look up quotes in; its text is normalised once, for the first quote."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def _normalised(self) -> Normalised:
        return _normalised(self._document.text)

    def find(self, quote_text: str, near: Spans = ()) -> Quote | None:
        """Return the quote as written in the document, or None if the document does not contain its words.

        Differences in typography are ignored (see `normalise`), as are spaces next to punctuation ("brick , stone"),
        quotation marks and bullets around the quote, an added full stop or ellipsis, and the case of its first letter.
        "start ... end" means everything from start to end, at most `LONGEST_GAP` characters. Occurrences inside one of
        the `near` spans are preferred, then earlier ones. A quote of one word counts only if the word is long or fills
        a line of the source. A span that begins or ends inside a word or number is not a quote.
        """
        if len(quote_text) > LONGEST_QUOTE:
            return None
        for phrases in _readings(quote_text):
            span = self._place(phrases, near)
            if span is not None:
                return quote_at(self._document, *span)
        return None

    def quote(self, quote_text: str, near: Spans = ()) -> Quote | None:
        """Return the whole sentences that contain a quote, or None; see `find`.

        Part of a sentence may say the opposite of the whole, so whole sentences are judged and shown; in a table, its
        rows.
        """
        place = self.find(quote_text, near)
        if place is None:
            return None
        text, is_row = self._document.text, any(t.start <= place.start < t.end for t in self._document.tables)
        widen = whole_rows if is_row else whole_sentences
        return quote_at(self._document, *widen(text, place.start, place.end))

    def _place(self, phrases: tuple[str, ...], near: Spans) -> tuple[int, int] | None:
        """Return the span of the document from the first phrase to the end of the last phrase."""
        text = self._normalised
        ranges = [(text.position(start), text.position(end)) for start, end in near]
        for low, high in (*ranges, (0, len(text.text))):
            certain = text.text.find(_certain(phrases[0]), low + 1, high) - 1
            if certain < low:
                continue
            if len(phrases) == 1 and self._is_literal(phrases[0], certain, high):
                return text.span(certain, certain + len(phrases[0]))
            patterns = [_pattern(phrase) for phrase in phrases]
            for first in islice(self._occurrences(patterns[0], low, high), _MOST_TRIED):
                end = self._followed(patterns[1:], first, min(high, first[0] + LONGEST_GAP))
                if end is not None:
                    return text.span(first[0], end)
        return None

    def _is_literal(self, phrase: str, start: int, high: int) -> bool:
        """Return True if a phrase stands word for word at a place; its pattern need not be compiled then."""
        if phrase[-1] in _BEFORE_BLANK or not self._normalised.text.startswith(phrase, start, high):
            return False
        span = self._normalised.span(start, start + len(phrase))
        return self._means_something(*span) and not cuts_into_word(self._document.text, *span)

    def _followed(self, patterns: Sequence[re.Pattern[str]], first: tuple[int, int], limit: int) -> int | None:
        """Return the end of the last phrase if all phrases follow the first in order, within the limit."""
        end = first[1]
        for pattern in patterns:
            span = next(self._occurrences(pattern, end, limit), None)
            if span is None:
                return None
            end = span[1]
        return end

    def _occurrences(self, pattern: re.Pattern[str], low: int, high: int) -> Iterator[tuple[int, int]]:
        """Yield the positions of a phrase in the normalised text, if the phrase is whole and long enough to be
        significant.
        """
        for match in islice(pattern.finditer(self._normalised.text, low, high), _MOST_MATCHES):
            if self._hyphens_fit(match):
                start, end = self._normalised.span(*match.span())
                if self._means_something(start, end) and not cuts_into_word(self._document.text, start, end):
                    yield match.span()

    def _hyphens_fit(self, match: re.Match[str]) -> bool:
        """Return True if each hyphen that is only in the quote is at the end of a line in the source."""
        optional = self._normalised.optional_hyphens
        return all(
            match.start(group) != match.end(group) or match.start(group) in optional
            for group in range(1, match.re.groups + 1)
        )

    def _means_something(self, start: int, end: int) -> bool:
        text = self._document.text
        words = [word for word in text[start:end].split() if any(char.isalnum() for char in word)]
        letters = sum(char.isalnum() for char in text[start:end])
        if len(words) >= 2 or letters >= 8 or (letters >= 4 and _CJK_CHAR.search(text, start, end)):
            return True
        before = text[text.rfind("\n", 0, start) + 1 : start]
        line_end = text.find("\n", end)
        after = text[end : line_end if line_end >= 0 else len(text)]
        return letters >= 2 and not any(char.isalnum() for char in before + after)


_normalised = remembered(longest=500_000, most=16)(normalise)


def quote_at(document: Document, start: int, end: int) -> Quote:
    """Return the text of a document at `[start, end)`, with its place."""
    return Quote(
        own_lines=document.own_lines,
        document_id=document.id,
        page=page_at(document.pages, start),
        line=line_at(document.text, start),
        start=start,
        end=end,
        text=document.text[start:end],
        source_hash=document.content_hash,
    )


def find_quote(quote_text: str, document: Document) -> Quote | None:
    """Return the whole sentences in the document that contain a quote, or None. To look up several quotes, use a
    `Source`.
    """
    return Source(document).quote(quote_text)


def verify(quote: Quote, document: Document) -> bool:
    """Return True if exactly this version of the document contains the quote, character for character."""
    return (
        quote.document_id == document.id
        and quote.source_hash == document.content_hash
        and quote.start >= 0
        and quote.text == document.text[quote.start : quote.end]
        and bool(quote.text)
    )


def _readings(quote_text: str) -> Iterator[tuple[str, ...]]:
    """Yield the possible readings of the words, beginning with the most literal: a single phrase, or the phrases around
    ellipses.
    """
    literal = normalise(quote_text).text.strip()
    bullet = _BULLET.match(literal)
    bare = literal[bullet.end() :] if bullet else literal
    unquoted = bare.lstrip(_OPENING).rstrip(_CLOSING)
    ended = unquoted.rstrip(_ADDED_END + _CLOSING)
    parts = (part.lstrip(_OPENING).rstrip(_CLOSING) for part in _ELLIPSIS.split(unquoted))
    phrases = tuple(part for part in parts if part)[: _MOST_PHRASES + 1]
    shortened = (*phrases[:-1], phrases[-1].rstrip(_ADDED_END)) if phrases else ()
    readings = dict.fromkeys(((literal,), (bare,), (unquoted,), (ended,), phrases, shortened))
    yield from (reading for reading in readings if len(reading) <= _MOST_PHRASES and reading and all(reading))


def _certain(phrase: str) -> str:
    """Return what every match of a phrase's pattern contains right after its first letter: the words up to the first
    hyphen, or place where a space makes no difference.
    """
    hyphen = _INNER_HYPHEN.search(phrase)
    head = phrase[: hyphen.start()] if hyphen else phrase
    blank = _OPTIONAL_BLANK.search(head, 1)
    return head[1 : blank.start()] if blank else head[1:]


@lru_cache(maxsize=64)
def _pattern(phrase: str) -> re.Pattern[str]:
    """Return a pattern for a normalised phrase. The first letter matches in either case, inner hyphens are in groups
    that may be empty, and spaces next to punctuation are optional.
    """
    ends = [0, *(place for hyphen in _INNER_HYPHEN.finditer(phrase) for place in hyphen.span()), len(phrase)]
    pieces = [
        f"({re.escape(phrase[low:high])}|)" if k % 2 else _spaced(phrase[low:high])
        for k, (low, high) in enumerate(pairwise(ends))
    ]
    first = phrase[0]
    if first.upper() != first.lower() and len(first.swapcase()) == 1:
        rest = pieces[0][len(re.escape(first)) :]
        pieces[0] = f"[{re.escape(first)}{re.escape(first.swapcase())}]{rest}"
    return re.compile("".join(pieces))


def _spaced(text: str) -> str:
    return " ?".join(map(re.escape, _OPTIONAL_BLANK.split(text)))


_WINDOW = 1_500
"""Number of characters to search, before and after a quote, for the ends of its sentence."""
_MOST_ADDED = 600
"""Maximum number of characters added; a longer addition would be a table or list instead of a sentence."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_CELL = re.compile(r"\t| {3,}|\s\|\s")
_SHORT = 0.6
"""A line without a full stop was broken deliberately if it is shorter than this fraction of its paragraph's longest
line.
"""
_NUMBERS_OF_A_ROW = 0.4
_NEW_ITEM = re.compile(r"\s*(?:[-*\u2022\u2023\u25e6|#]|\(?\d{1,2}[.)]\s)")


def whole_rows(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the rows of a table, a line each, that contain the quote at `[start, end)`."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    line = text[first:last]
    return first + len(line) - len(line.lstrip()), last - (len(line) - len(line.rstrip()))


def whole_sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of the sentences that contain the quote at `[start, end)`.

    The span stays inside the quote's paragraph or, in a list, heading or table, inside its lines. A quote that would
    grow by more than 600 characters stays unchanged.
    """
    low, high = _paragraph(text, start, end)
    begin, finish = start, end
    for first, last in sentence_spans(text[low:high]):
        if low + first <= start < low + last:
            begin = low + first
        if low + first < end <= low + last:
            finish = low + last
    begin, finish = _own_lines(text, (low, high), (begin, finish), (start, end))
    return (begin, finish) if (finish - begin) - (end - start) <= _MOST_ADDED else (start, end)


def _paragraph(text: str, start: int, end: int) -> tuple[int, int]:
    low = max(0, start - _WINDOW)
    for gap in _BLANK_LINE.finditer(text, low, start):
        low = gap.end()
    gap_after = _BLANK_LINE.search(text, end, min(len(text), end + _WINDOW))
    return low, gap_after.start() if gap_after else min(len(text), end + _WINDOW)


def _own_lines(
    text: str, paragraph: tuple[int, int], sentence: tuple[int, int], quote: tuple[int, int]
) -> tuple[int, int]:
    """Limit a quote's sentence to its own lines, excluding headings, items and table rows before and after it."""
    longest = max(len(line) for line in text[slice(*paragraph)].split("\n"))
    begin, finish = sentence
    for at in reversed([k for k in range(begin, quote[0]) if text[k] == "\n"]):
        if _ends_something(text, at, longest):
            begin = at + 1 + len(text[at + 1 : quote[0]]) - len(text[at + 1 : quote[0]].lstrip())
            break
    for at in (k for k in range(quote[1], finish) if text[k] == "\n"):
        if _ends_something(text, at, longest):
            finish = at - (len(text[quote[1] : at]) - len(text[quote[1] : at].rstrip()))
            break
    return begin, finish


def _ends_something(text: str, at: int, longest: int) -> bool:
    """Return True if the writer ended the line at `at` deliberately, not because the line was full."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    line_end = text.find("\n", at + 1)
    after = text[at + 1 : line_end if line_end >= 0 else len(text)]
    if _NEW_ITEM.match(after) or any(_CELL.search(line) or _is_row(line) for line in (before, after)):
        return True
    return len(before.rstrip()) < _SHORT * longest and not after[:1].islower()


def _is_row(line: str) -> bool:
    """Return True if a line contains so many numbers that it is probably a table row."""
    words = line.split()
    return sum(any(char.isdigit() for char in word) for word in words) > _NUMBERS_OF_A_ROW * len(words)
