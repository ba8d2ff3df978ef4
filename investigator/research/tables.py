"""Builds answers as tables, with a verdict and proven statements for each row. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.documents.fresh import FreshDocument
from investigator.evidence.claims import prove
from investigator.evidence.standing import Reread, quote_standing, recheck
from investigator.language.normalise import one_line
from investigator.questions.asked_amounts import asked_amounts
from investigator.questions.topics import topics_of
from investigator.records import (
    Answer,
    AnswerStatus,
    AnswerTable,
    Claim,
    Coverage,
    Investigation,
    Memory,
    QuestionKind,
    RowVerdict,
    Search,
    Status,
    StopReason,
    TableRow,
)
from investigator.research.answer import concluded, without_changed_sources
from investigator.research.verdict import Verdict, number_of

_NAMED = 4


def with_readings(run: Investigation, memories: Sequence[Memory], threshold: int) -> tuple[TableRow, ...]:
    """Return the rows of a survey, updated with what was read in the unclear documents."""
    said = {memory.target_document_id: memory for memory in memories if memory.point is not None}
    return tuple(
        _as_read(row, said[row.document_id], threshold) if row.document_id in said else row for row in run.survey
    )


def _as_read(row: TableRow, memory: Memory, threshold: int) -> TableRow:
    if memory.addressed or ((memory.point or 0) >= threshold > 0 and not memory.quotes):
        return row
    if (memory.point or 0) < threshold:
        return TableRow(label=row.label, document_id=row.document_id, verdict=RowVerdict.NO)
    is_proven = prove(memory.reply, memory.quotes).is_proven
    value = one_line(memory.reply if is_proven else memory.quotes[0].text)
    return row.changed(verdict=RowVerdict.YES, value=value, quotes=memory.quotes, missing=())


def to_be_read(run: Investigation, most: int) -> tuple[TableRow, ...]:
    """Return the rows that only a language model can decide, best first: unclear rows and partial matches."""
    asked = {step.document_id for step in run.plan.steps if step.status is Status.DONE}
    left = [row for row in run.survey if row.document_id not in asked and _is_open(row)]
    return tuple(sorted(left, key=lambda row: (row.verdict is not RowVerdict.UNCLEAR, len(row.missing))))[:most]


def _is_open(row: TableRow) -> bool:
    return row.verdict is RowVerdict.UNCLEAR or (row.verdict is RowVerdict.YES and bool(row.missing))


def statements(rows: Sequence[TableRow], *, unclear: bool) -> tuple[Claim, ...]:
    """Return a claim with quotes for each row whose verdict is yes and, with `unclear`, for each unclear row."""
    verdicts = (RowVerdict.YES, RowVerdict.UNCLEAR) if unclear else (RowVerdict.YES,)
    shown = [row for row in rows if row.verdict in verdicts and row.quotes]
    return tuple(dict.fromkeys(Claim(text=row.value, quotes=row.quotes) for row in shown))


def standing_rows(rows: Sequence[TableRow], reread: Reread | None) -> tuple[TableRow, ...]:
    """Return the rows with quotes that are still in the files; a row that lost a quote becomes missing."""
    if reread is None:
        return tuple(rows)
    fresh = reread(dict.fromkeys(quote.document_id for row in rows for quote in row.quotes))
    return tuple(_standing(row, fresh) for row in rows)


def _standing(row: TableRow, fresh: Mapping[str, FreshDocument]) -> TableRow:
    found = [quote_standing(quote, fresh[quote.document_id]) for quote in row.quotes]
    kept = tuple(quote for quote in found if quote is not None)
    if len(kept) == len(row.quotes):
        return row.changed(quotes=kept)
    return TableRow(label=row.label, document_id=row.document_id, verdict=RowVerdict.MISSING)


def survey_verdict(
    run: Investigation, rows: Sequence[TableRow], claims: Sequence[Claim], coverage: Coverage
) -> Verdict:
    """Return the verdict of a survey of the folder; a count of zero is an answer if every document was decided."""
    yes = [row for row in rows if row.verdict is RowVerdict.YES]
    unclear = [row for row in rows if row.verdict in (RowVerdict.UNCLEAR, RowVerdict.MISSING)]
    if any(row.label != row.document_id for row in rows):
        return _verdict_on_things(run.kind, rows, claims)
    lacking = _without(run.question) if yes else ""
    reason = f"{_counted(len(yes), len(rows))}{lacking}{_openings(yes, unclear, run, coverage)}."
    whole = coverage.complete and not unclear
    if not yes:
        none = AnswerStatus.ANSWERED if run.kind is QuestionKind.COUNT and whole else AnswerStatus.NOT_FOUND
        status = AnswerStatus.NOT_FOUND_SO_FAR if unclear or asked_amounts(run.question) else none
        return Verdict(status, reason=reason)
    shown = [row for row in yes if not row.missing]
    status = AnswerStatus.ANSWERED_IN_PART if shown else AnswerStatus.PASSAGES_FOUND
    if whole and len(shown) == len(yes):
        status = AnswerStatus.ANSWERED
    return Verdict(status, tuple(claims), reason=reason)


def _verdict_on_things(kind: QuestionKind, rows: Sequence[TableRow], claims: Sequence[Claim]) -> Verdict:
    """Return the verdict on things that are table rows or list items; a count of zero is an answer."""
    yes = [row for row in rows if row.verdict is RowVerdict.YES]
    names = ", ".join(list(dict.fromkeys(row.document_id for row in rows))[:_NAMED])
    others = "things named only in running text, or in other words, are"
    if yes and kind is not QuestionKind.COUNT:
        said = f"{number_of(len(yes), 'row or item', 'rows or items')} of {names}"
        return Verdict(
            AnswerStatus.ANSWERED, tuple(claims), reason=f"{said}; the list may be incomplete: {others} missing."
        )
    status = AnswerStatus.ANSWERED if kind is QuestionKind.COUNT else AnswerStatus.NOT_FOUND
    # several documents may list the same thing
    different = {row.label.casefold() for row in yes} if "," in names else yes
    number = len(different) or f"None of {number_of(len(rows), 'row')}"
    return Verdict(status, tuple(claims), reason=f"{number} counted in the tables of {names}; {others} not counted.")


def _counted(yes: int, total: int) -> str:
    return f"{yes or 'None'} of {number_of(total, 'document')}"


def _without(question: str) -> str:
    """Return the clause of the reason about things that the documents must not mention; "" if there are none."""
    topics = topics_of(question)
    excluded = [topic.text for topic in topics if topic.is_excluded]
    if len(excluded) == len(topics):
        return ", in which nothing of the kind was found; the whole folder was searched"
    return f", in which no mention of {' or '.join(excluded)} was found" if excluded else ""


def _openings(yes: Sequence[TableRow], unclear: Sequence[TableRow], run: Investigation, coverage: Coverage) -> str:
    missing = dict.fromkeys(word for row in yes for word in row.missing)
    left = [
        f"{len(unclear)} unclear" if unclear else "",
        f"not established in all of them: {', '.join(list(missing)[:_NAMED])}" if missing else "",
        f"{len(coverage.unreadable)} unreadable" if not coverage.complete and coverage.unreadable else "",
        f"{len(coverage.not_opened)} not opened" if coverage.not_opened else "",
        "not all passages have vectors yet, so only words were searched for" if run.search is Search.CANDIDATES else "",
    ]
    said = "; ".join(filter(None, left))
    if said:
        return f"; {said}"
    are_told = all(topic.is_mention for topic in topics_of(run.question))
    return ", all of which were decided" if yes or are_told else ", judged by the words of the question and synonyms"


def side_verdict(run: Investigation, rows: Sequence[TableRow], claims: Sequence[Claim], coverage: Coverage) -> Verdict:
    """Return the verdict on a table of sides or periods; the reason names the rows without a result."""
    met = [row for row in rows if row.verdict is RowVerdict.YES]
    missing = [row.label for row in rows if row.verdict is RowVerdict.MISSING]
    unclear = [row for row in rows if row.verdict is RowVerdict.UNCLEAR]
    words = list(dict.fromkeys(word for row in unclear for word in row.missing))
    status = AnswerStatus.ANSWERED_IN_PART if met else AnswerStatus.PASSAGES_FOUND
    if len(met) == len(rows):
        status = AnswerStatus.ANSWERED
    left = [
        f"nothing found for {', '.join(missing)}" if missing else "",
        f"not established for {', '.join(row.label for row in unclear[:_NAMED])}" if unclear else "",
        f"({', '.join(words[:_NAMED])})" if words else "",
    ]
    reason = f"{len(met)} of {number_of(len(rows), 'row')} established"
    if any(left):
        reason += f"; {' '.join(filter(None, left))}"
    return Verdict(status, tuple(claims), reason=f"{reason}.")


def table_answer(
    run: Investigation,
    rows: Sequence[TableRow],
    stop: StopReason,
    coverage: Coverage,
    threshold: int,
    reread: Reread | None,
) -> Answer:
    """Return the answer for a table; its rows are verified in the files like other statements."""
    claims = statements(rows, unclear=not run.kind.is_exhaustive)
    checked = recheck(claims, run.question, reread)
    rows = standing_rows(rows, reread)
    verdict = survey_verdict if run.kind.is_exhaustive else side_verdict
    answer = concluded(
        run,
        stop,
        verdict(run, rows, checked.claims, coverage),
        coverage,
        threshold=threshold,
        nearest=(),
        reworded=True,  # inflections and synonyms were also searched for
    )
    answer = answer.changed(table=AnswerTable(asked=run.question, rows=tuple(rows)), unproven=checked.unproven)
    return without_changed_sources(answer, checked.gone)
