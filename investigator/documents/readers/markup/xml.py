"""Reads XML, and keeps paragraphs, headings and tables of articles, or the names of elements and attributes of data.

An article's references come last, under the heading `References`, one line per entry; the front matter on the journal,
the affiliations and the licence precedes them, under the heading `About the article`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from xml.etree.ElementTree import ParseError, XMLParser

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.decoding import decoded
from investigator.documents.readers.markup.html import extracted_html
from investigator.documents.readers.numerals import whole_number
from investigator.documents.readers.properties import iso_date
from investigator.records import FileStatus

_PROSE = re.compile(rb"<(?:\w+:)?(?:p|para|sec|section|h1|body)[\s>]")
_PARAGRAPHS = frozenset({"p", "para", "h", "title", "head", "subtitle", "label", "caption-title", "v", "line"})
_HEADINGS = frozenset({"title", "head", "h", "h1", "h2", "h3", "h4", "h5", "h6"})
_SILENT = frozenset({"binaryData", "binary", "script", "style", "instrText", "Override"})
_BREAKING = frozenset({"list", "list-item", "table", "table-wrap", "disp-quote", "fig", "item", "listitem"})
_ROWS = frozenset({"tr", "row"})
_CELLS = frozenset({"td", "th", "tc", "entry"})
_LIST = "ref-list"  # this and the following constants name elements of JATS and NLM articles
_FRONT_NAMES = (
    "journal-meta article-id article-categories contrib-group aff author-notes pub-date volume issue fpage lpage "
    "elocation-id history permissions copyright-statement copyright-year license self-uri counts page-count "
    "custom-meta-group custom-meta-wrap"
)
_FRONT = frozenset(_FRONT_NAMES.split())
_OWN_LINE = frozenset({_LIST, "ref", "title"})  # elements of a reference list that begin a line
_LINE_OF_FRONT = frozenset({*_FRONT, "title", "contrib", "p"})
_REFERENCES = "References"
_ABOUT = "About the article"


@dataclass
class _Open:
    name: str
    block: bool
    inline_inside: bool
    words: bool = False


class _XmlText:
    """A target for the standard XML parser: passes words to the builder element by element, without building a tree."""

    def __init__(self, prose: bool) -> None:
        self.builder = TextBuilder()
        self.article_title = ""
        self._titled = False
        self.authors: list[str] = []
        self._references = TextBuilder()
        self._about = TextBuilder()
        self._aside: TextBuilder | None = None
        self._asides = 0
        self._prose = prose
        self._stack: list[_Open] = []
        self._silent = 0
        self._date: dict[str, str] = {}
        self._name: dict[str, str] = {}

    @property
    def date(self) -> str | None:
        """Return the first publication date that the document gives in year, month and day elements."""
        if "year" not in self._date:
            return None
        year, month, day = (self._date.get(part, "") for part in ("year", "month", "day"))
        return iso_date(f"{year}-{month}-{day}") or iso_date(year)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        name = tag.rpartition("}")[2]
        parent = self._stack[-1] if self._stack else None
        inline = parent is not None and (parent.inline_inside or parent.words) and name not in _BREAKING
        block = not inline
        self._stack.append(_Open(name, block, inline or name in _PARAGRAPHS))
        self._silent += name in _SILENT
        if self._prose and self._comes_last(name):
            self._asides += 1
            self._aside = self._aside or (self._references if name == _LIST else self._about)
        if self._aside is not None:
            self._apart(self._aside, name, block)
            return
        if name in _ROWS:
            self.builder.begin_row()
        elif name in _CELLS:
            self.builder.begin_cell(
                header=name == "th",
                rows=whole_number(attributes.get("rowspan")),
                columns=whole_number(attributes.get("colspan")),
            )
        elif name == "sup":
            self.builder.shifted(raised=True)
        elif name in _HEADINGS and block:
            self.builder.begin_heading()
        elif block:
            self._break(name)
        for key, value in attributes.items() if not self._prose else ():
            if value.strip() and "}" not in key:
                self.builder.words(f"{name} {key}: {value}")
                self.builder.line()

    def data(self, text: str) -> None:
        """Add running text."""
        if not self._stack or self._silent:
            return
        element = self._stack[-1]
        if not self._prose and element.block and not element.words and text.strip():
            self.builder.words(f"{element.name}: ")
        element.words = element.words or bool(text.strip())
        if element.name in ("year", "month", "day") and self._in("pub-date", "date", "publicationDate"):
            self._date.setdefault(element.name, text.strip())
        if element.name in ("surname", "given-names") and self._in("contrib"):
            self._name[element.name] = self._name.get(element.name, "") + text
        if self._aside is not None:
            self._aside.words(text)
            return
        if not self._titled and self._in("article-title"):
            self.article_title += text
        self.builder.words(text)

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        element = self._stack.pop()
        self._silent -= element.name in _SILENT
        if self._name and element.name in ("name", "contrib"):
            self.authors.append(
                " ".join(f"{self._name.get('given-names', '')} {self._name.get('surname', '')}".split())
            )
            self._name = {}
        if self._aside is not None:
            self._apart(self._aside, element.name, block=False)
            if self._comes_last(element.name):
                self._asides -= 1
                self._aside = self._aside if self._asides else None
            return
        self._titled = self._titled or element.name == "article-title"
        if element.name in _ROWS:
            self.builder.end_row()
        elif element.name in _CELLS:
            self.builder.end_cell()
        elif element.name == "sup":
            self.builder.shifted()
        elif element.name in _HEADINGS and element.block:
            self.builder.end_heading()
        elif element.block:
            self._break(element.name)

    def close(self) -> None:
        """Add the remaining text at the end of the document."""
        title, _, entries = self._references.text.partition("\n")
        if title.strip(" .:").lower() != _REFERENCES.lower():
            entries = self._references.text
        for heading, text in ((_ABOUT, self._about.text), (_REFERENCES, entries)):
            if text.strip():
                self.builder.heading(heading)
                self.builder.verbatim(text)

    def _comes_last(self, name: str) -> bool:
        """Return True if an element moves to the end: references, and front matter except title and abstract."""
        return name == _LIST or (name in _FRONT and self._in("front", "article-meta"))

    def _apart(self, aside: TextBuilder, name: str, block: bool) -> None:
        """Separate an entry from the next one, and put a space between adjacent elements."""
        if name in (_OWN_LINE if aside is self._references else _LINE_OF_FRONT):
            aside.line()
        elif block:
            aside.words(" ")

    def _break(self, name: str) -> None:
        if self._prose and name in _PARAGRAPHS:
            self.builder.block()
        else:
            self.builder.line()

    def _in(self, *names: str) -> bool:
        return any(element.name in names for element in self._stack)


def read_xml(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads XML. Malformed XML is read as a browser would; external entities are never fetched."""
    prose = _PROSE.search(source.data) is not None
    target = _XmlText(prose)
    parser = XMLParser(target=target)
    try:
        parser.feed(source.data)
        parser.close()
    except (ParseError, ValueError, LookupError):
        markup = decoded(source.data, declared=True)
        if markup is None:
            raise ReadFailure(FileStatus.FAILED, "the XML is damaged") from None
        return extracted_html(markup, settings.hidden)
    extracted = target.builder.extracted(
        title=" ".join(target.article_title.split()), authors=target.authors, date=target.date
    )
    return extracted if prose else replace(extracted, headings=())
