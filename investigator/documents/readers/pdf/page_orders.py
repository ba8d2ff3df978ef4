"""Requests for pages of a PDF, and the rendered pages."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from investigator.records import PageLine, PageMark, Record, TextSpan


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
