"""Reads the words of HTML and XHTML without markup, scripts and styles; nothing is fetched.

Items of lists have their numbers, and fields of forms their states, as a page shows them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from lxml import etree
from lxml.etree import _Element as Element

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
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.decoding import decoded, is_noise
from investigator.documents.readers.numerals import letters, roman, whole_number
from investigator.documents.readers.properties import iso_date
from investigator.documents.readers.table_recorder import shifted
from investigator.records import FileStatus, Heading

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LINES = frozenset({"li", "dt", "dd", "option", "figcaption", "caption", "legend", "summary", "tr"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "div", "dl", "fieldset"}
    | {"figure", "footer", "form", "header", "hr", "main", "nav", "ol", "p", "section", "table", "ul"}
)
_WORD = re.compile(r"\w+")
_INNER_DTD = re.compile(r"<!doctype[^\[<>]*\[.*?\]\s{0,100}>", re.IGNORECASE | re.DOTALL)
_HEAD = 4096
_EMPTY = re.compile(r"<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)\w+)([^<>]*)/>")
"""Matches an empty element of XHTML, which HTML would take for a start tag."""
_ENDS_PARAGRAPH = re.compile(r"</p\s*>", re.IGNORECASE)
_NESTED = re.compile(r"</?(?:a|b|big|div|em|font|i|small|span|strong|u)\b[^<>]*>", re.IGNORECASE)
"""Matches the tags that some programs open thousands of times without closing them; the parser stops at depth 2,048."""
_SILENT = frozenset({"script", "style", "template", "noscript", "iframe", "object", "head"})
_NEVER_HIDDEN = frozenset({"html", "head", "body", "main", "br", "col", "hr", "img", "input"})
"""Elements without text, and those that some pages hide only until their script has run."""
_HIDES = re.compile(r"\b(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_RAISES = re.compile(r"\bvertical-align\s*:\s*super\b", re.IGNORECASE)
_LOWERS = re.compile(r"\bvertical-align\s*:\s*sub\b", re.IGNORECASE)
_NOTE = re.compile(
    r"<(?:p|li|td|th|div|dd|br)\b[^<>]{0,300}>\s{0,50}<sup\b[^<>]{0,300}>([^<>]{1,9})</sup>", re.IGNORECASE
)
"""Matches the mark of a note at its beginning."""
_UNMARKED = re.compile(r"list-style(?:-type)?\s*:\s*none", re.IGNORECASE)
_COUNTED = re.compile(r"-?\d{1,6}")
_STYLES: Mapping[str, str] = {
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
    "decimal": "1",
}
_STYLE = re.compile(rf"list-style(?:-type)?\s*:\s*({'|'.join(_STYLES)})\b", re.IGNORECASE)
_MANY_HIDDEN = 40  # report this many hidden words or more; fewer are probably a mail preview or screen-reader labels
_DATES = frozenset({"date", "dc.date", "dcterms.date", "dcterms.created", "article:published_time", "pubdate"})
_AUTHORS = frozenset({"author", "dc.creator", "dcterms.creator", "citation_author"})


class HtmlText:
    """Feeds the words of HTML to a builder; collects title, authors and date from its head.

    Elements that the page itself hides (`hidden`, `display: none`) are not read: nobody who opens the page sees them.
    `words_hidden` counts the words of such elements; with `marks_hidden` they are read with a mark.
    """

    def __init__(self, builder: TextBuilder, *, marks_hidden: bool = False) -> None:
        self.title = ""
        self.authors: list[str] = []
        self.date: str | None = None
        self.words_hidden = 0
        self._builder = builder
        self._marks_hidden = marks_hidden
        self._numbers: dict[Element, int] = {}
        self._preformatted = 0

    def read(self, markup: str) -> None:
        """Read a whole document; as in a browser, no damage stops the reading."""
        root = _parsed(markup)
        if root is None:
            return
        self.title = next((" ".join("".join(title.itertext()).split()) for title in root.iter("title")), "")
        for meta in root.iter("meta"):
            self._meta(meta)
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            is_read = element.tag not in _SILENT and element.tag != "title" and not _is_hidden(element)
            if event == "start" and is_read:
                self._begin(element.tag, element)
                self._text(element.text)
            elif event == "start":
                self._hide(element)
                walk.skip_subtree()
            else:
                if is_read:
                    self._end(element.tag, element)
                self._text(element.tail)

    def _text(self, words: str | None) -> None:
        if words:
            self._builder.verbatim(words) if self._preformatted else self._builder.words(words)

    def _hide(self, element: Element) -> None:
        """Count the words of an element that is not shown, or add them with a mark."""
        if element.tag in _SILENT or element.tag == "title":
            return
        words = " ".join("".join(element.xpath("descendant::text()[not(ancestor::script or ancestor::style)]")).split())
        self.words_hidden += len(_WORD.findall(words))
        if self._marks_hidden and words:
            self._builder.words(f" {marked_hidden(words)} ")

    def _begin(self, tag: str, element: Element) -> None:
        if tag in _HEADINGS:
            self._builder.begin_heading()
        elif tag == "pre":
            self._builder.block()
            self._preformatted += 1
        elif (shift := _shift(element)) is not None:
            self._builder.shifted(raised=shift, lowered=not shift)
        elif tag in ("input", "option", "img"):
            self._field(tag, element)
        elif tag == "tr":
            self._builder.begin_row()
        elif tag in ("td", "th"):
            rows, columns = whole_number(element.get("rowspan")), whole_number(element.get("colspan"))
            self._builder.begin_cell(header=tag == "th", rows=rows, columns=columns)
        else:
            self._break(tag)
            if tag == "li":
                self._builder.words(self._number(element))

    def _end(self, tag: str, element: Element) -> None:
        if tag in _HEADINGS:
            self._builder.end_heading()
        elif tag == "pre":
            self._preformatted -= 1
            self._builder.block()
        elif _shift(element) is not None:
            self._builder.shifted()
        elif tag == "tr":
            self._builder.end_row()
        elif tag in ("td", "th"):
            self._builder.end_cell()
        elif tag != "br":
            self._break(tag)

    def _number(self, item: Element) -> str:
        """Return the number of the next item of a list: "4. ", "b. "; "" in a list without numbers."""
        parent = next(item.iterancestors("ol", "ul", "menu"), None)
        if parent is None or parent.tag != "ol":
            return ""
        style = parent.get("style") or ""
        named = _STYLE.search(style)
        kind = _STYLES[named[1].lower()] if named is not None else (parent.get("type") or "1").strip()
        if _UNMARKED.search(style) or kind not in _STYLES.values():
            return ""
        number = _counted(item.get("value"), self._numbers.get(parent, _counted(parent.get("start"), 1)))
        self._numbers[parent] = number + (-1 if "reversed" in parent.attrib else 1)
        numeral = str(number)
        if kind != "1":
            numeral = roman(number) if kind.lower() == "i" else letters(number, repeats=False)
        return f"{numeral if kind.islower() else numeral.upper()}. "

    def _field(self, tag: str, element: Element) -> None:
        """Add a picture's description, or the state of a form field; an option is a field that is chosen or not."""
        if tag == "img":
            self._builder.words(f" {element.get('alt') or ''} ")
        elif tag == "option":
            self._builder.line()
            self._builder.words("☒ " if "selected" in element.attrib else "☐ ")
        elif shown := _field_text(element.attrib):
            self._builder.words(shown)

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._builder.block()
        elif tag in _LINES or tag == "br":
            self._builder.line()

    def _meta(self, meta: Element) -> None:
        name = (meta.get("name") or meta.get("property") or "").lower()
        content = (meta.get("content") or "").strip()
        if name in _AUTHORS and content:
            self.authors.append(content)
        elif name in _DATES:
            self.date = self.date or iso_date(content)


