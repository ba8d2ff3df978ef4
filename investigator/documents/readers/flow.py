"""Collects the words of one flow of text: a document, or a cell of a table. Raised or lowered text is an exponent, an
index, or the mark of a note.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.table_recorder import shifted
from investigator.records import Heading, Table

_BLANKS = re.compile(r"[ \t\r\n\f]+")
_BEFORE = 40  # characters before a raised text that decide what it is
_LETTER_MARK = re.compile(r"[a-z](?:\s?,\s?[a-z])*")
_SIGN_MARK = re.compile(r"[*†‡§¶#]+")
_NUMBERS = re.compile(r"\d+(?:\s?[,–-]\s?\d+)*")
_POWER = re.compile(r"[-+−–]?\d+(?:[.,/]\d+)?|[-+−–]|[-+−–]?[nmkxij]")
_BASE = re.compile(r"(?:^|[^\w.,])(?:\d[\d.,]*\s?[×x·*]\s?)?10$")
_LONGEST_UNIT = 3
"""A unit or a variable has at most this many letters; behind a longer word, a raised number is the mark of a note."""


@dataclass(slots=True)
class Flow:
    """Words, breaks and headings in reading order, with the tables whose cells have known positions.

    Breaks and spaces are delayed until the next word, so the text never begins or ends with whitespace and has at most
    `most_breaks` line breaks in a row. `notes` are the marks that refer to notes of the document where they are raised.
    """

    most_breaks: int = 2
    notes: frozenset[str] = frozenset()
    length: int = 0
    breaks: int = 0
    raised: bool = False
    lowered: bool = False
    headings: list[Heading] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)
    _blank: bool = False
    _heading: int | None = None

    @property
    def text(self) -> str:
        """Return everything so far."""
        return "".join(self._parts)

    def words(self, text: str) -> None:
        """Add running text; each run of spaces and line breaks becomes a single space."""
        core = _BLANKS.sub(" ", text)
        if not core:
            return
        self._blank = self._blank or core[0] == " "
        if stripped := core.strip(" "):
            self.add(stripped)
            self._blank = core[-1] == " "

    def verbatim(self, text: str) -> None:
        """Add text, keeping its inner whitespace; whitespace at its ends is delayed as usual."""
        text = cleaned(text)
        core = text.strip()
        if not core:
            self.line(text.count("\n"))
            self._blank = self._blank or bool(text)
            return
        begin = text.index(core)
        self.line(text[:begin].count("\n"))
        self._blank = self._blank or begin > 0
        self.add(core)
        tail = text[begin + len(core) :]
        self.line(tail.count("\n"))
        self._blank = bool(tail)

    def line(self, breaks: int = 1) -> None:
        """Begin a new line, with the given number of line breaks."""
        self.breaks = max(self.breaks, min(breaks, self.most_breaks))

    def page(self) -> None:
        """Begin a new page."""
        self.breaks, self._blank = 2, False

    def begin_heading(self) -> None:
        """Begin a heading, which continues up to `end_heading`."""
        self.line(2)
        self._heading = len(self._parts)

    def end_heading(self) -> None:
        """End the heading; an empty one is dropped."""
        if self._heading is not None:
            raw = "".join(self._parts[self._heading :])
            if core := raw.strip(" |\n"):
                start = self.length - len(raw) + raw.index(core)
                self.headings.append(Heading(text=_BLANKS.sub(" ", core), start=start))
        self._heading = None
        self.line(2)

    def inner(self, flow: Flow, at: int) -> None:
        """Take over the headings and tables of a flow whose text was added at an offset."""
        self.headings += [heading.changed(start=heading.start + at) for heading in flow.headings]
        self.tables += shifted(flow.tables, at)

    def add(self, core: str) -> None:
        """Add text as it is, after the delayed breaks and spaces."""
        core = cleaned(core)
        if not core:
            return
        if (self.raised or self.lowered) and self._parts and not self.breaks:
            before = "".join(self._parts[-3:])[-_BEFORE:]
            self._blank, core = shifted_text(before, core, self.notes, blank=self._blank, lowered=self.lowered)
        lead = "\n" * self.breaks or (" " if self._blank else "")
        self._parts.append(lead + core if self._parts else core)
        self.length += len(self._parts[-1])
        self.breaks, self._blank = 0, False


def shifted_text(before: str, text: str, notes: Collection[str], *, blank: bool, lowered: bool) -> tuple[bool, str]:
    """Return whether a raised or lowered text stands apart from the text before it, and how it is written: 10^6, m^2,
    SO4, "150 2" for the mark of a note. `notes` are the marks with which notes of the document begin.
    """
    if blank or not before or before[-1].isspace():
        return blank, text
    last = before[-1]
    if lowered:
        return False, f"_{text}" if last.isdigit() and text[0].isdigit() else text
    if is_note_mark(before, text, notes):
        return True, text
    if _POWER.fullmatch(text) and (last.isalnum() or last in ")]²³"):
        return False, f"^{text}"
    return False, text


def is_note_mark(before: str, text: str, notes: Collection[str]) -> bool:
    """Return True if a raised text refers to a note."""
    word = re.search(r"[^\W\d_]*$", before)
    letters = len(word.group()) if word is not None else 0
    if _SIGN_MARK.fullmatch(text):
        return True
    if _LETTER_MARK.fullmatch(text) and letters > 1:
        return True
    if not _NUMBERS.fullmatch(text):
        return False
    if before[-1] in ".,;:!?\"'”’":
        return True
    return letters > _LONGEST_UNIT or (text in notes and not letters and _BASE.search(before) is None)
