"""Variables of a prompt that is too long: which are omitted first, and which are never omitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mill import SENTENCES, TEXT, asking, passage

from investigator.asking.fitting import (
    less_to_answer,
    less_to_ask,
    less_to_check,
    less_to_plan,
    less_to_reflect,
    less_to_row,
)
from investigator.records import (
    AnswerVariables,
    AskVariables,
    CheckedStatement,
    CheckVariables,
    DocumentNote,
    EvidenceDocument,
    EvidencePassage,
    EvidenceSpan,
    Memory,
    PlanDocument,
    PlanVariables,
    ReflectVariables,
    RowVariables,
    ShownDocument,
)

V = TypeVar("V")


def less(shorten: Callable[[V, float], V | None], variables: V, share: float) -> V:
    shorter = shorten(variables, share)
    assert shorter is not None
    return shorter


def card(number: int) -> PlanDocument:
    return PlanDocument(document_id=f"d{number}.txt", title="T")


def memory(number: int, point: int | None) -> Memory:
    return Memory(id=number, target_document_id="a.txt", question="?", reply="R", point=point)


def planning(documents: int, memories: int) -> PlanVariables:
    return PlanVariables(
        question="Q",
        mission="M",
        strategy="S",
        documents=tuple(card(i) for i in range(documents)),
        document_count=documents,
        history=tuple(memory(i, 50) for i in range(1, memories + 1)),
        step_limit=6,
    )


def shown(variables: AskVariables) -> list[str]:
    return [item.text for document in variables.documents for item in document.passages]


def several(**texts: tuple[float, ...]) -> AskVariables:
    """Return documents with passages of ten letters, each with the given match."""
    documents = tuple(
        ShownDocument(
            document_id=name,
            whole=True,
            passages=tuple(
                passage(f"{name}{place}".ljust(10, ".")).changed(match=match) for place, match in enumerate(matches)
            ),
        )
        for name, matches in texts.items()
    )
    return AskVariables(main_question="Q?", mission="M", documents=documents)


def test_the_last_passages_are_left_out_first() -> None:
    shorter = less(less_to_ask, asking("one", "two", "three", "four"), 0.6)
    assert shown(shorter) == ["one", "two"]


def test_the_passages_of_the_documents_that_match_least_are_left_out_first_but_no_document() -> None:
    shorter = less(less_to_ask, several(a=(0.9, 0.9), b=(0.2, 0.2, 0.2)), 0.6)
    assert [text.strip(".") for text in shown(shorter)] == ["a0", "a1", "b0"]
    least = less(less_to_ask, several(a=(0.9, 0.9), b=(0.2, 0.2, 0.2)), 0.01)
    assert [text.strip(".") for text in shown(least)] == ["a0", "b0"]
    assert less_to_ask(least, 0.5) is None


def test_a_document_of_which_something_is_left_out_is_no_longer_whole() -> None:
    shorter = less(less_to_ask, several(a=(0.9,), b=(0.2, 0.2)), 0.7)
    assert [document.whole for document in shorter.documents] == [True, False]


@pytest.mark.parametrize("share", [0.0, 0.99, 1.0, 5.0])
def test_something_is_left_out_each_time_and_never_all(share: float) -> None:
    shorter = less(less_to_ask, asking("one", "two", "three"), share)
    assert 1 <= len(shown(shorter)) <= 2


def test_of_a_single_passage_the_sentence_with_the_words_of_the_question_stays() -> None:
    shorter = less(less_to_ask, asking(TEXT), 0.01)
    assert shown(shorter) == [SENTENCES[3]]


def test_a_row_of_a_matrix_loses_passages_then_sentences() -> None:
    document = asking(TEXT, "Other.").documents[0]
    row = RowVariables(mission="M", questions=("How high was the toll?", "Who owned it?"), document=document)
    first = less(less_to_row, row, 0.9)
    assert [item.text for item in first.document.passages] == [TEXT]
    second = less(less_to_row, first, 0.5)
    assert len(second.document.passages[0].text) < len(TEXT)
    assert less_to_row(row.changed(document=asking(SENTENCES[0]).documents[0]), 0.5) is None


def test_sentences_around_the_best_one_stay_while_there_is_room() -> None:
    shorter = less(less_to_ask, asking(TEXT), 0.7)
    assert shown(shorter) == [" ".join(SENTENCES[2:])]


@given(st.floats(0.0, 1.0), st.sampled_from(["the toll", "the owner", "the mill", "the flood", "nothing at all"]))
@settings(deadline=None)
def test_a_shortened_passage_is_whole_sentences_that_stand_where_it_says(share: float, subject: str) -> None:
    document = asking("").documents[0].changed(passages=(passage(TEXT, start=1000),))
    whole = asking("", question=f"What of {subject}?").changed(documents=(document,))
    shorter = less(less_to_ask, whole, share)
    (kept,) = shorter.documents[0].passages
    runs = {" ".join(SENTENCES[i:j]) for i in range(5) for j in range(i + 1, 6)} - {TEXT}
    assert kept.text in runs
    start = kept.start - 1000
    assert TEXT[start : start + len(kept.text)] == kept.text
    assert len(kept.text) <= max(len(TEXT) * share, max(map(len, SENTENCES)))


def test_a_single_sentence_is_never_cut() -> None:
    assert less_to_ask(asking(SENTENCES[0]), 0.1) is None
    assert less_to_ask(asking(), 0.1) is None


def test_a_planner_loses_documents_first_then_memories_and_keeps_one_document() -> None:
    first = less(less_to_plan, planning(4, 3), 0.5)
    assert ([item.document_id for item in first.documents], len(first.history)) == (["d0.txt", "d1.txt"], 3)
    second = less(less_to_plan, planning(1, 3), 0.5)
    assert ([item.document_id for item in second.documents], [item.id for item in second.history]) == (["d0.txt"], [1])
    assert less_to_plan(planning(1, 0), 0.5) is None


def test_reflection_loses_the_memories_of_the_lowest_points_and_keeps_their_order() -> None:
    memories = (memory(1, 60), memory(2, None), memory(3, 90), memory(4, 55), memory(5, 75))
    shorter = less(less_to_reflect, ReflectVariables(question="Q", mission="M", parts=("Q",), memories=memories), 0.7)
    assert [item.id for item in shorter.memories] == [1, 3, 5]
    item = ReflectVariables(question="Q", mission="M", parts=("Q",), memories=memories[:1])
    assert less_to_reflect(item, 0.7) is None


def evidence(name: str, *passages: tuple[str, ...]) -> EvidenceDocument:
    """Return a document whose quotes have ids, each with text before and after it."""
    around = EvidenceSpan(text="words around it " * 3)
    return EvidenceDocument(
        document_id=name,
        whole=True,
        passages=tuple(
            EvidencePassage(
                spans=(around, *(span for own in ids for span in (EvidenceSpan(text=f"quote {own}", id=own), around)))
            )
            for ids in passages
        ),
    )


def answering(*documents: EvidenceDocument, notes: int = 0) -> AnswerVariables:
    note = DocumentNote(document_id="n.txt", verdict="not_stated", reply="R")
    return AnswerVariables(question="Q", mission="M", parts=("Q",), documents=documents, notes=(note,) * notes)


def test_an_answer_loses_notes_then_surroundings_from_the_last_document_then_its_last_quotes() -> None:
    whole = answering(evidence("a", ("E1",), ("E2",)), evidence("b", ("E3", "N1")), notes=1)
    without_notes = less(less_to_answer, whole, 0.9)
    assert (without_notes.notes, without_notes.documents) == ((), whole.documents)
    narrower = less(less_to_answer, without_notes, 0.8)
    assert narrower.documents[0] == whole.documents[0]
    assert [span.text for span in narrower.documents[1].passages[0].spans] == ["quote E3", " [...] ", "quote N1"]
    assert not narrower.documents[1].whole
    bare = less(less_to_answer, narrower, 0.1)
    assert [document.ids for document in bare.documents] == [("E1", "E2"), ("E3", "N1")]
    fewer = less(less_to_answer, bare, 0.9)
    assert [document.ids for document in fewer.documents] == [("E1",), ("E3", "N1")]
    last = less(less_to_answer, fewer, 0.1)
    assert [document.ids for document in last.documents] == [("E1",)]
    assert less_to_answer(last, 0.1) is None


def test_a_check_loses_what_no_statement_cites_and_never_a_cited_quote() -> None:
    statements = (CheckedStatement(number=1, text="S", evidence=("E1",)),)
    whole = CheckVariables(
        question="Q", statements=statements, documents=(evidence("a", ("E1",), ("E2",)), evidence("b", ("E3",)))
    )
    shorter = less(less_to_check, whole, 0.1)
    assert [(document.document_id, document.ids) for document in shorter.documents] == [("a", ("E1",))]
    assert shorter.statements == statements
    assert less_to_check(shorter, 0.1) is None