def _parsed(markup: str) -> Element | None:
    """Return the root of a document; None if it is empty. Raises ReadFailure if its elements are nested too deeply."""
    head = _INNER_DTD.sub("", markup[:_HEAD], count=1)
    page = _EMPTY.sub(r"<\1\2></\1>", cleaned(head + markup[_HEAD:]))
    page = _ENDS_PARAGRAPH.sub("</p><br>", page)  # so that the tag still ends a line if a block has ended its paragraph
    for text in (page, _NESTED.sub(" ", page)):
        parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
        try:
            root: Element | None = etree.fromstring(text.encode("utf-8"), parser)
        except etree.ParserError:
            return None
        if not any(error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for error in parser.error_log):
            return root
    raise ReadFailure(FileStatus.FAILED, "its elements are nested too deeply")


def _is_hidden(element: Element) -> bool:
    hides = "hidden" in element.attrib or _HIDES.search(element.get("style") or "") is not None
    return hides and element.tag not in _NEVER_HIDDEN


def _shift(element: Element) -> bool | None:
    """Return whether an element raises (True) or lowers (False) its text; None if it does neither."""
    style = element.get("style") or "" if element.tag == "span" else ""
    if element.tag == "sup" or _RAISES.search(style):
        return True
    return False if element.tag == "sub" or _LOWERS.search(style) else None


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
    parser.read(markup)
    return builder.extracted(
        title=cleaned(parser.title),
        authors=map(cleaned, dict.fromkeys(parser.authors)),
        date=parser.date,
        left_out=hidden_parts(hidden, {"word": parser.words_hidden if parser.words_hidden >= _MANY_HIDDEN else 0}),
    )


def _counted(text: str | None, default: int) -> int:
    return int(text) if text is not None and _COUNTED.fullmatch(text.strip()) else default


def _field_text(given: Mapping[str, str | None]) -> str:
    """Return what a page shows of an `input`: a ticked or empty box, or the text that is filled in."""
    kind = (given.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return " ☒ " if "checked" in given else " ☐ "
    if kind in ("hidden", "password", "submit", "button", "reset", "image", "file"):
        return ""
    value = given.get("value") or ""
    return f" {value} " if value else ""
