"""Orders for pages of a PDF, and the pages as they were drawn."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from investigator.records import MarkKind, PageLine, PageMark, Record


class MarkedSpan(Record):
    """A half-open span of the text of a page that is to be marked."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: MarkKind = MarkKind.QUOTE


class PageOrder(Record):
    """A request for a page: marks over spans of `text`, the text that was read from it, and a picture.

    The picture is `picture_width` pixels wide; it is not drawn if that is None.
    """

    page: int = Field(ge=1)
    text: str = ""
    spans: tuple[MarkedSpan, ...] = ()
    picture_width: int | None = Field(default=None, ge=1)


class DrawnPage(Record):
    """A page as it was ordered; its size is in points, `picture` is a PNG file, `pages` the number in the file."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    page: int
    pages: int
    width: float
    height: float
    marks: tuple[PageMark, ...] = ()
    unmarked: str = ""
    lines: tuple[PageLine, ...] = ()
    picture: bytes = b""
