"""Word documents (.docx): body, tables and text boxes in order, then notes, comments, headers and footers.

There are no page numbers: a .docx file does not record its page breaks. Characters of symbol fonts and the states of
form fields are shown as Word shows them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from investigator.documents.readers.archives.package import CoreProperties, Package, attribute, local_name, walk
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
from investigator.documents.readers.office.word_numbers import Numbers
from investigator.documents.readers.office.word_styles import Styles, child, is_on, is_outlined, value
from investigator.documents.readers.pictures.picture import embedded_texts
from investigator.documents.readers.sheets.charts import add_chart, unread_charts
from investigator.language.normalise import one_line

_SKIPPED = frozenset({"Fallback", "moveFrom", "delText", "instrText", "pPrChange", "rPrChange", "sectPr"})
_LATER_PARTS = (r"word/footnotes\d*\.xml", r"word/endnotes\d*\.xml", r"word/header\d*\.xml", r"word/footer\d*\.xml")
_COMMENTS = r"word/comments\d*\.xml"
_LONGEST_ANCHOR = 120


def read_word(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads a .docx, .docm or .dotx file; text marked as deleted is skipped, inserted text is kept."""
    with Package(source.data, settings) as package:
        main = next(
            (part for kind, part in package.related("").values() if kind == "officeDocument"), "word/document.xml"
        )
        body = package.tree(main)
        styles = Styles(package)
        builder = TextBuilder()
        text = _WordText(builder, package, main, styles, marks_hidden=settings.hidden is HiddenText.MARK)
        text.add(body)
        hidden = text.words_hidden
        for part in _later_parts(package, styles, settings):
            builder.block()
            builder.verbatim(part)
        _add_comments(builder, package, text.anchors)
        unread_graphs = unread_charts(kind for kind, _ in package.related(main).values())
        images = [part for kind, part in package.related(main).values() if kind == "image" and part in package]
        texts, unread = embedded_texts((package.read(part) for part in images), settings)
        for words in texts:
            builder.block()
            builder.verbatim(words)
        properties = CoreProperties(package)
    return builder.extracted(
        title=properties.title,
        authors=properties.authors,
        date=properties.date,
        left_out=(
            *unread,
            *unread_graphs,
            *hidden_parts(settings.hidden, {"word": hidden}),
        ),
    )


def _later_parts(package: Package, styles: Styles, settings: ReaderSettings) -> dict[str, None]:
    """Return the texts of the notes, headers and footers, each once."""
    texts: dict[str, None] = {}
    for pattern in _LATER_PARTS:
        for name in package.names(pattern):
            part = TextBuilder()
            _WordText(part, package, name, styles, marks_hidden=settings.hidden is HiddenText.MARK).add(
                package.tree(name)
            )
            if part.text:
                texts[part.text] = None
    return texts


def _add_comments(builder: TextBuilder, package: Package, anchors: Mapping[str, str]) -> None:
    """Add a line for each comment, with its author and the words that it is on."""
    for name in package.names(_COMMENTS):
        for comment in package.tree(name):
            words = one_line(cleaned(" ".join(e.text or "" for e in comment.iter() if local_name(e) == "t")))
            if local_name(comment) != "comment" or not words:
                continue
            author = one_line(cleaned(attribute(comment, "author")))
            anchor = one_line(cleaned(anchors.get(attribute(comment, "id"), "")))[:_LONGEST_ANCHOR]
            builder.block()
            builder.verbatim(comment_line(words, author, on=f'"{anchor}"' if anchor else ""))


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

    def add(self, root: ElementTree.Element) -> None:
        """Add the text of a part."""
        self._builder.note_marks(_note_marks(root))
        for begins, element in walk(root, _SKIPPED):
            name = local_name(element)
            if name == "p":
                self._begin_paragraph(element) if begins else self._end_paragraph()
            elif name in ("tbl", "tblLook") and begins:
                self._has_header = first_row_differs(element)
                self._merged |= merged_down(element)
            elif name == "r":
                self._run(element, begins=begins)
            elif name in ("tr", "tc"):
                columns = grid_span(element) if name == "tc" else 1
                rows = self._merged.get(id(element), 1)
                self._builder.row_or_cell(name, begins, header=self._has_header, columns=columns, rows=rows)
            elif begins:
                self._inline(name, element)

    def _begin_paragraph(self, paragraph: ElementTree.Element) -> None:
        self._style = value(paragraph, "pPr", "pStyle")
        self._is_heading = is_outlined(value(paragraph, "pPr", "outlineLvl")) or self._styles.is_heading(self._style)
        self._builder.begin_heading() if self._is_heading else self._builder.block()
        if number := self._numbers.number(paragraph, self._style):
            self._builder.verbatim(f"{cleaned(number)} ")

    def _end_paragraph(self) -> None:
        self._end_hidden()
        self._builder.end_heading() if self._is_heading else self._builder.block()
        self._is_heading = False

    def _run(self, run: ElementTree.Element, *, begins: bool) -> None:
        shift = value(run, "rPr", "vertAlign") if begins else ""
        self._builder.raised(shift == "superscript")
        self._builder.lowered(shift == "subscript")
        if not begins:
            return
        font, own = child(run, "rPr", "rFonts"), child(run, "rPr", "vanish")
        self._font = attribute(font, "ascii") if font is not None else ""
        named = value(run, "rPr", "rStyle")
        is_hidden = is_on(own) if own is not None else any(map(self._styles.is_hidden, (named, self._style)))
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

    def _inline(self, name: str, element: ElementTree.Element) -> None:
        match name:
            case "t":
                self._words(symbols(element.text or "", self._font))
            case "sym":
                self._words(symbol(attribute(element, "char"), attribute(element, "font")))
            case "tab" | "noBreakHyphen":
                self._words(" " if name == "tab" else "-")
            case "br" | "cr":
                self._hidden += " " if self._is_hidden else ""
                self._builder.line()
            case "ffData":
                self._words(legacy_field(element))
            case "commentRangeStart" | "commentRangeEnd":
                self._anchor(attribute(element, "id"), begins=name == "commentRangeStart")
            case "chart" | "relIds":
                self._add_related(attribute(element, "id" if name == "chart" else "dm"))

    def _anchor(self, identity: str, *, begins: bool) -> None:
        """Begin or end the words that a comment is on."""
        if begins:
            self.anchors[identity] = ""
            self._open_anchors.add(identity)
        else:
            self._open_anchors.discard(identity)

    def _add_related(self, identity: str) -> None:
        """Add a chart, or the texts of a diagram."""
        kind, part = self._related.get(identity, ("", ""))
        if part not in self._package:
            return
        self._builder.block()
        if kind == "chart":
            add_chart(self._builder, self._package.tree(part))
        elif kind == "diagramData":
            for paragraph in (e for e in self._package.tree(part).iter() if local_name(e) == "p"):
                self._builder.line()
                self._builder.words("".join(e.text or "" for e in paragraph.iter() if local_name(e) == "t"))
        self._builder.block()


