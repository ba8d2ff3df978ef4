"""Reads Rich Text Format: text in the code pages of its fonts, tables as rows, notes and headers at the end.

Pictures and embedded objects are skipped; nothing in the file is run or fetched.
"""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from investigator.documents.readers.base import (
    Extracted,
    HiddenText,
    ReaderSettings,
    ReadFailure,
    SourceFile,
    hidden_parts,
    marked_hidden,
)
from investigator.documents.readers.builder import TextBuilder
from investigator.documents.readers.decoding import is_noise
from investigator.documents.readers.properties import iso_date
from investigator.records import FileStatus

_TOKEN = re.compile(
    rb"(?P<brace>[{}])"
    rb"|\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\(?P<symbol>.)"
    rb"|(?P<text>[^\\{}]+)",
    re.S,
)
_LINE_ENDS = bytes([10, 13, 0])
_CHARSETS = {  # of fonts; 0 stands for unknown, as in a font's default charset
    0: 1252, 77: 10000, 78: 10001, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
    177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
_PAGES = {10000: "mac_roman", 10001: "shift_jis", 10007: "mac_cyrillic", 936: "gb18030", 1361: "johab", 65001: "utf-8"}
_DOCUMENT_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_SKIPPED = frozenset(
    {"colortbl", "pict", "sp", "shprslt", "xe", "tc", "rxe", "txe", "filetbl", "nonesttables", "nonshppict", "private"}
    | {"ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "fldinst", "pgdsctbl", "template", "comment"}
)
_KEPT_THOUGH_OPTIONAL = frozenset({"ud", "shpinst", "annotation", "do", "shppict"})
_LATER = frozenset(
    {"footnote", "annotation", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
)
_DATES = ("revtim", "creatim")  # the day of creation may be the template's
_TABLES = frozenset({"fonttbl", "stylesheet", "info", *_DATES})
_CHARACTERS = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "emspace": " ", "enspace": " ", "qmspace": " ", "tab": " ", "line": "\n",
}  # fmt: skip
_SYMBOLS = {"~": "\u00a0", "_": "-", "\\": "\\", "{": "{", "}": "}", "\n": "\n\n", "\r": "\n\n", "\t": " "}
_SYMBOL_BULLETS = frozenset({0xF0B7, 0xF0A7, 0xF0A8, 0xF0D8, 0xF0FC, 0xF076})  # Symbol and Wingdings


class _Flow:
    """Adds a sequence of paragraphs and table rows to a builder."""

    def __init__(self) -> None:
        self.builder = TextBuilder()
        self._table = self._row = self._cell = self._heading = self._names = False

    def text(self, text: str, *, in_table: bool, heading: bool) -> None:
        """Add running text to the current paragraph."""
        if in_table:
            self._open_cell()
        elif self._table:
            self.row()
            self.builder.block()
            self._table = False
        if heading and not in_table and not self._heading and text.strip():
            self.builder.begin_heading()
            self._heading = True
        self.builder.verbatim(text)

    def paragraph(self) -> None:
        """End the paragraph."""
        if self._heading:
            self.builder.end_heading()
        self._heading = False
        self.builder.block()

    def name_columns(self) -> None:
        """Mark the row that is about to begin as the header row."""
        self._names = True

    def cell(self) -> None:
        """End the table cell."""
        self._open_cell()
        self.builder.end_cell()
        self._cell = False

    def row(self) -> None:
        """End the table row."""
        if self._row:
            self.builder.end_row()
        self._row = self._cell = self._names = False

    def _open_cell(self) -> None:
        if not self._row:
            self.builder.begin_row(header=self._names)
        if not self._cell:
            self.builder.begin_cell()
        self._table = self._row = self._cell = True


_MOVES: Mapping[str, Callable[[_Flow], None]] = {
    **dict.fromkeys(("par", "sect", "page", "column"), _Flow.paragraph),
    **dict.fromkeys(("cell", "nestcell"), _Flow.cell),
    **dict.fromkeys(("row", "nestrow"), _Flow.row),
    "trhdr": _Flow.name_columns,
}


@dataclass(frozen=True)
class _State:
    """The state that a group inherits from its parent. Text is added to `flow`; if `flow` is None, it is dropped.
    `table` is the table of the file that is being read, if any.
    """

    flow: _Flow | None
    replaced: _Flow | None = None
    table: str = ""
    font: int | None = None
    style: int | None = None
    outline: bool = False
    in_table: bool = False
    deleted: bool = False
    hidden: bool = False
    unicode_skip: int = 1
    optional: bool = False


_CHANGES: Mapping[str, Callable[[_State, int | None], _State]] = {
    "f": lambda state, number: replace(state, font=number),
    "uc": lambda state, number: replace(state, unicode_skip=max(0, 1 if number is None else number)),
    "upr": lambda state, _: replace(state, flow=None, replaced=state.flow),
    "ud": lambda state, _: replace(state, flow=state.replaced),
    "plain": lambda state, _: replace(state, font=None, deleted=False, hidden=False),
    "deleted": lambda state, number: replace(state, deleted=number != 0),
    "v": lambda state, number: replace(state, hidden=number != 0),
    "pard": lambda state, _: replace(state, style=None, outline=False, in_table=False),
    "s": lambda state, number: replace(state, style=number),
    "outlinelevel": lambda state, number: replace(state, outline=(number or 0) < 9),
    "intbl": lambda state, _: replace(state, in_table=True),
}


class _Rtf:
    """Reads one file in a single pass over its tokens."""

    def __init__(self, *, marks_hidden: bool = False) -> None:
        self.hidden_words = 0
        self._marks_hidden = marks_hidden
        self.body = _Flow()
        self.later: list[_Flow] = []
        self.info = {"title": _Flow(), "author": _Flow()}
        self.dates: dict[str, list[int]] = defaultdict(list)
        self._state = _State(self.body)
        self._around: list[_State] = []
        self._page = "cp1252"
        self._default_font = 0
        self._fonts: dict[int, str] = {}
        self._heading_styles: set[int] = set()
        self._style_name = ""
        self._bytes = bytearray()
        self._units = bytearray()
        self._skip = 0

    def read(self, data: bytes) -> None:
        """Read everything in the file; binary data (`\\binN`) is skipped."""
        position = 0
        while match := _TOKEN.match(data, position):
            position = match.end()
            if match["word"] == b"bin":
                position += max(0, int(match["number"] or 0))
            else:
                self._take(match)
        self._flush()
        self.body.row()

    def _take(self, token: re.Match[bytes]) -> None:
        if token["text"] or token["hex"]:
            plain = token["text"] or b""
            self._take_bytes(plain.translate(None, _LINE_ENDS) or bytes.fromhex((token["hex"] or b"").decode("ascii")))
        elif self._skip and not token["brace"]:
            self._skip -= 1
        elif token["word"] == b"u":
            self._take_unit(int(token["number"] or 0))
        else:
            self._flush()
            if token["brace"]:
                self._take_brace(begins=token["brace"] == b"{")
            elif token["symbol"] == b"*":
                self._state = replace(self._state, optional=True)
            elif token["symbol"]:
                self._put(_SYMBOLS.get(token["symbol"].decode("latin-1"), ""))
            else:
                number = None if token["number"] is None else int(token["number"])
                self._take_word(token["word"].decode("ascii"), number)

    def _take_bytes(self, text: bytes) -> None:
        text, self._skip = text[self._skip :], max(0, self._skip - len(text))
        if text and self._units:
            self._flush()
        self._bytes += text

    def _take_unit(self, number: int) -> None:
        """Add a UTF-16 code unit; the fallback text for older programs is skipped."""
        if self._bytes:
            self._flush()
        unit = number & 0xFFFF
        self._units += (0x2022 if unit in _SYMBOL_BULLETS else unit).to_bytes(2, "little")
        self._skip = self._state.unicode_skip

    def _take_brace(self, *, begins: bool) -> None:
        if begins:
            self._around.append(self._state)
            self._state = replace(self._state, optional=False)
            return
        self._skip = 0
        if self._state.table == "stylesheet":
            self._name_style()
        if self._around:
            self._state = self._around.pop()

    def _take_word(self, word: str, number: int | None) -> None:
        optional = self._state.optional
        state = self._state = replace(self._state, optional=False)
        if word in _SKIPPED or (optional and word not in _KEPT_THOUGH_OPTIONAL):
            self._state = replace(state, flow=None, table="")
        elif word in _CHARACTERS:
            self._put(_CHARACTERS[word])
        elif word in _CHANGES:
            self._state = _CHANGES[word](state, number)
        elif word in _TABLES:
            self._state = replace(state, table=word)
        elif word in _MOVES and state.flow is not None and not state.table:
            _MOVES[word](state.flow)
        elif word in _LATER and state.flow is not None:
            self.later.append(_Flow())
            self._state = replace(state, flow=self.later[-1], in_table=False)
        else:
            self._take_property(word, number or 0)

    def _take_property(self, word: str, number: int) -> None:
        state = self._state
        if word in _DOCUMENT_PAGES:
            self._page = _DOCUMENT_PAGES[word]
        elif word == "ansicpg":
            self._page = _page_encoding(number)
        elif word == "deff":
            self._default_font = number
        elif word in ("fcharset", "cpg") and state.table == "fonttbl" and state.font is not None:
            page = number if word == "cpg" else _CHARSETS.get(number)
            self._fonts |= {state.font: _page_encoding(page)} if page is not None else {}
        elif word in self.info and state.table == "info" and state.flow is not None:
            self.info[word] = _Flow()
            self._state = replace(state, flow=self.info[word], table="")
        elif word in ("yr", "mo", "dy") and state.table in _DATES:
            self.dates[state.table].append(number)

    def _flush(self) -> None:
        text = self._units.decode("utf-16-le", errors="replace")
        if self._bytes:
            font = self._default_font if self._state.font is None else self._state.font
            text += self._bytes.decode(self._fonts.get(font, self._page), errors="replace")
        self._bytes.clear()
        self._units.clear()
        if text:
            self._put(text)

    def _put(self, text: str) -> None:
        state = self._state
        if state.table == "stylesheet":
            self._style_name += text
        if state.flow is None or state.table or state.deleted:
            return
        heading = not state.hidden and (state.outline or state.style in self._heading_styles)
        if state.hidden:
            self.hidden_words += len(text.split())
            text = f" {marked_hidden(text.strip())} " if self._marks_hidden and text.strip() else ""
        if text:
            state.flow.text(text, in_table=state.in_table, heading=heading)

    def _name_style(self) -> None:
        name, self._style_name = self._style_name.strip(" ;").lower(), ""
        if self._state.style is not None and (name == "title" or name.startswith("heading ") or self._state.outline):
            self._heading_styles.add(self._state.style)


def _page_encoding(number: int) -> str:
    """Return the encoding of a Windows code page; Western European if unknown."""
    try:
        return codecs.lookup(_PAGES.get(number, f"cp{number}")).name
    except LookupError:
        return "cp1252"


def read_rtf(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads an RTF file; text marked as deleted is skipped, hidden text is left out and counted, or marked. A truncated
    file is read to its end. Raises ReadFailure if the file contains hardly any text.
    """
    if is_noise(source.data) and b"\\bin" not in source.data:  # only `\bin` groups may contain bytes that are not text
        raise ReadFailure(FileStatus.FAILED, "the file begins like RTF, but its bytes are not text")
    file = _Rtf(marks_hidden=settings.hidden is HiddenText.MARK)
    file.read(source.data)
    builder = file.body.builder
    for text in dict.fromkeys(flow.builder.text for flow in file.later):
        builder.paragraph(text)
    return builder.extracted(
        title=" ".join(file.info["title"].builder.text.split()),
        authors=(name.strip() for name in file.info["author"].builder.text.split(";") if name.strip()),
        date=next((day for word in _DATES if (day := iso_date("-".join(map(str, file.dates[word]))))), None),
        left_out=hidden_parts(settings.hidden, {"word": file.hidden_words}),
    )
