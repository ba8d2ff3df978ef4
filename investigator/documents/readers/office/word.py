"""Word documents (.docx): body, tables and text boxes in order, then notes, comments, headers and footers.

There are no page numbers: a .docx file does not record its page breaks. Characters of symbol fonts and the states of
form fields are shown as Word shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    SourceFile,
    cleaned,
    comment_line,
    hidden_parts,
    marked_hidden,
)
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.numerals import whole_number
from investigator.documents.readers.office.word_styles import Numbers, Styles, is_on, is_outlined, value
from investigator.documents.readers.pictures.picture import embedded_texts
from investigator.documents.readers.sheets.charts import add_chart, unread_charts
from investigator.documents.readers.zip_files import Package, texts_of, walk
from investigator.language.normalise import one_line

_SKIPPED = frozenset({"Fallback", "moveFrom", "delText", "instrText", "pPrChange", "rPrChange", "sectPr"})
_LATER_PARTS = (r"word/footnotes\d*\.xml", r"word/endnotes\d*\.xml", r"word/header\d*\.xml", r"word/footer\d*\.xml")
_COMMENTS = r"word/comments\d*\.xml"
_LONGEST_ANCHOR = 120
_PLAIN = Element("rPr")


def read_word(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a .docx, .docm or .dotx file; text marked as deleted is skipped, inserted text is kept."""
    marks = settings.hidden is HiddenText.MARK
    with Package(source.data, settings) as package:
        main, styles, builder = package.main("word/document.xml"), Styles(package), TextBuilder()
        text = _WordText(builder, package, main, styles, marks_hidden=marks)
        later: dict[str, None] = {}
        for name in (name for pattern in _LATER_PARTS for name in package.names(pattern)):
            part = TextBuilder()
            _WordText(part, package, name, styles, marks_hidden=marks)
            later[part.text] = None
        for words in (*later, *_comments(package, text.anchors)):
            builder.paragraph(words)
        texts, unread = embedded_texts((package.read(part) for part in package.present(main, "image")), settings)
        for words in texts:
            builder.paragraph(words)
        unread += unread_charts(kind for kind, _ in package.related(main).values())
        properties = package.properties()
    unread += hidden_parts(settings.hidden, {"word": text.words_hidden})
    return builder.extracted(*properties, left_out=unread)


