"""A small model quotes and writes in addition to the built-in engine, which plans and decides as without a model."""

from __future__ import annotations

from pathlib import Path

from power_plant import claims, said

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.engines.base import Traits
from investigator.records import ClaimStatus

QUESTIONS = (
    "How much power does the Emsland plant make?",
    "Who owns the Emsland plant, and what do apples cost?",
    "Summarise these documents.",
)
FALSE = "The Emsland plant makes 9999 MW of power."
STATED = "It makes 42 MW of power."
READ = "The Emsland plant makes 42 MW."
NOT_JSON = {"query/ask": "I do not know.", "answer/answer": "No."}
NOTHING = {"query/ask": said(0, reply="Not in this text."), "answer/answer": claims()}
INVENTED = {"query/ask": said(100, FALSE, reply=FALSE), "answer/answer": claims((FALSE, "E1"))}


def small_model(script: dict[str, str]) -> ScriptedEngine:
    return ScriptedEngine(script, traits=Traits(is_model=True, is_small=True, concurrency=1))


def investigator(folder: Path, engine: ScriptedEngine | None = None) -> Investigator:
    return Investigator(folder, model=engine, embedder=ScriptedEmbedder())


def test_no_reply_of_a_small_model_takes_anything_from_an_answer(folder: Path) -> None:
    alone = investigator(folder)
    for script in (NOT_JSON, NOTHING, INVENTED):
        helped = investigator(folder, small_model(script))
        for question in QUESTIONS:
            plain, answer = alone.ask(question), helped.ask(question)
            assert (answer.status, answer.claims, answer.unanswered) == (plain.status, plain.claims, plain.unanswered)


def test_a_proven_statement_of_a_small_model_stands_first_with_the_quote_that_it_is_proven_by(folder: Path) -> None:
    replies = {"query/ask": said(100, "It makes 42 MW of power."), "answer/answer": claims((STATED, "E1"))}
    engine = small_model(replies)
    plain, answer = investigator(folder).ask(QUESTIONS[0]), investigator(folder, engine).ask(QUESTIONS[0])
    assert answer.status is plain.status
    assert (answer.claims[0].text, answer.claims[0].status) == (STATED, ClaimStatus.PROVEN)
    assert set(plain.citations) <= set(answer.citations)
    assert [prompt.template for prompt in engine.asked] == ["query/ask", "answer/answer"]


def test_a_statement_that_cannot_be_checked_is_shown_as_a_reading_of_the_quote_that_answers(folder: Path) -> None:
    engine = small_model({**NOTHING, "answer/answer": claims((READ, "E1"))})
    plain, answer = investigator(folder).ask(QUESTIONS[0]), investigator(folder, engine).ask(QUESTIONS[0])
    assert answer.claims[0].readings == (READ,)
    assert (answer.status, answer.text) == (plain.status, plain.text)


def test_a_small_model_is_not_asked_for_what_the_rules_put_into_a_table(folder: Path) -> None:
    engine = small_model(NOTHING)
    investigator(folder, engine).ask("Which documents mention power?")
    assert engine.asked == []
