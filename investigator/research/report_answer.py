"""Puts the sections of a report together as one answer: status, coverage, and what the documents do not say. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import chain

from investigator.asking.budget import CEILINGS
from investigator.records import (
    Answer,
    AnswerStatus,
    CheckOutcome,
    Coverage,
    Investigation,
    NotStated,
    PartStatus,
    RunFacts,
    Section,
    StopReason,
    Support,
    Trust,
)
from investigator.research.report import DraftedSection, Summary
from investigator.research.status import least

_COMPLETE = (AnswerStatus.ANSWERED, AnswerStatus.CONFLICTING, AnswerStatus.PREMISE_WRONG)
_ABSENT = (AnswerStatus.NOT_FOUND, AnswerStatus.PREMISE_WRONG)
_NEAREST = 3
_MOST_NAMES = 8


def report_answer(
    report: Investigation,
    sections: Sequence[Section],
    drafted: Sequence[DraftedSection],
    summary: Summary,
    stop: StopReason,
    checker: str,
) -> Answer:
    """Return the answer that is the report. `drafted` are the sections before repetition was removed; `checker` is the
    engine that checks statements, if any. The engines of sections that were kept come before those of the report.
    """
    answers = [draft.run.answer for draft in drafted if draft.run.answer is not None]
    checkers = dict.fromkeys(filter(None, (*(own.check.by for own in answers), checker)))
    engines = dict.fromkeys((*(own.run.engine for own in answers), report.setup.engine))
    stated = any(section.statements for section in sections)
    is_checked = any(each.support is Support.SUPPORTED for section in sections for each in section.statements)
    return Answer(
        question=report.question,
        status=_status(sections),
        reason=_reason(sections, stop),
        lead=summary.sentences[0] if summary.sentences else None,
        details=summary.sentences[1:],
        sections=tuple(sections),
        not_stated=summary.gaps,
        disagreements=tuple(dict.fromkeys(each for draft in drafted for each in draft.disagreements)),
        nearest=() if stated else tuple(dict.fromkeys(each for own in answers for each in own.nearest))[:_NEAREST],
        check=CheckOutcome(
            by=" and ".join(checkers) if is_checked else "",
            trust=least([own.check.trust for own in answers]) if answers else Trust.UNGRADED,
            withheld=(*summary.withheld, *(each for draft in drafted for each in draft.withheld)),
        ),
        coverage=_coverage(answers, {file.path for file in report.files}),
        run=RunFacts(id=report.id, engine=" and ".join(engines), day=report.setup.day, stop=stop),
    )


def gaps_of(sections: Sequence[Section], drafted: Sequence[DraftedSection]) -> tuple[NotStated, ...]:
    """Return what the documents do not state of each part."""
    of_each = (_gaps(section, own.run.answer) for section, own in zip(sections, drafted, strict=True))
    return tuple(dict.fromkeys(chain(*of_each)))


def _gaps(section: Section, answer: Answer | None) -> Iterator[NotStated]:
    """Yield what the documents do not state of a part; nothing of a part that was not investigated to its end."""
    if section.status is None or answer is None:
        return
    if not section.statements and not section.repeats and not answer.not_stated:
        yield NotStated(text=f"{section.heading}: {section.reason}")
    yield from answer.not_stated
    if not answer.not_stated and section.statements:
        missing = [part for part in answer.parts if part.status is PartStatus.NOT_STATED]
        yield from (NotStated(text=part.question) for part in missing)


def _status(sections: Sequence[Section]) -> AnswerStatus:
    statuses = [section.status for section in sections]
    telling = [section.status for section in sections if section.statements]
    if not telling:
        is_absent = all(status in _ABSENT for status in statuses)
        return AnswerStatus.NOT_FOUND if is_absent else AnswerStatus.NOT_FOUND_SO_FAR
    if all(status is AnswerStatus.PASSAGES_FOUND for status in telling):
        return AnswerStatus.PASSAGES_FOUND
    if all(status in _COMPLETE for status in statuses):
        is_disputed = all(status is AnswerStatus.CONFLICTING for status in telling)  # and not a detail of a part
        return AnswerStatus.CONFLICTING if is_disputed else AnswerStatus.ANSWERED
    return AnswerStatus.ANSWERED_IN_PART


def _reason(sections: Sequence[Section], stop: StopReason) -> str:
    """Return on which parts nothing was found, and which are not finished."""
    blank = [s.heading for s in sections if s.status in _ABSENT and not s.statements and not s.repeats]
    lines = [f"The limit on {stop} was reached."] if stop in CEILINGS else []
    lines += _named("Nothing found on", blank if len(blank) < len(sections) else [])
    is_partial = any(section.status is AnswerStatus.ANSWERED_IN_PART for section in sections)
    lines += ["What the documents do not say is listed at the end."] if is_partial and not lines else []
    lines += _named("Not finished", [section.heading for section in sections if section.status is None])
    return " ".join(lines)


def _named(about: str, headings: Sequence[str]) -> list[str]:
    more = f"; and {len(headings) - _MOST_NAMES} more" if len(headings) > _MOST_NAMES else ""
    return [f"{about}: {'; '.join(headings[:_MOST_NAMES])}{more}."] if headings else []


def _coverage(answers: Sequence[Answer], current: Set[str]) -> Coverage:
    """Return the coverage of the current documents by all parts together: a document that one of them read is read. The
    files that could not be read are those of the latest.
    """
    coverages = [own.coverage for own in sorted(answers, key=lambda own: own.run.id)]
    read = {name for each in coverages for name in each.read} & current
    searched = {name for each in coverages for name in each.searched} & current - read
    not_opened = {name for each in coverages for name in each.not_opened} & current - read - searched
    return (coverages[-1] if coverages else Coverage()).changed(
        read=tuple(sorted(read)),
        searched=tuple(sorted(searched)),
        not_opened=tuple(sorted(not_opened)),
        wordings=tuple(dict.fromkeys(text for own in answers for text in own.coverage.wordings)),
        tainted=tuple(dict.fromkeys(name for own in answers for name in own.coverage.tainted)),
        source_changed=(),
    )
