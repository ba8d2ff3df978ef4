"""Which sentences of a document answer a question about it, among others."""

from __future__ import annotations

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.records import Document
from investigator.research.telling import new_sentences, telling_sentences

PAPER = """# Vitamin B after a fall

## Introduction

Falls are common, and pain was reduced by vitamin B in older trials (Meyer et al. 2003). Pain is a burden for patients.
The aim of this study was to examine whether vitamin B reduces pain after a fall in older patients.

## Methods

Patients with pain after a fall were randomly assigned to vitamin B or to a placebo for six weeks.

## Results

Pain was significantly lower with vitamin B than with placebo (2.1 versus 4.3, p < 0.001) after six weeks.
Walking speed did not differ between the two groups at any of the visits that were planned.

## References

Meyer A. Vitamin B reduced pain significantly more than placebo in 40 patients. Journal of Falls.
"""


def made(text: str, name: str = "paper.md") -> Document:
    return read(SourceFile(text.encode(), name), name, "h", ReaderSettings()).documents[0]


def test_a_result_tells_more_than_background_methods_and_the_work_of_others() -> None:
    first, *_ = telling_sentences(made(PAPER), "What did vitamin B do to pain?")
    assert first.text.startswith("Pain was significantly lower with vitamin B")


def test_what_is_asked_decides_among_results() -> None:
    first, *_ = telling_sentences(made(PAPER), "Did walking speed differ with vitamin B?")
    assert first.text.startswith("Walking speed did not differ")


def test_a_sentence_is_not_quoted_twice_in_other_words() -> None:
    again = "Pain was lower with vitamin B than with placebo (2.1 versus 4.3) after six weeks of treatment."
    found = telling_sentences(made(f"{PAPER}\n## Conclusions\n\n{again}\n"), "What did vitamin B do to pain?")
    assert sum("2.1 versus 4.3" in quote.text for quote in found) == 1


def test_it_is_what_a_short_text_is_about() -> None:
    song = made("# Ferry Song\n\nFerry Song is by two brothers. It peaked at number 17 on the charts in May.", "s.md")
    quoted = telling_sentences(song, "How did Ferry Song do on the charts?")
    assert any(quote.text.startswith("It peaked at number 17") for quote in quoted)


def test_a_question_after_the_outcome_of_a_long_text_gives_its_main_results() -> None:
    abstract = "The exercise group was significantly better than the control group (5.1 versus 3.9, p < 0.01)."
    filler = "Dancers in Norway keep a diary of what they do in the evenings of the week. " * 150
    long = made(f"# Exercise for older dancers\n\n{abstract}\n\n## Methods\n\n{filler}\n", "long.md")
    quoted = telling_sentences(long, "What was the outcome of the trial in dancers in Norway?")
    assert any(quote.text == abstract for quote in quoted)


LAWSUIT = """# Other matters

Nothing else has happened in this period.

# Rivet

Rivet sued the firm over a patent in 2020."""


def test_news_of_a_subject_are_what_the_report_before_does_not_say() -> None:
    first = made(LAWSUIT)
    second = made(f"{LAWSUIT} The court dismissed all of the claims in April 2023.")
    news = new_sentences(second, ["Rivet"], first)
    assert news is not None
    assert news.text == "The court dismissed all of the claims in April 2023."
    unchanged = new_sentences(made(LAWSUIT), ["Rivet"], first)
    assert unchanged is not None
    assert unchanged.text == "Rivet sued the firm over a patent in 2020."
    assert new_sentences(first, ["Anvil"], None) is None
