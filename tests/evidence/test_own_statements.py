"""A document's statements about itself are quoted from its labelled lines, its first lines or its closing words."""

from __future__ import annotations

import pytest

from investigator.evidence.own_statements import own_statement, own_value
from investigator.questions.own_properties import OwnProperty
from investigator.records import Document

MEMO = (
    "MEMORANDUM\n\nTo: All staff\nFrom: Nora Lind, Facilities\nDate: 7 April 2026\nSubject: New parking rules\n\n"
    "Version 1.2. Staff with a permit dated 1 May 2025 use the south car park.\n\nPage 1 of 3"
)
LETTER = (
    "Marlow Boats Ltd\n12 Quay Street\n\n3 June 2025\n\nDear Ms Okafor,\n\nThank you for your order of 14 May 2025.\n\n"
    "Yours sincerely,\n\nTom Reed\nSales\n"
)
TABLE = "Field | Entry\nDate | 2 March 2024\nAuthor | Ann Cole\n"


def document(text: str, **properties: object) -> Document:
    return Document.model_validate(
        {"id": "a.txt", "title": "", "media_type": "text/plain", "content_hash": "00", "text": text, **properties}
    )


@pytest.mark.parametrize(
    ("text", "wanted", "said", "value"),
    [
        (MEMO, OwnProperty.DATE, "Date: 7 April 2026", "7 April 2026"),
        (MEMO, OwnProperty.AUTHOR, "From: Nora Lind, Facilities", "Nora Lind, Facilities"),
        (MEMO, OwnProperty.RECIPIENT, "To: All staff", "All staff"),
        (MEMO, OwnProperty.TITLE, "Subject: New parking rules", "New parking rules"),
        (MEMO, OwnProperty.VERSION, "Version 1.2", ""),
        (MEMO, OwnProperty.PAGES, "Page 1 of 3", ""),
        (LETTER, OwnProperty.DATE, "3 June 2025", ""),
        (LETTER, OwnProperty.RECIPIENT, "Dear Ms Okafor,", ""),
        (LETTER, OwnProperty.SENDER, "Yours sincerely,\n\nTom Reed", "Tom Reed"),
        (TABLE, OwnProperty.DATE, "Date | 2 March 2024", "2 March 2024"),
        (TABLE, OwnProperty.AUTHOR, "Author | Ann Cole", "Ann Cole"),
        ("Plan of the yard\nby Ann Cole\n\nText.", OwnProperty.AUTHOR, "by Ann Cole", ""),
        (
            "Minutes of the board of 14 March 2026\n\nText.",
            OwnProperty.DATE,
            "Minutes of the board of 14 March 2026",
            "",
        ),
    ],
)
def test_a_statement_of_a_document_about_itself_is_found(text: str, wanted: OwnProperty, said: str, value: str) -> None:
    quote = own_statement(wanted, document(text))
    assert quote is not None
    assert (quote.text, own_value(wanted, quote.text)) == (said, value)


def test_properties_of_a_file_count_only_if_its_text_gives_them() -> None:
    text = "Annual plan\nAnn Cole, Ben Hart\n\nThe yard is swept each week."
    quote = own_statement(OwnProperty.AUTHOR, document(text, authors=("Ann Cole",)))
    assert quote is not None
    assert quote.text == "Ann Cole, Ben Hart"
    assert own_statement(OwnProperty.AUTHOR, document("The yard is swept each week.", authors=("Ann Cole",))) is None


@pytest.mark.parametrize("wanted", OwnProperty)
def test_a_story_states_nothing_of_itself(wanted: OwnProperty) -> None:
    text = "The mill had stood for two hundred years when the flood of 1904 came. It was by far the oldest."
    assert own_statement(wanted, document(text)) is None
