"""The statements that a document makes when it is asked alone."""

from __future__ import annotations

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import Document, Finding
from investigator.research.asked_alone import met_sentences, with_met_sentences
from investigator.scoring.calibration import default_calibration

QUESTION = "How many participants were randomised?"
ONCE = "Falls are common. Of 90 adults screened, 48 patients were randomized to two groups. They were 71 years old."
OTHERS = "In an older trial 30 patients were randomised (Meyer et al. 2003)."


def made(text: str) -> Document:
    return read(SourceFile(text.encode(), "a.txt"), "a.txt", "h", ReaderSettings()).documents[0]


def test_a_count_of_people_is_found_by_any_word_for_them_and_in_either_spelling() -> None:
    (quote,) = met_sentences(QUESTION, made(f"{ONCE} {OTHERS}"))
    assert "48 patients were randomized" in quote.text
    assert list(met_sentences("What did the trial find?", made(ONCE))) == []


def test_what_stands_once_is_shown_and_what_stands_twice_answers() -> None:
    nothing = Finding(reply="", point=1)
    shown = with_met_sentences(nothing, QUESTION, made(ONCE))
    twice = with_met_sentences(nothing, QUESTION, made(f"{ONCE} All 48 randomised patients were followed for a year."))
    assert shown.point == default_calibration().threshold
    assert twice.point == default_calibration().answered_from
    assert len(twice.quotes) == 2
    assert with_met_sentences(nothing, QUESTION, made(OTHERS)) == nothing
