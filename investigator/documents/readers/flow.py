"""Collects the words of one flow of text: a document, or a cell of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from investigator.documents.readers.base import cleaned
from investigator.documents.readers.raised_text import shifted_text
from investigator.documents.readers.table_recorder import shifted
from investigator.records import Heading, Table

_BLANKS = re.compile(r"[ \t\r\n\f]+")
_BEFORE = 40  # characters before a raised text that decide what it is


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
