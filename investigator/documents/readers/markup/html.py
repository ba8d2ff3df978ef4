"""Reads the words of HTML and XHTML without markup, scripts and styles; nothing is fetched."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    cleaned,
    hidden_parts,
    marked_hidden,
)
from investigator.documents.readers.builder import TextBuilder, spanned
from investigator.documents.readers.decoding import decoded, is_noise
from investigator.documents.readers.markup.html_lists import Lists, field_text
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
_RAISES = re.compile(r"\bvertical-align\s*:\s*super\b", re.IGNORECASE)
_LOWERS = re.compile(r"\bvertical-align\s*:\s*sub\b", re.IGNORECASE)
_NOTE = re.compile(
    r"<(?:p|li|td|th|div|dd|br)\b[^<>]{0,300}>\s{0,50}<sup\b[^<>]{0,300}>([^<>]{1,9})</sup>", re.IGNORECASE
)
"""Matches the mark of a note at its beginning."""
_MANY_HIDDEN = 40  # report this many hidden words or more; fewer are probably a mail preview or screen-reader labels
_DATES = frozenset({"date", "dc.date", "dcterms.date", "dcterms.created", "article:published_time", "pubdate"})
_AUTHORS = frozenset({"author", "dc.creator", "dcterms.creator", "citation_author"})


Attributes = list[tuple[str, str | None]]
"""The attributes of a tag, in order."""


class HtmlText(HTMLParser):
    """Feeds the words of HTML to a builder; collects title, authors and date from its head.

    Elements that the page itself hides (`hidden`, `display: none`) are not read: nobody who opens the page sees them.
    `words_hidden` counts the words of such elements; with `marks_hidden` they are read with a mark.
    """

    def __init__(self, builder: TextBuilder, *, marks_hidden: bool = False) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.authors: list[str] = []
        self.date: str | None = None
        self.pictured: list[str] = []
        self.words_hidden = 0
        self._builder = builder
        self._silent = 0
        self._marks_hidden = marks_hidden
        self._hidden_words = ""
        self._lists = Lists()
        self._spans: list[bool | None] = []
        """For each open `span` or `a`, whether it raises (True) or lowers (False) its text."""
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
        elif tag in ("sup", "sub", "span"):
            self._shift(tag, {}, begins=False)
        elif tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
            self._builder.block()
        else:
            self._end_block(tag)

    def _end_block(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._builder.end_cell()
            return
        if tag in ("tr", "table"):
            self._end_row()
        if tag == "table":
            self._rows_open = self._rows_open[:-1] or [False]
        elif tag in ("ol", "ul", "menu"):
            self._lists.end()
        if tag != "tr":
            self._break(tag)

    def handle_data(self, data: str) -> None:
        """Add running text."""
        if self._in_title:
            self.title += data
        elif self._silent:
            return
        elif self._hiding:
            self.words_hidden += len(_WORD.findall(data))
            self._hidden_words += data if self._marks_hidden else ""
        elif self._preformatted:
            self._builder.verbatim(data)
        else:
            self._builder.words(data)

    def _hides(self, tag: str, attrs: Attributes) -> bool:
        """Record a tag that begins a hidden element or is inside one, and return True; otherwise return False."""
        if len(self._hiding) == 1 and tag in _ENDED_BY.get(self._hiding[0], ()):
            self._end_hidden()
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
            self._end_hidden()
            return False
        while self._hiding.pop() != tag:
            pass
        if not self._hiding:
            self._end_hidden()
        return True

    def _end_hidden(self) -> None:
        self._hiding.clear()
        words, self._hidden_words = " ".join(self._hidden_words.split()), ""
        if words:
            self._builder.words(f" {marked_hidden(words)} ")

    def _begin(self, tag: str, attrs: Attributes) -> None:
        if tag in _HEADINGS:
            self._builder.begin_heading()
        elif tag == "pre":
            self._builder.block()
            self._preformatted += 1
        elif tag in ("sup", "sub", "span"):
            self._shift(tag, dict(attrs), begins=True)
        elif tag in ("input", "option"):
            self._field(tag, dict(attrs))
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
            elif tag in ("ol", "ul", "menu"):
                self._lists.begin(tag, dict(attrs))
            self._break(tag)
            if tag == "li" and (number := self._lists.item(dict(attrs))):
                self._builder.words(number)

    def _shift(self, tag: str, given: dict[str, str | None], *, begins: bool) -> None:
        """Begin or end raised or lowered text."""
        shift = {"sup": True, "sub": False}.get(tag)
        if tag == "span" and begins:
            style = given.get("style") or ""
            shift = True if _RAISES.search(style) else False if _LOWERS.search(style) else None
            self._spans.append(shift)
        elif tag == "span":
            shift = self._spans.pop() if self._spans else None
        if shift is not None:
            self._builder.raised(begins) if shift else self._builder.lowered(begins)

    def _field(self, tag: str, given: dict[str, str | None]) -> None:
        """Add the state of a form field; an option is a field that is chosen or not."""
        if tag == "option":
            self._builder.line()
            self._builder.words("☒ " if "selected" in given else "☐ ")
        elif shown := field_text(given):
            self._builder.words(shown)

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
    return _titled(extracted_html(markup, settings.hidden))


def _titled(page: Extracted) -> Extracted:
    """Prepend the title to the page as its first line, if the title has words that are not in the text."""
    missing = set(_WORD.findall(page.title.lower())) - set(_WORD.findall(page.text.lower()))
    if not missing or not page.text:
        return page
    head = f"{page.title}\n\n"
    headings = tuple(Heading(text=heading.text, start=heading.start + len(head)) for heading in page.headings)
    return replace(page, text=head + page.text, headings=headings, tables=shifted(page.tables, len(head)))


def extracted_html(markup: str, hidden: HiddenText = HiddenText.OMIT) -> Extracted:
    """Extract the words, headings and metadata from HTML text; hidden words are left out, or marked."""
    builder = TextBuilder()
    builder.note_marks(mark.strip() for mark in _NOTE.findall(markup))
    parser = HtmlText(builder, marks_hidden=hidden is HiddenText.MARK)
    feed(parser, markup)
    return builder.extracted(
        title=cleaned(" ".join(parser.title.split())),
        authors=map(cleaned, dict.fromkeys(parser.authors)),
        date=parser.date,
        left_out=(
            *map(pictured, dict.fromkeys(parser.pictured)),
            *hidden_parts(hidden, {"word": parser.words_hidden if parser.words_hidden >= _MANY_HIDDEN else 0}),
        ),
    )
