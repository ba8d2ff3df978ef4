"""PDF pages are read as a person sees them: no invisible text, form values at their labels, wrong letters named."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pypdf
import pypdf.generic as g
import pytest
from made_files import changed, pdf

from investigator.documents.readers.pdf.garbled import garbled_pages, piece_length
from investigator.records import FileStatus

MARK = {"hidden": "mark", "ocr": False}
SHOWN = "The grant is 612,400 CHF in total."
HIDDEN = "It was cut to 90 CHF."


def made(value: object) -> g.PdfObject:
    """Return a value as an object of a PDF; texts that begin with a slash are names."""
    match value:
        case dict():
            return g.DictionaryObject({g.NameObject(f"/{name}"): made(own) for name, own in value.items()})
        case list() | tuple():
            return g.ArrayObject(map(made, value))
        case str():
            return g.NameObject(value) if value.startswith("/") else g.TextStringObject(value)
        case int():
            return g.NumberObject(value)
    return value


def page_of(operators: str, *, change: Callable[[pypdf.PdfWriter], None] | None = None) -> bytes:
    """Return a PDF of one page of 400 by 200 points with these drawing operators; `/F1` is Helvetica."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(400, 200)
    font = {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica", "Encoding": "/WinAnsiEncoding"}
    page[g.NameObject("/Resources")] = made({"Font": {"F1": font}})
    stream = g.DecodedStreamObject()
    stream.set_data(operators.encode("latin-1"))
    page[g.NameObject("/Contents")] = writer._add_object(stream)
    if change is not None:
        change(writer)
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def line(text: str, y: int, before: str = "", size: int = 10, x: int = 40) -> str:
    return f"q {before} BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET Q\n"


def layer_off(writer: pypdf.PdfWriter) -> None:
    """Put the layer `/L` of the page off."""
    group = writer._add_object(made({"Type": "/OCG"}))
    writer.pages[0]["/Resources"][g.NameObject("/Properties")] = made({"L": group})
    writer._root_object[g.NameObject("/OCProperties")] = made({"OCGs": [group], "D": {"OFF": [group]}})


UNSEEN = {
    "invisible": line(HIDDEN, 100, "3 Tr"),
    "white": line(HIDDEN, 100, "1 g"),
    "in the colour of its ground": f"0 0 0.5 rg 30 90 300 30 re f\n{line(HIDDEN, 100, '0 0 0.5 rg')}",
    "painted over": f"{line(HIDDEN, 100)}1 g 30 90 300 30 re f\n",
    "on a layer that is off": f"/OC /L BDC\n{line(HIDDEN, 100)}EMC\n",
    "outside the page": line(HIDDEN, 100, x=900),
}


@pytest.mark.parametrize("kind", UNSEEN)
def test_text_that_nobody_sees_is_left_out_and_counted_or_marked(read_all: Any, kind: str) -> None:
    data = page_of(line(SHOWN, 150) + UNSEEN[kind], change=layer_off if "layer" in kind else None)
    omitted = read_all("a.pdf", data, ocr=False)
    assert omitted.documents[0].text == SHOWN
    assert [(one.status, one.reason[:24]) for one in omitted.unreadable] == [
        (FileStatus.HIDDEN, "6 hidden words on page 1")
    ]
    marked = read_all("a.pdf", data, **MARK)
    assert marked.documents[0].text == f"{SHOWN}\n\n[hidden: {HIDDEN}]"


VISIBLE = {
    "white on a dark ground": f"0 0 0.5 rg 30 90 300 30 re f\n{line(HIDDEN, 100, '1 g')}",
    "over a light ground": f"q 0.9 g 30 90 300 30 re f Q\n{line(HIDDEN, 100)}",
    "on a layer that is on": f"/OC /L BDC\n{line(HIDDEN, 100)}EMC\n",
    "light grey": line(HIDDEN, 100, "0.8 g"),
    "beside a later area": f"{line(HIDDEN, 100)}1 g 30 10 300 30 re f\n",
}


@pytest.mark.parametrize("kind", VISIBLE)
def test_text_that_is_seen_is_read(read_all: Any, kind: str) -> None:
    result = read_all("a.pdf", page_of(line(SHOWN, 150) + VISIBLE[kind]), ocr=False)
    assert HIDDEN in result.documents[0].text
    assert not result.unreadable


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_only_hidden_text_of_a_turned_page_is_left_out(read: Any, turn: int) -> None:
    words = line(SHOWN, 150) + line("Light words are seen.", 120, "0.92 g") + line(HIDDEN, 90, "1 g")
    text = read("a.pdf", changed(page_of(words), lambda page: page.rotate(turn)), ocr=False).text
    assert SHOWN in text
    assert "Light words are seen." in text
    assert HIDDEN not in text


def test_the_text_layer_of_a_scan_is_read(read: Any) -> None:
    picture = (
        "q 400 0 0 200 0 0 cm\nBI /W 2 /H 2 /BPC 8 /CS /G\nID \x80\x80\x80\x80\nEI Q\n"
        f"{line(SHOWN, 150, '3 Tr')}{line(HIDDEN, 100, '3 Tr')}"
    )
    assert HIDDEN in read("a.pdf", page_of(picture), ocr=False).text


def test_raised_digits_are_no_digits_of_the_number_before_them(read: Any) -> None:
    operators = (
        "BT /F1 12 Tf 40 150 Td (At most 10) Tj /F1 7 Tf 5 Ts (6) Tj /F1 12 Tf 0 Ts ( germs, 2024 and 150) Tj "
        "/F1 7 Tf 5 Ts (2) Tj /F1 12 Tf 0 Ts ( farms.) Tj ET"
    )
    assert read("a.pdf", page_of(operators)).text == "At most 10\u2076 germs, 2024 and 150\u00b2 farms."


def field(writer: pypdf.PdfWriter, kind: str, value: str, box: tuple[int, int, int, int]) -> None:
    entry = {"Type": "/Annot", "Subtype": "/Widget", "FT": kind, "T": f"f{box[0]}{box[1]}", "V": value, "Rect": box}
    if kind == "/Btn":
        entry |= {"AS": value, "AP": {"N": {"Yes": writer._add_object(g.DecodedStreamObject())}}}
    reference = writer._add_object(made(entry))
    page = writer.pages[0]
    page[g.NameObject("/Annots")] = g.ArrayObject([*page.get("/Annots", ()), reference])
    writer._root_object.setdefault(g.NameObject("/AcroForm"), made({"Fields": []}))["/Fields"].append(reference)


def filled(writer: pypdf.PdfWriter) -> None:
    field(writer, "/Tx", "PK-77310-B", (140, 145, 300, 160))
    field(writer, "/Tx", "Zoë Müller", (140, 120, 300, 135))
    field(writer, "/Btn", "/Yes", (60, 95, 70, 108))
    field(writer, "/Btn", "/Off", (110, 95, 120, 108))
    field(writer, "/Tx", "A van rolled back.", (40, 20, 300, 60))
    note = {"Type": "/Annot", "Subtype": "/Text", "Contents": "Approved on 5 May.", "T": "Claims desk"}
    writer.pages[0]["/Annots"].append(writer._add_object(made({**note, "Rect": (350, 150, 370, 170)})))


FORM = (
    line("Policy number:", 148) + line("Claimant:", 123) + line("[   ] Yes   [   ] No", 98, x=55)
    + line("What happened:", 70)
)  # fmt: skip


def test_values_of_a_form_stand_behind_their_labels_and_notes_have_authors(read: Any) -> None:
    text = read("a.pdf", page_of(FORM, change=filled)).text
    lines = [part for part in text.split("\n") if part]
    assert lines[:2] == ["Policy number: PK-77310-B", "Claimant: Zoë Müller"]
    assert lines[2].index("☒") < lines[2].index("Yes") < lines[2].index("☐") < lines[2].index("No")
    assert lines[3:5] == ["What happened:", "A van rolled back."]
    assert lines[-1] == "comment: Claims desk: Approved on 5 May."


def test_a_form_of_very_many_fields_is_cut_and_says_so(read: Any) -> None:
    def many(writer: pypdf.PdfWriter) -> None:
        for number in range(4_100):
            field(writer, "/Tx", "x", (number % 380, 100, number % 380 + 5, 105))

    text = read("a.pdf", page_of(FORM, change=many), max_seconds=50).text
    assert "(more than 4,000 form fields)" in text


CIPHER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "qhxzvnjrtksbdfmgplwcyoaieu")
ENGLISH = "The motion was carried by nineteen votes to six, with one abstention, and the building stays open longer."
GERMAN = "Der Antrag wurde mit neunzehn gegen sechs Stimmen bei einer Enthaltung angenommen, das Haus bleibt offen."
FINNISH = "Kaupunginvaltuusto paatti maanantaina, etta uusi kirjasto rakennetaan keskustan tuntumaan ensi vuonna."


