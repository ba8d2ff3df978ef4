"""A survey decides each document: several in one call, within room, and those that were not read are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import pytest
from power_plant import MADE, TEXTS, answer, by_document, check, plan_of, reading

from investigator import Investigator, ScriptedEngine, load_settings
from investigator.records import (
    SUMMARY,
    Answer,
    AnswerStatus,
    AskVariables,
    Decision,
    Memory,
    Prompt,
    Quote,
    ShownDocument,
    ShownPassage,
    Traits,
    Verdict,
)
from investigator.research.evidence import Evidence
from investigator.research.survey import batches, decided_rows, survey_limits, surveyed_documents


def shown(name: str, characters: int, *, whole: bool = False) -> ShownDocument:
    return ShownDocument(document_id=name, whole=whole, passages=(ShownPassage(text="x" * characters, start=0),))


def sizes(documents: list[ShownDocument], room: int | None) -> list[int]:
    return [len(batch) for batch in batches(documents, room, 4_000)]


@pytest.mark.parametrize(
    ("room", "expected"),
    [(None, [4, 4, 2]), (12_000, [4, 4, 2]), (6_000, [2, 2, 2, 2, 2]), (30, [1] * 10)],
)
def test_a_batch_takes_a_third_of_the_room_and_never_too_much(room: int | None, expected: list[int]) -> None:
    assert sizes([shown(str(number), 4_000) for number in range(10)], room) == expected


def test_more_is_read_at_once_of_documents_that_are_whole() -> None:
    assert sizes([shown(str(number), 4_000, whole=True) for number in range(13)], None) == [12, 1]


def test_batches_keep_every_document_in_order() -> None:
    documents = [shown(str(number), 1_000 * (number % 7), whole=number % 2 == 0) for number in range(30)]
    assert [document for batch in batches(documents, 6_000, 4_000) for document in batch] == documents
    assert batches([], 6_000, 4_000) == ()


def test_what_the_search_shows_of_a_document_does_not_change_the_batches() -> None:
    many, few = ([shown(str(number), length) for number in range(10)] for length in (3_900, 100))
    assert sizes(many, None) == sizes(few, None)


def test_a_document_that_is_too_long_for_a_batch_is_read_alone() -> None:
    assert sizes([shown(name, length, whole=True) for name, length in (("a", 10), ("b", 60_000), ("c", 10))], None) == [
        1,
        1,
        1,
    ]


@pytest.mark.parametrize(("documents", "characters"), [(1, 3_000), (20, 3_000), (100, 960), (10_000, 600)])
def test_the_more_documents_the_less_is_read_of_each(documents: int, characters: int) -> None:
    found = survey_limits(documents, tokens=24_000)
    assert (found.characters, found.whole_characters, found.most_quotes) == (characters, characters, 3)


def test_documents_beyond_the_tokens_are_undecided_the_best_ones_are_read() -> None:
    names = [f"{number}.txt" for number in range(10)]
    decided, undecided = surveyed_documents(names, tokens=1_000)
    assert (*decided, *undecided) == tuple(names)
    assert len(decided) == 6


# Decisions.

QUOTE = Quote(document_id="a.txt", page=None, line=1, start=0, end=5, text="Words", source_hash="h")
VERDICTS = {
    Verdict.ANSWERS: Decision.YES,
    Verdict.IN_PART: Decision.UNCLEAR,
    Verdict.PREMISE_WRONG: Decision.NO,
    Verdict.NOT_STATED: Decision.NO,
    Verdict.UNREAD: Decision.UNDECIDED,
}


def memory(verdict: Verdict, *quotes: Quote, name: str = "a.txt", number: int = 1, reply: str = "It says.") -> Memory:
    return Memory(
        id=number, target_document_id=name, question="?", reply=reply, point=90, verdict=verdict, quotes=quotes
    )


@pytest.mark.parametrize(("verdict", "decision"), VERDICTS.items())
def test_a_verdict_is_a_decision_and_only_what_may_belong_is_shown(verdict: Verdict, decision: Decision) -> None:
    (row,) = decided_rows([memory(verdict, QUOTE)], (), {"a.txt": "A"}, Evidence({"E1": QUOTE}), "?")
    assert (row.decision, row.title) == (decision, "A")
    is_shown = decision in (Decision.YES, Decision.UNCLEAR)
    assert (row.statement.text if row.statement else None) == ("It says." if is_shown else None)


def test_a_document_without_a_quote_that_stands_is_unclear() -> None:
    (row,) = decided_rows([memory(Verdict.ANSWERS)], (), {}, Evidence(), "?")
    assert (row.decision, row.statement) == (Decision.UNCLEAR, None)


def test_the_latest_reading_decides_and_those_that_belong_come_first() -> None:
    memories = [
        memory(Verdict.NOT_STATED, name="z.txt"),
        memory(Verdict.NOT_STATED, number=2),
        memory(Verdict.ANSWERS, QUOTE, number=3, reply=""),
    ]
    rows = decided_rows(memories, ["u.txt"], {}, Evidence({"E1": QUOTE}), "?")
    assert [(row.document_id, row.decision) for row in rows] == [
        ("a.txt", Decision.YES),
        ("z.txt", Decision.NO),
        ("u.txt", Decision.UNDECIDED),
    ]
    assert rows[0].statement is not None
    assert rows[0].statement.text == "Words"


def test_a_later_question_does_not_undo_a_decision_and_a_summary_is_no_document() -> None:
    memories = [
        memory(Verdict.ANSWERS, QUOTE),
        memory(Verdict.NOT_STATED, number=2),
        memory(Verdict.ANSWERS, QUOTE, name=SUMMARY, number=3),
    ]
    rows = decided_rows(memories, (), {}, Evidence({"E1": QUOTE}), "?")
    assert [(row.document_id, row.decision) for row in rows] == [("a.txt", Decision.YES)]


# Whole surveys.

POWER = "Which documents are about power?"
LETTERS = {f"letter{number}.txt": f"Dear Anna, the weather was fine on day {number}. " * 20 for number in range(9)}
Make = Callable[..., Investigator]


def surveyed(
    of_texts: Make, texts: Mapping[str, str], *settings: str, traits: Traits | None = None, **replies: object
) -> tuple[Answer, list[Prompt]]:
    script = {
        "planner/plan": plan_of(scope="every"),
        "query/ask": by_document(plant=MADE, prices=reading("Power is sold at 12 cents.", reply="Its price.")),
        "answer/answer": answer("Some are about power.", "E1"),
        "answer/check": check(*["supported"] * 3),
        **{name.replace("__", "/"): reply for name, reply in replies.items()},
    }
    engine = ScriptedEngine(script, traits=traits)  # type: ignore[arg-type]
    made = of_texts(texts, model=engine, settings=load_settings(None, ["research.rounds=1", *settings]))
    return made.ask(POWER), engine.asked


def test_documents_that_were_not_decided_are_named_and_leave_the_survey_incomplete(of_texts: Make) -> None:
    found, prompts = surveyed(of_texts, {**TEXTS, **LETTERS}, "research.whole_tokens=0", "research.survey_tokens=1000")
    undecided = [row.document_id for row in found.table if row.decision is Decision.UNDECIDED]
    assert len(undecided) == 12 - 6
    assert found.coverage.not_opened == tuple(undecided)
    assert not found.coverage.complete
    assert found.status is not AnswerStatus.ANSWERED
    assert found.table[0].document_id == "plant.txt"
    (told,) = (prompt.variables for prompt in prompts if prompt.template == "answer/answer")
    assert (told.decided, told.undecided) == (6, 6)  # type: ignore[attr-defined]


def test_an_undecided_document_that_a_second_plan_reads_is_decided_once(of_texts: Make) -> None:
    plans = [plan_of(scope="every"), plan_of(*sorted(LETTERS)[2:])]
    shown, _ = surveyed(
        of_texts,
        {**TEXTS, **LETTERS},
        *("research.whole_tokens=0", "research.survey_tokens=1000", "research.rounds=2"),
        planner__plan=plans,
        query__ask=by_document(),
        answer__answer=answer(None, status="not_stated"),
        reflection__reflect='{"known": [], "unknown": [], "wordings": ["day 8"]}',
    )
    assert max(Counter(row.document_id for row in shown.table).values()) == 1
    undecided = [row.document_id for row in shown.table if row.decision is Decision.UNDECIDED]
    assert len(undecided) < 6


@pytest.mark.parametrize(("context_tokens", "calls"), [(None, [12]), (5_000, [8, 4])])
def test_a_small_context_divides_the_documents_into_more_calls(
    of_texts: Make, context_tokens: int | None, calls: list[int]
) -> None:
    _, prompts = surveyed(of_texts, {**TEXTS, **LETTERS}, traits=Traits(context_tokens=context_tokens))
    asks = (prompt.variables for prompt in prompts if isinstance(prompt.variables, AskVariables))
    assert sorted((len(variables.documents) for variables in asks), reverse=True) == calls


def test_a_row_whose_statement_the_check_refuses_is_unclear(of_texts: Make) -> None:
    found, _ = surveyed(of_texts, TEXTS, answer__check=check("supported", "supported", "unsupported"))
    assert {row.document_id: row.decision for row in found.table} == {
        "plant.txt": Decision.YES,
        "prices.txt": Decision.UNCLEAR,
        "letter.txt": Decision.NO,
    }


def test_every_document_that_belongs_keeps_its_quote_however_few_the_writer_sees(of_texts: Make) -> None:
    found, _ = surveyed(of_texts, TEXTS, "research.answer.evidence=1")
    assert {row.document_id: row.decision for row in found.table if row.statement is not None} == {
        "plant.txt": Decision.YES,
        "prices.txt": Decision.YES,
    }
