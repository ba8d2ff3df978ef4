"""Records of a page view: its size, and the places of words on it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from investigator.records.base import Record


class MarkKind(StrEnum):
    """The words that are marked: those of a quote, of a table cell that a quote rests on, or of that cell's headers."""

    QUOTE = "quote"
    VALUE = "value"
    HEADER = "header"


class PageMark(Record):
    """A rectangle on a page: its edges as shares of the page's width from the left, of its height from the top."""

    left: float = Field(ge=0, le=1)
    top: float = Field(ge=0, le=1)
    right: float = Field(ge=0, le=1)
    bottom: float = Field(ge=0, le=1)
    kind: MarkKind = MarkKind.QUOTE


class PageLine(Record):
    """A line of text on a page and the rectangle around it, in shares of the page as those of a mark."""

    text: str
    left: float = Field(ge=0, le=1)
    top: float = Field(ge=0, le=1)
    right: float = Field(ge=0, le=1)
    bottom: float = Field(ge=0, le=1)


class PageView(Record):
    """A page of a document as it is shown, turned and cropped, with the marks over the words that were asked for.

    `lines` are its level lines of text, for copying; a page that was recognised from its picture has none. `pages` is
    the number of pages of its file; `width` and `height` are in points. If words that were asked for cannot be marked,
    `unmarked` says why.
    """

    document_id: str
    page: int = Field(ge=1)
    pages: int = Field(ge=1)
    width: float = Field(gt=0)
    height: float = Field(gt=0)
    marks: tuple[PageMark, ...] = ()
    unmarked: str = ""
    lines: tuple[PageLine, ...] = Field(default=(), repr=False)
