"""A finished investigation, made by hand, with content for every part of a report."""

from __future__ import annotations

import pytest

from investigator.records import (
    Answer,
    AnswerStatus,
    CheckOutcome,
    Coverage,
    Decision,
    Disagreement,
    FileStatus,
    Fit,
    Investigation,
    Memory,
    NotStated,
    Part,
    PartStatus,
    Passage,
    Plan,
    PlanStep,
    PointStatus,
    Quote,
    Reflection,
    Round,
    RunFacts,
    RunSetup,
    Side,
    Statement,
    Status,
    StopReason,
    Support,
    SurveyRow,
    Trust,
    Unreadable,
    Usage,
    UsedEngine,
    Verdict,
)

LEASE, NOTES = "contracts/lease.pdf", "notes/kickoff.md"


def quote(document_id: str, page: int | None, line: int, text: str) -> Quote:
    end = line + len(text)
    return Quote(document_id=document_id, page=page, line=line, start=line, end=end, text=text, source_hash="ab" * 32)


RENT = quote(LEASE, 3, 41, "The annual rent is EUR 48,000, payable monthly")
DEPOSIT = quote(LEASE, 3, 50, "A deposit may be agreed")
TERM = quote(NOTES, None, 12, "we agreed on five years with Müller")
OLD_RENT = quote(NOTES, None, 13, "the rent is EUR 44,000")


@pytest.fixture
def answered() -> Investigation:
    """A lead and a detail that share a quote, and something for each further part of an answer; a rejected document; an
    unparsed reply; an unfinished round.
    """
    scan = Unreadable(path="scan.pdf", status=FileStatus.ENCRYPTED, reason="needs a password")
    sides = (
        Side(text="EUR 48,000", quotes=(RENT,), date="2021-03-04"),
        Side(text="EUR 44,000", quotes=(OLD_RENT,), date="2020-05-06"),
    )
    lead = Statement(text="The annual rent is EUR 48,000.", quotes=(RENT,), support=Support.SUPPORTED)
    term = Statement(text="The lease runs for five years.", head="Term", quotes=(TERM, RENT), support=Support.IN_PART)
    rise = Statement(text="The rent rises by 3 %.", support=Support.UNSUPPORTED, reason="no quote contains 3 %")
    answer = Answer(
        question="What is the rent, for how long, and what is the deposit?",
        status=AnswerStatus.ANSWERED_IN_PART,
        reason="One part is open.",
        lead=lead,
        details=(term.changed(reason="the lease itself names no term"),),
        parts=(
            Part(question="What is the rent?", status=PartStatus.ANSWERED),
            Part(question="What is the deposit?", status=PartStatus.NOT_STATED),
        ),
        not_stated=(NotStated(text="The amount of the deposit.", quotes=(DEPOSIT,)),),
        disagreements=(Disagreement(about="the rent", sides=sides, explanation="The notes are older."),),
        text="The annual rent is EUR 48,000. [1]\n\n* **Term:** The lease runs for five years. [2] [1]",
        coverage=Coverage(
            read=(LEASE, NOTES), searched=("notes/menu.txt",), not_opened=("annex.docx",), unreadable=(scan,)
        ),
        check=CheckOutcome(fit=Fit.IN_PART, by="openai:gpt-y", trust=Trust.PASSED, withheld=(rise,)),
        run=RunFacts(id="8f3a12cd", engine="openai:gpt-x", day="2026-03-31", stop=StopReason.SATURATED),
    )
    read = PlanStep(plan_id=1, document_id=LEASE, purpose="find the rent", perspectives="amount, period")
    engines = (UsedEngine(role="answer", name="openai:gpt-x", trust=Trust.PASSED),)
    return Investigation(
        id="8f3a12cd",
        question=answer.question,
        setup=RunSetup(mission="Prepare the audit", strategy="Contracts first", engine="openai:gpt-x", engines=engines),
        plan=Plan(
            steps=(
                read.changed(result_ids=(1, 9), status=Status.DONE),
                PlanStep(plan_id=2, document_id=NOTES, purpose="find the term", result_ids=(2,), round=2),
            )
        ),
        rounds=(
            Round(number=1, strategy="read the lease", refused_document_ids=("invented.pdf",)),
            Round(number=2, strategy="read the notes"),
        ),
        memories=(
            Memory(
                id=2,
                target_document_id=NOTES,
                question="How long does the lease run?",
                reply="maybe five",
                quotes=(TERM,),
                status=PointStatus.UNPARSED,
            ),
            Memory(
                id=1,
                target_document_id=LEASE,
                question="What rent is agreed?",
                reply="EUR 48,000 a year",
                point=85,
                verdict=Verdict.ANSWERS,
                quotes=(RENT,),
                failed_quotes=("The rent is EUR 84,000",),
            ),
        ),
        reflections=(
            Reflection(
                round=1,
                known=("the rent is EUR 48,000",),
                unknown=("whether it is indexed",),
                wordings=("indexation",),
            ),
        ),
        answer=answer,
        usage=Usage(calls=12, input_tokens=3000, output_tokens=400, seconds=60.0),
        elapsed=75.2,
    )


@pytest.fixture
def not_found() -> Investigation:
    """An investigation that found nothing, for which the built-in engine shows the nearest passages."""
    answer = Answer(
        question="Who is the auditor?",
        status=AnswerStatus.NOT_FOUND,
        reason="Every document was searched and none names an auditor.",
        coverage=Coverage(searched=("a.txt", "b.txt")),
        nearest=(Passage(document_id="a.txt", start=0, end=22, text="The audit took place.", line=7, score=0.4),),
        check=CheckOutcome(trust=Trust.UNREAD),
        run=RunFacts(engine="extractive (no language model)", stop=StopReason.ROUNDS),
    )
    return Investigation(id="77aa", question=answer.question, setup=RunSetup(engine=answer.run.engine), answer=answer)


@pytest.fixture
def surveyed(not_found: Investigation) -> Investigation:
    """An answer with a decision for each document: one belongs, one may belong, one does not, and one was not read."""
    assert not_found.answer is not None
    rent = Statement(text="The annual rent is EUR 48,000.", quotes=(RENT,), support=Support.SUPPORTED)
    maybe = Statement(text="A lease of five years.", quotes=(TERM,), support=Support.IN_PART, reason="no rent is named")
    answer = not_found.answer.changed(
        status=AnswerStatus.ANSWERED_IN_PART,
        lead=Statement(text="One lease names a rent.", quotes=(RENT,), support=Support.SUPPORTED),
        nearest=(),
        table=(
            SurveyRow(document_id="notes/kickoff.md", decision=Decision.UNCLEAR, statement=maybe),
            SurveyRow(document_id="contracts/lease.pdf", decision=Decision.YES, statement=rent),
            SurveyRow(document_id="menu.txt", decision=Decision.NO),
            SurveyRow(document_id="annex.docx", decision=Decision.UNDECIDED),
        ),
        check=CheckOutcome(trust=Trust.UNGRADED),
        run=not_found.answer.run.changed(engine="openai:gpt-x"),
    )
    return not_found.changed(answer=answer, setup=not_found.setup.changed(engine="openai:gpt-x"))


@pytest.fixture
def unfinished(answered: Investigation) -> Investigation:
    """The same investigation, stopped before it was answered."""
    return answered.changed(answer=None)
