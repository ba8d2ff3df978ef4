"""Reads Rich Text Format: text in the code pages of its fonts, tables as rows, notes and headers at the end.

Pictures and embedded objects are skipped; nothing in the file is run or fetched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

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
from investigator.documents.readers.markup.rtf_tokens import Token, charset_encoding, page_encoding, tokens
from investigator.documents.readers.properties import iso_date
from investigator.records import FileStatus

_SKIPPED: Final = frozenset(
    {"colortbl", "pict", "sp", "shprslt", "xe", "tc", "rxe", "txe", "filetbl", "nonesttables", "nonshppict", "private"}
    | {"ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "fldinst", "pgdsctbl", "template", "comment"}
)
_KEPT_THOUGH_OPTIONAL: Final = frozenset({"ud", "shpinst", "annotation", "do", "shppict"})
_LATER: Final = frozenset(
    {"footnote", "annotation", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"}
)
_INFO: Final = frozenset({"title", "author"})
_DATES: Final = ("revtim", "creatim")  # the day of creation may be the template's
_CHARACTERS: Final = {
    "emdash": "\u2014", "endash": "\u2013", "lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c",
    "rdblquote": "\u201d", "bullet": "\u2022", "emspace": " ", "enspace": " ", "qmspace": " ", "tab": " ",
}  # fmt: skip
_SYMBOLS: Final = {"~": "\u00a0", "_": "-", "\\": "\\", "{": "{", "}": "}", "\n": "\n\n", "\r": "\n\n", "\t": " "}
_DOCUMENT_PAGES: Final = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
_SYMBOL_BULLETS: Final = frozenset({0xF0B7, 0xF0A7, 0xF0A8, 0xF0D8, 0xF0FC, 0xF076})  # Symbol and Wingdings


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


@dataclass(frozen=True)
class _State:
    """The state that a group inherits from its parent. Text is added to `flow`; if `flow` is None, it is dropped."""

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


class _Rtf:
    """Reads the tokens of one file in a single pass."""

    def __init__(self, *, marks_hidden: bool = False) -> None:
        self.hidden_words = 0
        self._marks_hidden = marks_hidden
        self.body = _Flow()
        self.later: list[_Flow] = []
        self.info: dict[str, _Flow] = {}
        self.dates: dict[str, list[int]] = {}
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
        self._words: dict[str, Callable[[int | None], None]] = self._handlers()

    def read(self, data: bytes) -> None:
        """Read everything in the file."""
        for token in tokens(data):
            if token.text:
                self._take_bytes(token.text)
            elif self._skip and not token.brace:
                self._skip -= 1
            else:
                self._take_mark(token)
        self._flush()
        self.body.row()

    def _take_bytes(self, text: bytes) -> None:
        text, self._skip = text[self._skip :], max(0, self._skip - len(text))
        if text and self._units:
            self._flush()
        self._bytes += text

    def _take_mark(self, token: Token) -> None:
        if token.word == "u":
            self._take_unit(token.number or 0)
            return
        self._flush()
        if token.brace == "{":
            self._around.append(self._state)
            self._set(optional=False)
        elif token.brace == "}":
            self._end_group()
        elif token.symbol == "*":
            self._set(optional=True)
        elif token.symbol:
            self._put(_SYMBOLS.get(token.symbol, ""))
        else:
            self._take_word(token.word, token.number)

    def _take_unit(self, number: int) -> None:
        """Add a UTF-16 code unit; the fallback text for older programs is skipped."""
        if self._bytes:
            self._flush()
        unit = number & 0xFFFF
        self._units += (0x2022 if unit in _SYMBOL_BULLETS else unit).to_bytes(2, "little")
        self._skip = self._state.unicode_skip

    def _take_word(self, word: str, number: int | None) -> None:
        optional = self._state.optional
        if optional:
            self._set(optional=False)
        if word in _SKIPPED or (optional and word not in _KEPT_THOUGH_OPTIONAL):
            self._set(flow=None, table="")
        elif word in _CHARACTERS:
            self._put(_CHARACTERS[word])
        elif handler := self._words.get(word):
            handler(number)
        elif self._state.flow is not None and word in _LATER:
            self.later.append(_Flow())
            self._set(flow=self.later[-1], in_table=False)

    def _end_group(self) -> None:
        self._skip = 0
        if self._state.table == "stylesheet":
            self._name_style()
        if self._around:
            self._state = self._around.pop()

    def _flush(self) -> None:
        """Add the collected text to its destination."""
        text = self._units.decode("utf-16-le", errors="replace")
        if self._bytes:
            text += self._bytes.decode(self._encoding(), errors="replace")
        self._bytes.clear()
        self._units.clear()
        if text:
            self._put(text)

    def _encoding(self) -> str:
        font = self._default_font if self._state.font is None else self._state.font
        return self._fonts.get(font, self._page)

    def _put(self, text: str) -> None:
        state = self._state
        if state.table == "stylesheet":
            self._style_name += text
        elif state.flow is not None and not state.table and state.hidden and not state.deleted:
            self._put_hidden(text, state)
        elif state.flow is not None and not state.table and not state.deleted:
            heading = state.outline or state.style in self._heading_styles
            state.flow.text(text, in_table=state.in_table, heading=heading)

    def _put_hidden(self, text: str, state: _State) -> None:
        self.hidden_words += len(text.split())
        if self._marks_hidden and text.strip() and state.flow is not None:
            state.flow.text(f" {marked_hidden(text.strip())} ", in_table=state.in_table, heading=False)

    def _name_style(self) -> None:
        name, self._style_name = self._style_name.strip(" ;").lower(), ""
        if self._state.style is not None and (name == "title" or name.startswith("heading ") or self._state.outline):
            self._heading_styles.add(self._state.style)

    def _set(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]

    def _handlers(self) -> dict[str, Callable[[int | None], None]]:
        """Return the action for each control word."""
        return {
            "ansicpg": self._code_page,
            **{word: self._named_page(encoding) for word, encoding in _DOCUMENT_PAGES.items()},
            "deff": self._default,
            "fonttbl": lambda _: self._set(table="fonttbl"),
            "stylesheet": lambda _: self._set(table="stylesheet"),
            "info": lambda _: self._set(table="info"),
            **{word: self._field(word) for word in _INFO},
            **{word: self._moment(word) for word in _DATES},
            **{word: self._date_part for word in ("yr", "mo", "dy")},
            "f": lambda number: self._set(font=number),
            "fcharset": self._charset,
            "cpg": lambda number: self._font_encoding(page_encoding(number or 0)),
            "uc": lambda number: self._set(unicode_skip=max(0, 1 if number is None else number)),
            "upr": lambda _: self._set(flow=None, replaced=self._state.flow),
            "ud": lambda _: self._set(flow=self._state.replaced),
            "plain": lambda _: self._set(font=None, deleted=False, hidden=False),
            "deleted": lambda number: self._set(deleted=number != 0),
            "v": lambda number: self._set(hidden=number != 0),
            "pard": lambda _: self._set(style=None, outline=False, in_table=False),
            "s": lambda number: self._set(style=number),
            "outlinelevel": lambda number: self._set(outline=(number or 0) < 9),
            "intbl": lambda _: self._set(in_table=True),
            **{word: self._move(_Flow.paragraph) for word in ("par", "sect", "page", "column")},
            **{word: self._move(_Flow.cell) for word in ("cell", "nestcell")},
            **{word: self._move(_Flow.row) for word in ("row", "nestrow")},
            "trhdr": self._move(_Flow.name_columns),
            "line": lambda _: self._put("\n"),
        }

    def _code_page(self, number: int | None) -> None:
        self._page = page_encoding(number or 1252)

    def _named_page(self, encoding: str) -> Callable[[int | None], None]:
        def name(_: int | None) -> None:
            self._page = encoding

        return name

    def _default(self, number: int | None) -> None:
        self._default_font = number or 0

    def _charset(self, number: int | None) -> None:
        if encoding := charset_encoding(number or 0):
            self._font_encoding(encoding)

    def _font_encoding(self, encoding: str) -> None:
        if self._state.table == "fonttbl" and self._state.font is not None:
            self._fonts[self._state.font] = encoding

    def _field(self, word: str) -> Callable[[int | None], None]:
        def begin(_: int | None) -> None:
            if self._state.table == "info" and self._state.flow is not None:
                self.info[word] = _Flow()
                self._set(flow=self.info[word], table="")

        return begin

    def _moment(self, word: str) -> Callable[[int | None], None]:
        def begin(_: int | None) -> None:
            self._set(flow=None, table=word)
            self.dates[word] = []

        return begin

    def _date_part(self, number: int | None) -> None:
        if self._state.table in self.dates:
            self.dates[self._state.table].append(number or 0)

    def _move(self, step: Callable[[_Flow], None]) -> Callable[[int | None], None]:
        def move(_: int | None) -> None:
            if self._state.flow is not None and not self._state.table:
                step(self._state.flow)

        return move


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
        builder.block()
        builder.verbatim(text)
    author = file.info["author"].builder.text if "author" in file.info else ""
    return builder.extracted(
        title=" ".join(file.info["title"].builder.text.split()) if "title" in file.info else "",
        authors=(name.strip() for name in author.split(";") if name.strip()),
        date=next((day for word in _DATES if (day := iso_date("-".join(map(str, file.dates.get(word, ())))))), None),
        left_out=hidden_parts(settings.hidden, {"word": file.hidden_words}),
    )
