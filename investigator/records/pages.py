"""Records of a page view: its size, and the positions of words on it."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from investigator.records.base import Record
from investigator.records.tables import TextSpan


class PageMark(Record):
    """A rectangle on a page.

    The edges of the rectangle are fractions of the page width from the left, and of the page height from the top.
    """

    left: float = Field(ge=0, le=1)
    top: float = Field(ge=0, le=1)
    right: float = Field(ge=0, le=1)
    bottom: float = Field(ge=0, le=1)


class PageLine(PageMark):
    """A line of text on a page, and its rectangle."""

    text: str


class PageView(Record):
    """A page of a document as shown, rotated and cropped, with marks over the requested words.

    `lines` are the page's horizontal lines of text, for copying; a page recognised by OCR has none. `pages` is the
    number of pages in the file; `width` and `height` are in points. If the requested words cannot be marked, `unmarked`
    gives the reason.
    """

    document_id: str
    page: int = Field(ge=1)
    pages: int = Field(ge=1)
    width: float = Field(gt=0)
    height: float = Field(gt=0)
    marks: tuple[PageMark, ...] = ()
    unmarked: str = ""
    lines: tuple[PageLine, ...] = Field(default=(), repr=False)


class PageOrder(Record):
    """A request for a page: marks over a span of its `text`, or a picture.

    The picture is `picture_width` pixels wide; if that is None, no picture is rendered.
    """

    page: int = Field(ge=1)
    text: str = ""
    span: TextSpan | None = None
    picture_width: int | None = Field(default=None, ge=1)


class DrawnPage(Record):
    """A page rendered as requested; its size is in points, `picture` is a PNG file, and `pages` is the page count of
    the PDF.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    page: int
    pages: int
    width: float
    height: float
    marks: tuple[PageMark, ...] = ()
    unmarked: str = ""
    lines: tuple[PageLine, ...] = ()
    picture: bytes = b""
