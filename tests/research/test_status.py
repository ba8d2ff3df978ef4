"""The status of an answer: nothing is answered that nobody trusted has read, and nothing absent that was not sought."""

from __future__ import annotations

import pytest

from investigator.records import (
    AnswerStatus,
    Coverage,
    FileStatus,
    Fit,
    LeftOut,
    LeftOutReason,
    Part,
    PartStatus,
    StopReason,
    Trust,
    Unreadable,
)
from investigator.research.status import least, reason_of, status_of

A, H, P, N = PartStatus.ANSWERED, PartStatus.IN_PART, PartStatus.PREMISE_WRONG, PartStatus.NOT_STATED
WHOLE = Coverage(read=("a.txt",))
TRUSTED = (Trust.UNGRADED, Trust.PASSED)
UNTRUSTED = (Trust.UNREAD, Trust.FAILED)
CEILINGS = (StopReason.CALLS, StopReason.TOKENS, StopReason.MONEY, StopReason.TIME)


def status(*parts: PartStatus, **changes: object) -> AnswerStatus:
    """Return the status of a checked answer with statements, except for the changes."""
    usual = {
        "fit": Fit.YES,
        "trust": Trust.UNGRADED,
        "coverage": WHOLE,
        "stop": StopReason.ANSWERED,
        "has_statements": True,
        "has_disagreements": False,
        "is_lead_refused": False,
        "is_all_searched": True,
    }
    return status_of([Part(question="?", status=part) for part in parts], **{**usual, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("trust", TRUSTED)
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((A,), AnswerStatus.ANSWERED),
        ((A, A), AnswerStatus.ANSWERED),
        ((A, H), AnswerStatus.ANSWERED_IN_PART),
        ((A, N), AnswerStatus.ANSWERED_IN_PART),
        ((A, P), AnswerStatus.ANSWERED_IN_PART),
        ((H,), AnswerStatus.ANSWERED_IN_PART),
        ((H, N), AnswerStatus.ANSWERED_IN_PART),
        ((P,), AnswerStatus.PREMISE_WRONG),
        ((P, N), AnswerStatus.PREMISE_WRONG),
        ((N,), AnswerStatus.NOT_FOUND),
        ((N, N), AnswerStatus.NOT_FOUND),
    ],
)
def test_a_trusted_reader_decides_by_the_parts(
    parts: tuple[PartStatus, ...], expected: AnswerStatus, trust: Trust
) -> None:
    assert status(*parts, trust=trust) is expected


@pytest.mark.parametrize("trust", UNTRUSTED)
@pytest.mark.parametrize("parts", [(A,), (H,), (P,), (N,), (A, N)])
def test_without_a_trusted_reader_there_are_passages_or_nothing_yet(
    parts: tuple[PartStatus, ...], trust: Trust
) -> None:
    assert status(*parts, trust=trust) is AnswerStatus.PASSAGES_FOUND
    assert status(*parts, trust=trust, has_disagreements=True) is AnswerStatus.PASSAGES_FOUND
    assert status(*parts, trust=trust, has_statements=False) is AnswerStatus.NOT_FOUND_SO_FAR


def test_an_answer_that_a_ceiling_left_unchecked_is_one_in_part() -> None:
    assert status(A, fit=Fit.UNCHECKED, stop=StopReason.CALLS) is AnswerStatus.ANSWERED_IN_PART
    assert status(A, fit=Fit.YES, stop=StopReason.CALLS) is AnswerStatus.ANSWERED


def test_what_nobody_has_read_is_never_absent() -> None:
    assert status(N, trust=Trust.UNREAD, has_statements=False) is AnswerStatus.NOT_FOUND_SO_FAR
    assert status(N, trust=Trust.FAILED, has_statements=False) is AnswerStatus.NOT_FOUND_SO_FAR


@pytest.mark.parametrize(
    ("fit", "expected"),
    [
        (Fit.YES, AnswerStatus.ANSWERED),
        (Fit.UNCHECKED, AnswerStatus.ANSWERED),
        (Fit.IN_PART, AnswerStatus.ANSWERED_IN_PART),
    ],
)
def test_a_check_that_finds_an_answer_in_part_holds(fit: Fit, expected: AnswerStatus) -> None:
    assert status(A, fit=fit) is expected
    assert status(A, fit=fit, has_disagreements=True) is (
        AnswerStatus.CONFLICTING if expected is AnswerStatus.ANSWERED else expected
    )


