"""Files that were handed in with questions are read as a person sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases"


@pytest.mark.parametrize(
    ("file", "held", "lacking"),
    [
        ("01-hidden-pdf-text/docs/grant-letter.pdf", ["612,400 CHF"], ["90 CHF", "withdrawn", "2031", "Nobody"]),
        ("02-docx-auto-numbers/docs/service-agreement.docx", ["4.2 Either", "(b) interest of 1.5 percent"], []),
        ("03-superscripts/docs/cheese.html", ["10^6 CFU"], ["106", "1502"]),
        ("03-superscripts/docs/cheese.docx", ["10^4 CFU", "SO4"], ["104"]),
        ("04-pdf-form-values/docs/claim-form.pdf", ["number: PK-77310-B", "Region: North", "1,250 EUR"], []),
        ("06-xlsx-1904-and-formats/docs/*", ["255:30", "2021-03-15", "7.5%", "48k"], ["1904"]),
        ("07-pptx-chart-smartart/docs/board.pptx", ["category: Autumn; Coast: 437", "Triage"], []),
        ("08-mail-thread/docs/03-reply.eml", ["[quoted message] Am 02.04.2025"], []),
        ("15-garbled-font/docs/minutes.pdf", ["Ingrid Moe"], ["nby"]),
        ("18-html-rowspan/docs/landings.html", ["Vardo | Cod | 640", "Harbour | Fish | Tonnes"], []),
        ("18-html-rowspan/docs/delivery.docx", ["Norway | Lamp | 12"], []),
        ("19-docx-checkboxes/docs/order-form.docx", ["☒ Express", "☐ Standard", "☒ Insurance", "☐ Gift"], []),
        ("20-xlsx-hidden/docs/*", ["Deep clean; Price (EUR): 180"], ["140", "210", "96", "72"]),
        ("22-compare-long-short/docs/contract-brockmann.pdf", ["sixty (60) days"], []),
        ("28-csv-european/docs/energie.csv", ["1.234,5"], ["sep="]),
        ("29-form-values-apart/docs/claim.pdf", ["\nPolicy number: PK-77310-B", "policy number: PK-11111-A"], []),
        ("31a-hidden-word/docs/workshop.docx", ["900 EUR"], ["650"]),
        ("32-clock-times/docs/*", ["Departs: 7:30", "Crossing time: 1:40", "130:30"], ["1899", "1900"]),
        ("34-label-without-value/docs/alloy.html", ["N/mm^2", "930"], ["N/mm2"]),
    ],
)
def test_handed_files_are_read_as_shown(read, file: str, held: list[str], lacking: list[str]) -> None:
    path = next(CASES.glob(file), None)
    if path is None:
        pytest.skip("the handed input is not here")
    text = read(path.name, path.read_bytes(), ocr=False).text
    assert all(words in text for words in held)
    assert not any(words in text for words in lacking)
