"""Reads the words of HTML and XHTML without markup, scripts and styles; nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

from investigator.documents.readers.base import (
    Extracted,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    hidden_part,
)
from investigator.documents.readers.builder import TextBuilder, spanned
from investigator.documents.readers.decoding import decoded, is_noise
from investigator.documents.readers.properties import iso_date
from investigator.documents.readers.table_pictures import named_table, pictured
from investigator.documents.readers.table_recorder import shifted
from investigator.records import FileStatus, Heading

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LINES = frozenset({"li", "dt", "dd", "option", "figcaption", "caption", "legend", "summary", "tr"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl", "fieldset"}
    | {"figure", "footer", "form", "header", "hr", "main", "nav", "ol", "p", "section", "table", "ul"}
)
_WORD = re.compile(r"\w+")
_INNER_DTD = re.compile(r"<!doctype[^\[<>]*\[", re.I)
_INNER_DTD_END = re.compile(r"\]\s{0,100}>")
_HEAD = 4096
_SILENT = frozenset({"script", "style", "template", "noscript", "iframe", "object"})
_ENDED_BY = {
    "p": _BLOCKS | _HEADINGS,
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "tr": {"tr"},
    "td": {"td", "th", "tr"},
    "th": {"td", "th", "tr"},
    "option": {"option"},
}
"""The tags that end an element whose end tag may be missing."""
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"})
_VOID |= {"track", "wbr"}
"""Elements that have no end tag."""
_NEVER_HIDDEN = _VOID | {"html", "head", "body", "main", "title"}
"""Elements without text, and those that some pages hide only until their script has run."""
_HIDES = re.compile(r"\b(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_MANY_HIDDEN = 40  # report this many hidden words or more; fewer are probably a mail preview or screen-reader labels
_DATES = frozenset({"date", "dc.date", "dcterms.date", "dcterms.created", "article:published_time", "pubdate"})
_AUTHORS = frozenset({"author", "dc.creator", "dcterms.creator", "citation_author"})


Attributes = list[tuple[str, str | None]]
"""The attributes of a tag, in order."""


class HtmlText(HTMLParser):
    """Feeds the words of HTML to a builder; collects title, authors and date from its head.

    Elements that the page itself hides (`hidden`, `display: none`) are not read: nobody who opens the page sees them.
    `words_hidden` counts the words of such elements.
    """

    def __init__(self, builder: TextBuilder) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.authors: list[str] = []
        self.date: str | None = None
        self.pictured: list[str] = []
        self.words_hidden = 0
        self._builder = builder
        self._silent = 0
        self._hiding: list[str] = []
        """The hidden element that is being read, and the open elements inside it."""
        self._in_title = False
        self._preformatted = 0
        self._rows_open = [False]
        """For each open table, the innermost last: True if a row is open. The end tag of a row may be missing."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin the structure that a tag opens."""
        if tag in _SILENT:
            self._silent += 1
        elif self._hides(tag, attrs):
            return
        elif tag == "title":
            self._in_title = not self.title
        elif tag == "meta":
            self._meta({name: value or "" for name, value in attrs})
        elif tag == "img":
            said = dict(attrs).get("alt") or ""
            self._builder.words(f" {said} ")
            if name := named_table(said):
                self.pictured.append(name)
        else:
            self._begin(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle a self-closing element (XHTML)."""
        self.handle_starttag(tag, attrs)
        if tag not in ("meta", "img", "br"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """End the structure that a tag closes."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif self._hiding and self._ends_inside_hidden(tag):
            return
        elif tag in ("title", "head"):
            self._in_title = False
        elif tag in _HEADINGS:
            self._builder.end_heading()
        elif tag == "sup":
            self._builder.raised(False)
        elif tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
            self._builder.block()
        elif tag in ("td", "th"):
            self._builder.end_cell()
        elif tag == "tr":
            self._end_row()
        else:
            if tag == "table":
                self._end_row()
                self._rows_open = self._rows_open[:-1] or [False]
            self._break(tag)

    def handle_data(self, data: str) -> None:
        """Add running text."""
        if self._in_title:
            self.title += data
        elif self._silent:
            return
        elif self._hiding:
            self.words_hidden += len(_WORD.findall(data))
        elif self._preformatted:
            self._builder.verbatim(data)
        else:
            self._builder.words(data)

    def _hides(self, tag: str, attrs: Attributes) -> bool:
        """Record a tag that begins a hidden element or is inside one, and return True; otherwise return False."""
        if len(self._hiding) == 1 and tag in _ENDED_BY.get(self._hiding[0], ()):
            self._hiding.clear()
        given = dict(attrs)
        hides = "hidden" in given or _HIDES.search(given.get("style") or "") is not None
        if self._hiding or (hides and tag not in _NEVER_HIDDEN):
            self._hiding += [] if tag in _VOID else [tag]
        return bool(self._hiding)

    def _ends_inside_hidden(self, tag: str) -> bool:
        """End the elements that an end tag closes, if any. Return False if the tag closes an element around the hidden
        one, which then ends as well.
        """
        if tag in _VOID:
            return True
        if tag not in self._hiding:
            self._hiding.clear()
            return False
        while self._hiding.pop() != tag:
            pass
        return True

    def _begin(self, tag: str, attrs: Attributes) -> None:
        if tag in _HEADINGS:
            self._builder.begin_heading()
        elif tag == "pre":
            self._builder.block()
            self._preformatted += 1
        elif tag == "sup":
            self._builder.raised(True)
        elif tag == "tr":
            self._end_row()
            self._rows_open[-1] = True
            self._builder.begin_row()
        elif tag in ("td", "th"):
            self._builder.begin_cell(
                header=tag == "th",
                rows=spanned(dict(attrs).get("rowspan")),
                columns=spanned(dict(attrs).get("colspan")),
            )
        else:
            if tag == "table":
                self._rows_open.append(False)
            self._break(tag)

    def _end_row(self) -> None:
        if self._rows_open[-1]:
            self._rows_open[-1] = False
            self._builder.end_row()

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._builder.block()
        elif tag in _LINES or tag == "br":
            self._builder.line()

    def _meta(self, attributes: dict[str, str]) -> None:
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        content = attributes.get("content", "").strip()
        if name in _AUTHORS and content:
            self.authors.append(content)
        elif name in _DATES:
            self.date = self.date or iso_date(content)


def feed(parser: HtmlText, markup: str) -> None:
    """Feed the parser a whole document, including markup declarations that it does not know."""
    markup, tail = _closed(_without_inner_dtd(markup))
    try:
        parser.feed(markup)
        parser.close()
    except AssertionError:  # the standard parser fails on some `<![...` written by word processors
        parser.rawdata = ""
        parser.feed(markup.replace("<![", "<!--[").replace("]>", "]-->"))
        parser.close()
    parser.handle_data(unescape(tail))


def _without_inner_dtd(markup: str) -> str:
    """Return the document without its internal DTD, whose end the parser would otherwise output as text."""
    begin = _INNER_DTD.search(markup[:_HEAD])
    end = _INNER_DTD_END.search(markup, begin.end()) if begin else None
    return markup[: begin.start()] + markup[end.end() :] if begin and end else markup


def _closed(markup: str) -> tuple[str, str]:
    """Return the document without unclosed elements, for which the parser would take quadratic time. Unclosed comments
    lose their opening mark; text after the last tag is plain text.
    """
    comments_end = markup.rfind("-->") + 1
    markup = markup[:comments_end] + markup[comments_end:].replace("<!--", " ")
    tags_end = markup.rfind(">") + 1
    return markup[:tags_end], markup[tags_end:]


def read_html(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads HTML; the encoding is detected from the bytes, or else taken from its declaration. Raises ReadFailure."""
    markup = decoded(source.data, declared=True)
    if markup is None and is_noise(source.data):
        raise ReadFailure(FileStatus.FAILED, "its name says it is HTML, but its bytes are not text")
    if markup is None:
        markup = source.data.decode("cp1252", errors="replace")
    if "<" not in markup:
        raise ReadFailure(FileStatus.UNSUPPORTED, "its name says it is HTML, but it contains no HTML")
    return _titled(extracted_html(markup))


def _titled(page: Extracted) -> Extracted:
    """Prepend the title to the page as its first line, if the title has words that are not in the text."""
    missing = set(_WORD.findall(page.title.lower())) - set(_WORD.findall(page.text.lower()))
    if not missing or not page.text:
        return page
    head = f"{page.title}\n\n"
    headings = tuple(Heading(text=heading.text, start=heading.start + len(head)) for heading in page.headings)
    return replace(page, text=head + page.text, headings=headings, tables=shifted(page.tables, len(head)))


def extracted_html(markup: str) -> Extracted:
    """Extract the words, headings and metadata from HTML text."""
    builder = TextBuilder()
    parser = HtmlText(builder)
    feed(parser, markup)
    return builder.extracted(
        title=cleaned(" ".join(parser.title.split())),
        authors=map(cleaned, dict.fromkeys(parser.authors)),
        date=parser.date,
        left_out=(*map(pictured, dict.fromkeys(parser.pictured)), *_hidden(parser.words_hidden)),
    )


def _hidden(words: int) -> Iterator[ReadFailure]:
    if words >= _MANY_HIDDEN:
        yield hidden_part(f"{words} hidden words")