def test_a_page_in_wrong_letters_is_noticed_whatever_its_language() -> None:
    assert garbled_pages([ENGLISH, GERMAN, ENGLISH.translate(CIPHER)]) == [2]
    assert garbled_pages([GERMAN.translate(CIPHER)]) == [0]
    assert garbled_pages([ENGLISH, FINNISH, GERMAN]) == []
    assert garbled_pages([ENGLISH, "\ue001\ue002\ue003" * 20]) == [1]


def test_short_texts_and_other_scripts_are_not_judged() -> None:
    assert piece_length("xq vzk") is None
    assert piece_length("Совет города решил построить новую библиотеку в центре города осенью будущего года") is None


def test_a_page_in_wrong_letters_is_left_out_and_named(read_all: Any) -> None:
    words = (ENGLISH + " ").lower()
    data = pdf([[ENGLISH[:60], ENGLISH[60:]], [words.translate(CIPHER)[:60], words.translate(CIPHER)[60:]]])
    result = read_all("a.pdf", data, ocr=False)
    assert words.translate(CIPHER)[:20] not in result.documents[0].text
    assert result.unreadable[0].reason.startswith("page 2: its font does not say which letters it draws")


def test_words_outside_the_crop_box_are_left_out(read: Any) -> None:
    def crop(page: pypdf.PageObject) -> None:
        page.cropbox = g.RectangleObject((0, 90, 400, 200))

    data = changed(page_of(line(SHOWN, 150) + line(HIDDEN, 40)), crop)
    assert read("a.pdf", data, ocr=False).text == SHOWN


def test_the_text_of_a_page_whose_boxes_do_not_meet_is_read(read: Any) -> None:
    def apart(page: pypdf.PageObject) -> None:
        page.cropbox = g.RectangleObject((600, 800, 1_000, 1_000))

    assert read("a.pdf", changed(page_of(line(SHOWN, 150)), apart), ocr=False).text == SHOWN