def _note_marks(root: ElementTree.Element) -> set[str]:
    """Return the raised texts with which paragraphs begin: the marks of typed notes."""
    begins = (child(paragraph, "r") for paragraph in root.iter() if local_name(paragraph) == "p")
    return {
        "".join(e.text or "" for e in run if local_name(e) == "t").strip()
        for run in begins
        if run is not None and value(run, "rPr", "vertAlign") == "superscript"
    }


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


def symbol(code: str, font: str) -> str:
    """Return the character with a hexadecimal code in a font; "" if it is unknown."""
    try:
        number = int(code, 16) & 0xFF
    except ValueError:
        return ""
    shown = symbols(chr(number), font)
    return shown if shown != chr(number) else ""


def symbols(text: str, font: str) -> str:
    """Return a text in a font; characters that are not known as symbols of the font stay as they are."""
    return text.translate(_SYMBOLS.get(font.lower(), {}))


def legacy_field(data: ElementTree.Element) -> str:
    """Return what a legacy form field shows that is not in the text: its box, or the chosen entry of its list."""
    boxed, listed = child(data, "checkBox"), child(data, "ddList")
    if boxed is not None:
        state = child(boxed, "checked")
        state = state if state is not None else child(boxed, "default")
        return _TICKED if state is not None and is_on(state) else _EMPTY
    if listed is None:
        return ""
    entries = [attribute(entry, "val") for entry in listed if local_name(entry) == "listEntry"]
    at = value(listed, "result") or value(listed, "default") or "0"
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""


def first_row_differs(look: ElementTree.Element) -> bool:
    """Return True if the style options of a table (`tblLook`) mark its first row as a header row."""
    if first_row := attribute(look, "firstRow"):
        return first_row in ("1", "true", "on")
    value = attribute(look, "val")
    return bool(re.fullmatch("[0-9A-Fa-f]{4}", value)) and bool(int(value, 16) & 0x20)


def merged_down(table: ElementTree.Element) -> dict[int, int]:
    """Return the number of rows that each merged cell spans, keyed by `id()`; 0 for a cell that belongs to the cell
    above.
    """
    rows: dict[int, int] = {}
    above: dict[int, int] = {}  # the cell that starts a merge, keyed by column
    for row in (part for part in table if local_name(part) == "tr"):
        column, begun = 0, dict[int, int]()
        for cell in (part for part in row if local_name(part) == "tc"):
            merge = next((mark for mark in cell.findall("./{*}tcPr/{*}vMerge")), None)
            if merge is not None:
                goes_on = attribute(merge, "val") in ("", "continue") and column in above
                begun[column] = above[column] if goes_on else id(cell)
                rows[id(cell)] = 0
                rows[begun[column]] += 1
            column += grid_span(cell)
        above = begun
    return rows


def grid_span(cell: ElementTree.Element) -> int:
    """Return the number of grid columns that a cell spans."""
    for properties in cell:
        if local_name(properties) == "tcPr":
            values = [attribute(child, "val") for child in properties if local_name(child) == "gridSpan"]
            return int(values[0]) if values and values[0].isascii() and values[0].isdigit() else 1
    return 1