def test_a_lead_that_was_refused_twice_is_answered_in_part_at_most() -> None:
    assert status(A, is_lead_refused=True) is AnswerStatus.ANSWERED_IN_PART
    assert status(A, is_lead_refused=True, has_statements=False) is AnswerStatus.PASSAGES_FOUND


@pytest.mark.parametrize("part", [A, H])
def test_a_part_without_any_statement_is_not_called_answered(part: PartStatus) -> None:
    assert status(part, has_statements=False) is AnswerStatus.PASSAGES_FOUND


def test_a_correction_needs_a_statement() -> None:
    assert status(P, has_statements=False) is AnswerStatus.NOT_FOUND


@pytest.mark.parametrize("stop", list(StopReason))
def test_a_ceiling_leaves_absence_open(stop: StopReason) -> None:
    expected = AnswerStatus.NOT_FOUND_SO_FAR if stop in CEILINGS else AnswerStatus.NOT_FOUND
    assert status(N, has_statements=False, stop=stop) is expected


@pytest.mark.parametrize(
    ("coverage", "expected"),
    [
        (Coverage(read=("a.txt",), searched=("b.txt",)), AnswerStatus.NOT_FOUND),
        (Coverage(read=("a.txt",), not_opened=("b.txt",)), AnswerStatus.NOT_FOUND_SO_FAR),
        (
            Coverage(read=("a.txt",), unreadable=(Unreadable(path="b.pdf", status=FileStatus.FAILED, reason="?"),)),
            AnswerStatus.NOT_FOUND_SO_FAR,
        ),
        (
            Coverage(read=("a.txt",), unreadable=(Unreadable(path="b.txt", status=FileStatus.EMPTY, reason="?"),)),
            AnswerStatus.NOT_FOUND,
        ),
        (
            Coverage(read=("a.txt",), left_out=(LeftOut(reason=LeftOutReason.HIDDEN, files=1),)),
            AnswerStatus.NOT_FOUND,
        ),
    ],
)
def test_absence_needs_every_document(coverage: Coverage, expected: AnswerStatus) -> None:
    assert status(N, has_statements=False, coverage=coverage) is expected


def test_absence_needs_a_search_in_other_words() -> None:
    assert status(N, has_statements=False, is_all_searched=False) is AnswerStatus.NOT_FOUND_SO_FAR


def test_an_answer_is_trusted_as_little_as_its_least_trusted_reader() -> None:
    assert least([Trust.PASSED, Trust.UNGRADED]) is Trust.UNGRADED
    assert least([Trust.UNGRADED, Trust.FAILED, Trust.PASSED]) is Trust.FAILED
    assert least([Trust.FAILED, Trust.UNREAD]) is Trust.UNREAD
    assert least([]) is Trust.UNGRADED


def reason(
    of: AnswerStatus,
    coverage: Coverage = WHOLE,
    stop: StopReason = StopReason.SATURATED,
    trust: Trust = Trust.UNGRADED,
) -> str:
    parts = [Part(question="How much heat?", status=N), Part(question="How much power?", status=A)]
    return reason_of(of, coverage, stop, parts, 2, trust)


def test_passages_that_a_trusted_model_has_read_are_not_called_unread() -> None:
    for trust in UNTRUSTED:
        assert "no graded reader has judged them" in reason(AnswerStatus.PASSAGES_FOUND, trust=trust)
    for trust in TRUSTED:
        assert "the quotes support no statement" in reason(AnswerStatus.PASSAGES_FOUND, trust=trust)


def test_a_reason_names_the_open_parts() -> None:
    assert reason(AnswerStatus.ANSWERED_IN_PART) == "Not everything is answered: How much heat?"


def test_the_reason_for_an_absence_says_what_was_read_and_what_is_missing() -> None:
    coverage = Coverage(
        read=("a.txt",),
        searched=("b.txt",),
        not_opened=("c.txt",),
        unreadable=(Unreadable(path="d.pdf", status=FileStatus.FAILED, reason="?"),),
    )
    text = reason(AnswerStatus.NOT_FOUND_SO_FAR, coverage, StopReason.CALLS)
    for part in ("1 of 4 documents", "in 3 wordings", "limit was reached (calls)", "1 not opened", "1 unreadable"):
        assert part in text


@pytest.mark.parametrize("every", list(AnswerStatus))
def test_every_status_has_a_reason_of_one_sentence(every: AnswerStatus) -> None:
    text = reason(every)
    assert text.endswith((".", "?"))
    assert "\n" not in text
