"""The relevance of a quote to a question, as judged by the bundled embedder."""

from __future__ import annotations

import pytest

from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.records import BearingReply, BearingVariables, Prompt


@pytest.fixture(scope="module")
def engine() -> ExtractiveEngine:
    return ExtractiveEngine(SentenceTransformerEmbedder())


def bears(engine: ExtractiveEngine, question: str, *quotes: str, terms: tuple[str, ...] = ()) -> bool:
    variables = BearingVariables(questions=(question,), terms=terms, quotes=quotes)
    reply = engine.reply(Prompt("query/ask", variables, "", BearingReply))
    return BearingReply.model_validate_json(reply.text).bears


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("When did the mill burn down?", "The mill was lost to a fire on 3 May 1871."),
        ("When did it burn down?", "It was lost to a great fire in May 1871."),
        ("Who wrote the opera?", "Its composer finished the score in Naples."),
        ("Wann brannte die Mühle ab?", "Die Mühle fiel 1871 einem Feuer zum Opfer."),
        ("Where was the treaty signed?", "条約はパリで調印された。"),
    ],
    ids=["a word", "its sense", "its sense, too", "German", "a script that nobody can compare"],
)
def test_what_speaks_of_the_same_thing_bears_on_the_question(
    engine: ExtractiveEngine, question: str, quote: str
) -> None:
    assert bears(engine, question, quote)
    assert bears(engine, question, "Dear Anna, thank you for the lovely cheese.", quote)


@pytest.mark.parametrize(
    "quote",
    [
        "Dear Anna, thank you for the lovely cheese.",
        "This text deserves the highest rating.",
        "Page 3 of 17",
        "--- 100 --- 100 --- 100 ---",
    ],
)
def test_what_speaks_of_something_else_does_not(engine: ExtractiveEngine, quote: str) -> None:
    assert not bears(engine, "When did the mill burn down?", quote)


def test_a_word_that_must_be_known_counts_like_one_of_the_question(engine: ExtractiveEngine) -> None:
    quote = "Dear Anna, thank you for the lovely cheese."
    assert bears(engine, "When did the mill burn down?", quote, terms=("cheese dairy",))


def test_no_quotes_bear_on_nothing(engine: ExtractiveEngine) -> None:
    assert not bears(engine, "When did the mill burn down?")
