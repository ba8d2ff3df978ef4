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

RENT = Quote(
    document_id="contracts/lease.pdf",
    page=3,
    line=41,
    start=5120,
    end=5166,
    text="The annual rent is EUR 48,000, payable monthly",
    source_hash="ab" * 32,
)
TERM = Quote(
    document_id="notes/kickoff.md",
    page=None,
    line=12,
    start=300,
    end=335,
    text="we agreed on five years with Müller",
    source_hash="cd" * 32,
)
OLD_RENT = TERM.changed(line=13, start=340, end=361, text="the rent is EUR 44,000")
DEPOSIT = RENT.changed(line=50, start=6000, end=6022, text="A deposit may be agreed")


@pytest.fixture
def answered() -> Investigation:
    """A lead and a detail that share a quote, and something for each further part of an answer; a rejected document; an
    unparsed reply; an unfinished round.
    """
    coverage = Coverage(
        read=("contracts/lease.pdf", "notes/kickoff.md"),
        searched=("notes/menu.txt",),
        not_opened=("annex.docx",),
        unreadable=(Unreadable(path="scan.pdf", status=FileStatus.ENCRYPTED, reason="needs a password"),),
    )
    answer = Answer(
        question="What is the rent, for how long, and what is the deposit?",
        status=AnswerStatus.ANSWERED_IN_PART,
        reason="One part is open.",
        lead=Statement(text="The annual rent is EUR 48,000.", quotes=(RENT,), support=Support.SUPPORTED),
        details=(
            Statement(
                text="The lease runs for five years.",
                head="Term",
                quotes=(TERM, RENT),
                support=Support.IN_PART,
                reason="the lease itself names no term",
            ),
        ),
        parts=(
            Part(question="What is the rent?", status=PartStatus.ANSWERED),
            Part(question="What is the deposit?", status=PartStatus.NOT_STATED),
        ),
        not_stated=(NotStated(text="The amount of the deposit.", quotes=(DEPOSIT,)),),
        disagreements=(
            Disagreement(
                about="the rent",
                sides=(
                    Side(text="EUR 48,000", quotes=(RENT,), date="2021-03-04"),
                    Side(text="EUR 44,000", quotes=(OLD_RENT,), date="2020-05-06"),
                ),
                explanation="The notes are older.",
            ),
        ),
        text="The annual rent is EUR 48,000. [1]\n\n* **Term:** The lease runs for five years. [2] [1]",
        coverage=coverage,
        check=CheckOutcome(
            fit=Fit.IN_PART,
            by="openai:gpt-y",
            trust=Trust.PASSED,
            withheld=(
                Statement(text="The rent rises by 3 %.", support=Support.UNSUPPORTED, reason="no quote contains 3 %"),
            ),
        ),
        run=RunFacts(id="8f3a12cd", engine="openai:gpt-x", day="2026-03-31", stop=StopReason.SATURATED),
    )
    return Investigation(
        id="8f3a12cd",
        question=answer.question,
        setup=RunSetup(
            mission="Prepare the audit",
            strategy="Contracts first",
            engine="openai:gpt-x",
            engines=(UsedEngine(role="answer", name="openai:gpt-x", trust=Trust.PASSED),),
        ),
        plan=Plan(
            steps=(
                PlanStep(
                    plan_id=1,
                    document_id="contracts/lease.pdf",
                    purpose="find the rent",
                    perspectives="amount, period",
                    result_ids=(1, 9),
                    status=Status.DONE,
                ),
                PlanStep(plan_id=2, document_id="notes/kickoff.md", purpose="find the term", result_ids=(2,), round=2),
            )
        ),
        rounds=(
            Round(number=1, strategy="read the lease", refused_document_ids=("invented.pdf",)),
            Round(number=2, strategy="read the notes"),
        ),
        memories=(
            Memory(
                id=2,
                target_document_id="notes/kickoff.md",
                question="How long does the lease run?",
                reply="maybe five",
                quotes=(TERM,),
                status=PointStatus.UNPARSED,
            ),
            Memory(
                id=1,
                target_document_id="contracts/lease.pdf",
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
