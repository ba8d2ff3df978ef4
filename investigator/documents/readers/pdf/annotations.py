"""Fields and notes of a PDF page: what form fields show, and comments with their authors."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import c_ushort
from dataclasses import dataclass
from typing import Any

from investigator.documents.readers.base import cleaned, comment_line
from investigator.documents.readers.pdf.boxes import Box, pdfium
from investigator.language.normalise import one_line

TICKED, EMPTY = "\N{BALLOT BOX WITH X}", "\N{BALLOT BOX}"
_MOST_FIELDS = 4_000  # of a page
_LONGEST = 4_000
_AUTHOR, _CONTENTS = b"T", b"Contents"


@dataclass(frozen=True)
class Field:
    """A form field: what it shows, and its place on the page as it is stored."""

    shown: str
    place: Box


def taken_fields(document: Any, page: Any) -> list[Field]:
    """Return the form fields of a page, and remove them from the copy in memory, so that they are not read twice."""
    form = document.formenv.raw if document.formenv is not None else None
    if form is None:
        return []
    fields: list[Field] = []
    for field in _annotations(page, pdfium.FPDF_ANNOT_WIDGET):
        place = pdfium.FS_RECTF()
        shown = _value(form, field)
        if len(fields) >= _MOST_FIELDS:
            fields.append(Field(f"(more than {_MOST_FIELDS:,} form fields)", fields[-1].place))
            break
        if shown and pdfium.FPDFAnnot_GetRect(field, place):
            left, right = sorted((place.left, place.right))
            bottom, top = sorted((place.bottom, place.top))
            fields.append(Field(shown, Box(left, bottom, right, top)))
    for index, kind in reversed(list(enumerate(_kinds(page)))):
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            pdfium.FPDFPage_RemoveAnnot(page, index)
    return fields


def comments_of(page: Any) -> list[str]:
    """Return a line for each note and each comment on a mark, with its author."""
    kinds = (
        pdfium.FPDF_ANNOT_TEXT,
        pdfium.FPDF_ANNOT_HIGHLIGHT,
        pdfium.FPDF_ANNOT_UNDERLINE,
        pdfium.FPDF_ANNOT_SQUIGGLY,
        pdfium.FPDF_ANNOT_STRIKEOUT,
        pdfium.FPDF_ANNOT_CARET,
    )
    lines = []
    for note in _annotations(page, *kinds):
        words = one_line(cleaned(text_of(pdfium.FPDFAnnot_GetStringValue, note, _CONTENTS)))[:_LONGEST]
        author = one_line(cleaned(text_of(pdfium.FPDFAnnot_GetStringValue, note, _AUTHOR)))
        if words:
            lines.append(comment_line(words, author))
    return lines


def has_written_annotations(page: Any) -> bool:
    """Return True if the page has form fields, text annotations or stamps."""
    return not {pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT, pdfium.FPDF_ANNOT_STAMP}.isdisjoint(_kinds(page))


def _kinds(page: Any) -> list[int]:
    return [pdfium.FPDFAnnot_GetSubtype(annotation) for annotation in _annotations(page)]


def _annotations(page: Any, *kinds: int) -> Iterator[Any]:
    """Yield the annotations of a page, or those of the given kinds; each is closed when the next one is asked for."""
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        try:
            if not kinds or pdfium.FPDFAnnot_GetSubtype(annotation) in kinds:
                yield annotation
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _value(form: Any, field: Any) -> str:
    """Return what a field shows: its text, its choice, or its box; "" for buttons, signatures and hidden fields."""
    if pdfium.FPDFAnnot_GetFlags(field) & pdfium.FPDF_ANNOT_FLAG_HIDDEN:
        return ""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, field)
    if kind in (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return TICKED if pdfium.FPDFAnnot_IsChecked(form, field) else EMPTY
    if kind in (pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX):
        return one_line(cleaned(text_of(pdfium.FPDFAnnot_GetFormFieldValue, form, field)))[:_LONGEST]
    return ""


def text_of(read: Any, *of: Any) -> str:
    """Return the text that a function of pdfium writes into a buffer."""
    length = read(*of, None, 0)
    buffer = (c_ushort * (length // 2 + 1))()
    read(*of, buffer, length)
    return bytes(buffer)[:length].decode("utf-16-le", errors="ignore").rstrip("\0")
