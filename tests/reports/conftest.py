"""A finished investigation, made by hand, with content for every part of a report."""

from __future__ import annotations

import pytest

from investigator.records import (
    Answer,
    AnswerStatus,
    Claim,
    Coverage,
    FileStatus,
    Investigation,
    Knowledge,
    KnownInfo,
    Memory,
    Need,
    Passage,
    Plan,
    PlanStep,
    PointStatus,
    Quote,
    Reflection,
    Relation,
    Round,
    Status,
    StopReason,
    UnprovenClaim,
    Unreadable,
    Usage,
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


@pytest.fixture
def answered() -> Investigation:
    """Two claims with two quotes, one of them shared; a rejected document; an unparsed reply; an unfinished round."""
    coverage = Coverage(
        read=("contracts/lease.pdf", "notes/kickoff.md"),
        skimmed=("notes/menu.txt",),
        not_opened=("annex.docx",),
        unreadable=(Unreadable(path="scan.pdf", status=FileStatus.ENCRYPTED, reason="needs a password"),),
    )
    answer = Answer(
        question="What is the rent, and for how long?",
        status=AnswerStatus.ANSWERED,
        stop=StopReason.SATURATED,
        reason="Two documents state it.",
        text="The annual rent is EUR 48,000 [1]. The lease runs for five years [2] [1].",
        claims=(
            Claim(text="The annual rent is EUR 48,000.", quotes=(RENT,), memory_ids=(1,)),
            Claim(text="The lease runs for five years.", quotes=(TERM, RENT), memory_ids=(2,)),
        ),
        unproven=(UnprovenClaim(text="The rent rises by 3 %.", reason="no quote holds 3 %"),),
        coverage=coverage,
        searched=("What rent is agreed?",),
        engine="openai:gpt-x",
    )
    return Investigation(
        id="8f3a12cd",
        question=answer.question,
        mission="Prepare the audit",
        strategy="Contracts first",
        engine="openai:gpt-x",
        needs=(Need(term="annual rent", reason="it is asked for"),),
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
            Round(number=1, strategy="read the lease", refused_document_ids=("invented.pdf",), learned=True),
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
                quotes=(RENT,),
                failed_quotes=("The rent is EUR 84,000",),
            ),
        ),
        reflections=(
            Reflection(
                round=1,
                knowledge=(
                    Knowledge(
                        term="annual rent",
                        known_infos=(
                            KnownInfo(
                                info="48,000 euros", point=85, document_ids=("contracts/lease.pdf",), memory_ids=(1,)
                            ),
                        ),
                        unknown_infos=("whether it is indexed",),
                        relations=(Relation(term="lease term", relation="is due during"),),
                    ),
                ),
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
        stop=StopReason.ROUNDS,
        reason="Every document was searched and none names an auditor.",
        text="",
        coverage=Coverage(skimmed=("a.txt", "b.txt")),
        nearest=(Passage(document_id="a.txt", start=0, end=22, text="The audit took place.", line=7, score=0.4),),
        engine="extractive (no language model)",
    )
    return Investigation(
        id="77aa", question=answer.question, mission="", strategy="", engine=answer.engine, answer=answer
    )


@pytest.fixture
def unfinished(answered: Investigation) -> Investigation:
    """The same investigation, stopped before it was answered."""
    return answered.changed(answer=None)
