"""Separate text on a PDF page is separate in the extracted text, and words split at a line end are joined."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_files import Placed, pdf

from investigator.documents.readers.pdf.boxes import LINE_HYPHEN
from investigator.documents.readers.pdf.page_texts import CutWords
from investigator.language.sentences import sentence_spans

BODY = [
    Placed("The harbour was dredged in 2019 and is deep enough", bottom=600),
    Placed("for the ferries that call there every day of the week,", bottom=586),
    Placed("except in winter. The new quay was opened a year later by", bottom=572),
    Placed("the mayor of the town, who had asked for it since 2011.", bottom=558),
]


def sentences(text: str) -> list[str]:
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]


def test_no_sentence_begins_with_an_address_or_a_heading_before_it(read):
    above = [
        Placed("Dredging a small harbour", bottom=740, size=18),
        Placed("Harbour Board, E-mail: board@example.org", bottom=700, size=8),
        Placed("Abstract", bottom=660),
        Placed("Background", bottom=630, size=14),
    ]
    found = sentences(read("a.pdf", pdf([[*above, *BODY]])).text)
    assert found[:4] == [line.text for line in above]
    assert found[4].startswith("The harbour was dredged in 2019 and is deep enough for the ferries")


def test_a_footnote_in_small_letters_ends_the_sentence_above_it(read):
    note = Placed("1 Measured at low tide", bottom=544, size=8)
    text = read("a.pdf", pdf([[*BODY[:2], note]])).text
    assert sentences(text)[-1] == "1 Measured at low tide"


def test_a_sentence_runs_on_into_the_next_column(read):
    column = [Placed("daily, and then it went on", left=320, bottom=600), Placed("until dusk.", left=320, bottom=586)]
    assert "of the week, daily, and then" in " ".join(read("a.pdf", pdf([[*BODY[:2], *column]])).text.split())
    assert len(sentences(read("a.pdf", pdf([[*BODY[:2], *column]])).text)) == 1


def test_a_neighbouring_column_that_begins_anew_is_apart(read):
    column = [Placed("Opening hours are printed", left=320, bottom=600), Placed("on the door.", left=320, bottom=586)]
    assert "\n\nOpening hours" in read("a.pdf", pdf([[*BODY[:2], *column]])).text


def test_a_sentence_runs_on_at_a_raised_mark(read):
    raised = Placed("8", left=330, bottom=590, size=7)
    line = [*BODY[:2], raised, Placed(", which the town pays for.", left=336, bottom=586)]
    assert len(sentences(read("a.pdf", pdf([line])).text)) == 1


def test_running_heads_and_page_numbers_stand_alone(read):
    pages = [[Placed(f"Harbour report {n}", bottom=614), *BODY, Placed(str(n), bottom=544)] for n in (1, 2, 3)]
    text = read("a.pdf", pdf(pages)).text
    assert "Harbour report 2\n\nThe harbour" in text
    assert "since 2011.\n\n2" in text


def test_headings_are_found_by_their_type(read):
    parts = [Placed("Method", bottom=640, size=16), *BODY, Placed("Results", bottom=520, size=16)]
    document = read("a.pdf", pdf([[*parts, *(line._replace(bottom=line.bottom - 110) for line in BODY)]]))
    assert [heading.text for heading in document.headings] == ["Method", "Results"]
    assert [document.text[heading.start :].split()[0] for heading in document.headings] == ["Method", "Results"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("It was a randomi~sation of wards.", "It was a randomisation\nof wards."),
        ("The stock~based pay. Pay is based on it.", "The stock-based\npay. Pay is based on it."),
        ("under~stand it, and understand it twice", "understand\nit, and understand it twice"),
        ("a well~known case, well-known since", "a well-known\ncase, well-known since"),
        ("Dr. Smith~Jones of IL~6 in 2020~2021.", "Dr. Smith-Jones\nof IL-6\nin 2020-2021.\n"),
        ("E~mail: a@example.org", "E-mail:\na@example.org"),
    ],
)
def test_a_word_cut_by_a_line_end_is_written_as_elsewhere(text: str, whole: str):
    cut = text.replace("~", LINE_HYPHEN)
    assert CutWords([cut]).joined(cut) == whole


@pytest.mark.parametrize(
    ("more", "written"), [("", "blood-stained"), ("a randomi~sation, a randomisation", "bloodstained")]
)
def test_a_document_that_cuts_no_words_keeps_the_hyphens_at_its_line_ends(more: str, written: str):
    text = "a follow-up, six-dose, half-day, co-drug follow~up six~dose half~day co~drug, blood~stained "
    cut = (text + more).replace("~", LINE_HYPHEN)
    assert written in CutWords([cut]).joined(cut)


def test_the_second_half_of_a_cut_word_is_not_written_by_itself(read):
    lines = ("It was an open randomi-", "sation of all wards, and had", "a well-", "known risk, which was known.")
    page = [Placed(line, bottom=600 - 14 * place) for place, line in enumerate(lines)]
    text = read("a.pdf", pdf([page])).text
    assert "open randomisation\nof all wards" in text
    assert "a well-known\nrisk" in text


def test_sentences_of_real_filings_begin_with_a_capital(shared: Path, read):
    """A lower-case beginning means that a sentence was cut, which is allowed in lists and tables but not in prose."""
    path = shared / "data/investigate/sec10q_pdf/docs_dev/2023_Q3_AMZN.pdf"
    text = read("a.pdf", path.read_bytes()).text
    prose = [sentence for sentence in sentences(text) if len(sentence.split()) >= 8 and sentence.endswith(".")]
    small = [sentence for sentence in prose if sentence[0].islower()]
    assert len(prose) > 500
    assert len(small) <= 0.03 * len(prose)