def _comments(package: Package, anchors: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each comment, with its author and the words that it is on."""
    for name in package.names(_COMMENTS):
        for comment in package.tree(name).iterfind("comment"):
            if words := one_line(cleaned(" ".join(e.text or "" for e in comment.iter("t")))):
                anchor = one_line(cleaned(anchors.get(comment.get("id", ""), "")))[:_LONGEST_ANCHOR]
                author = one_line(cleaned(comment.get("author", "")))
                yield comment_line(words, author, on=f'"{anchor}"' if anchor else "")


class _WordText:
    """Feeds the words of a part to a builder. `words_hidden` counts the words that Word does not show; `anchors` are
    the words that each comment is on, by its id.
    """

    def __init__(
        self, builder: TextBuilder, package: Package, part: str, styles: Styles, *, marks_hidden: bool
    ) -> None:
        self.words_hidden = 0
        self.anchors: dict[str, str] = {}
        self._builder = builder
        self._package = package
        self._related = package.related(part)
        self._styles = styles
        self._numbers = Numbers(package, styles)
        self._marks_hidden = marks_hidden
        self._hidden = ""
        self._is_hidden = self._is_heading = self._has_header = False
        self._style = self._font = ""
        self._merged: dict[int, int] = {}
        self._open_anchors: set[str] = set()
        root = package.tree(part)
        builder.note_marks(_note_marks(root))
        for begins, element in walk(root, _SKIPPED):
            self._add(element.tag, element, begins=begins)

    def _add(self, name: str, element: Element, *, begins: bool) -> None:
        match name:
            case "p":
                self._begin_paragraph(element) if begins else self._end_paragraph()
            case "r":
                self._run(element if begins else None)
            case "tr" | "tc":
                columns, rows = whole_number(value(element, "tcPr/gridSpan")), self._merged.get(id(element), 1)
                self._builder.row_or_cell(name, begins, header=self._has_header, columns=columns, rows=rows)
            case "tbl" | "tblLook" if begins:
                self._has_header = _first_row_differs(element)
                self._merged |= _merged_down(element)
            case "chart" | "relIds" if begins:
                self._add_related(*self._related.get(element.get("r:id" if name == "chart" else "r:dm", ""), ("", "")))
            case _ if begins:
                self._inline(name, element)

    def _begin_paragraph(self, paragraph: Element) -> None:
        self._style = value(paragraph, "pPr/pStyle")
        self._is_heading = is_outlined(value(paragraph, "pPr/outlineLvl")) or self._styles.is_heading(self._style)
        self._builder.begin_heading() if self._is_heading else self._builder.block()
        if number := self._numbers.number(paragraph, self._style):
            self._builder.verbatim(f"{cleaned(number)} ")

    def _end_paragraph(self) -> None:
        self._end_hidden()
        self._builder.end_heading() if self._is_heading else self._builder.block()
        self._is_heading = False

    def _run(self, run: Element | None) -> None:
        own = run.find("rPr") if run is not None else None
        shift = value(own, "vertAlign") if own is not None else ""
        self._builder.shifted(raised=shift == "superscript", lowered=shift == "subscript")
        if run is None:
            return
        own = own if own is not None else _PLAIN
        vanish, font = own.find("vanish"), own.find("rFonts")
        self._font = font.get("ascii", "") if font is not None else ""
        styles = value(own, "rStyle"), self._style
        is_hidden = is_on(vanish) if vanish is not None else any(map(self._styles.is_hidden, styles))
        if self._is_hidden and not is_hidden:
            self._end_hidden()
        self._is_hidden = is_hidden

    def _end_hidden(self) -> None:
        words, self._hidden, self._is_hidden = one_line(self._hidden), "", False
        if words and self._marks_hidden:
            self._builder.words(f" {marked_hidden(cleaned(words))} ")
        elif words:
            self.words_hidden += len(words.split())

    def _words(self, text: str) -> None:
        if self._is_hidden:
            self._hidden += text
            return
        self._builder.verbatim(text)
        for anchor in self._open_anchors:
            if len(self.anchors[anchor]) < _LONGEST_ANCHOR:
                self.anchors[anchor] += text

    def _inline(self, name: str, element: Element) -> None:
        match name:
            case "t":
                self._words(_symbols(element.text or "", self._font))
            case "sym":
                self._words(_symbol(element.get("char", ""), element.get("font", "")))
            case "tab" | "noBreakHyphen":
                self._words(" " if name == "tab" else "-")
            case "br" | "cr":
                self._hidden += " " if self._is_hidden else ""
                self._builder.line()
            case "ffData":
                self._words(_legacy_field(element))
            case "commentRangeStart":
                self.anchors[element.get("id", "")] = ""
                self._open_anchors.add(element.get("id", ""))
            case "commentRangeEnd":
                self._open_anchors.discard(element.get("id", ""))

    def _add_related(self, kind: str, part: str) -> None:
        if part not in self._package:
            return
        self._builder.block()
        if kind == "chart":
            add_chart(self._builder, self._package.tree(part))
        elif kind == "diagramData":
            for paragraph in self._package.tree(part).iter("p"):
                self._builder.line()
                self._builder.words(texts_of(paragraph, "t"))
        self._builder.block()


def _note_marks(root: Element) -> set[str]:
    """Return the raised texts with which paragraphs begin: the marks of typed notes."""
    runs = (paragraph.find("r") for paragraph in root.iter("p"))
    raised = (run for run in runs if run is not None and value(run, "rPr/vertAlign") == "superscript")
    return {"".join(text.text or "" for text in run.iterfind("t")).strip() for run in raised}


_TICKED, _EMPTY = "\N{BALLOT BOX WITH X}", "\N{BALLOT BOX}"
_PRIVATE = 0xF000  # Word stores the codes of symbol fonts in the private-use area


def _table(codes: str, shown: str) -> dict[int, int]:
    return str.maketrans(codes + "".join(chr(_PRIVATE + ord(code)) for code in codes), shown * 2)


_SYMBOLS = {
    "wingdings": _table("oq\xa8\xfb\xfc\xfd\xfe", "☐☐☐✗✓☒☒"),
    "wingdings 2": _table("OPQRS*\xa3", "✗✓☒☒☒☐☐"),
    "symbol": _table("m\xa3\xb0\xb1\xb3\xb4\xb7", "μ≤°±≥×•"),
}
"""The characters of symbol fonts that tell something, by font and code."""


def _symbol(code: str, font: str) -> str:
    """Return the character with a hexadecimal code in a font; "" if it is unknown."""
    try:
        number = int(code, 16) & 0xFF
    except ValueError:
        return ""
    shown = _symbols(chr(number), font)
    return shown if shown != chr(number) else ""


def _symbols(text: str, font: str) -> str:
    return text.translate(_SYMBOLS.get(font.lower(), {}))


def _legacy_field(data: Element) -> str:
    """Return what a legacy form field shows that is not in the text: its box, or the chosen entry of its list."""
    boxed, listed = data.find("checkBox"), data.find("ddList")
    if boxed is not None:
        states = boxed.find("checked"), boxed.find("default")
        return _TICKED if is_on(next((state for state in states if state is not None), _OFF)) else _EMPTY
    if listed is None:
        return ""
    entries = [entry.get("val", "") for entry in listed.iterfind("listEntry")]
    at = value(listed, "result") or value(listed, "default") or "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""


_OFF = Element("checked", val="0")


def _first_row_differs(look: Element) -> bool:
    """Return True if the style options of a table (`tblLook`) mark its first row as a header row."""
    if first_row := look.get("firstRow"):
        return first_row in ("1", "true", "on")
    options = look.get("val", "")
    return bool(re.fullmatch("[0-9A-Fa-f]{4}", options)) and bool(int(options, 16) & 0x20)


def _merged_down(table: Element) -> dict[int, int]:
    """Return the rows that each merged cell spans, by `id()`; 0 for a cell that belongs to the cell above."""
    rows: dict[int, int] = {}
    above: dict[int, int] = {}  # the cell that starts a merge, keyed by column
    for row in table.iterfind("tr"):
        column, begun = 0, dict[int, int]()
        for cell in row.iterfind("tc"):
            merge = cell.find("tcPr/vMerge")
            if merge is not None:
                goes_on = merge.get("val", "") in ("", "continue") and column in above
                begun[column] = above[column] if goes_on else id(cell)
                rows[id(cell)] = 0
                rows[begun[column]] += 1
            column += whole_number(value(cell, "tcPr/gridSpan"))
        above = begun
    return rows
