"""Writes a report: the outline of its parts, a section from the investigation of each part, and a summary.

Each sentence cites quotes and is checked against them in a second reading; only what they support is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from investigator.asking.budget import CEILINGS, BudgetSpent
from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_outline, less_to_section, less_to_summary
from investigator.errors import EngineError, ReplayError
from investigator.language.normalise import one_line
from investigator.records import (
    Answer,
    AnswerStatus,
    CitableStatement,
    Decision,
    Disagreement,
    Investigation,
    ListedSection,
    NotStated,
    OutlinePart,
    OutlineReply,
    OutlineVariables,
    ProposedRow,
    ProposedStatement,
    Quote,
    Section,
    SectionReply,
    SectionVariables,
    Side,
    Statement,
    SummaryReply,
    SummaryVariables,
    Support,
)
from investigator.research.answer import noted
from investigator.research.check import Checking, check, corrected
from investigator.research.evidence import Evidence, evidence_documents, evidence_of, with_surroundings
from investigator.research.history_selector import HistorySelector
from investigator.research.research_settings import ResearchSettings
from investigator.research.shown_documents import plan_document
from investigator.retrieval.library import Library

_SHOWN_DOCUMENTS, _WITH_TWO_PASSAGES = 30, 10
_MOST_PLANNED = 8
_KEPT = (Support.VERBATIM, Support.SUPPORTED)
_NO_EVIDENCE = "it cites no quote"


@dataclass(frozen=True)
class DraftedSection:
    """A section with the run of its part, its disagreements, and the statements that were withheld."""

    section: Section
    run: Investigation
    disagreements: tuple[Disagreement, ...] = ()
    withheld: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Summary:
    """The sentences of a summary, those that were withheld, and what the documents do not state."""

    gaps: tuple[NotStated, ...]
    sentences: tuple[Statement, ...] = ()
    withheld: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class ReportWriter:
    """Writes the parts of a report on a subject. Without `is_checked`, statements stay unchecked."""

    client: EngineClient
    library: Library
    settings: ResearchSettings
    subject: str
    mission: str
    is_checked: bool = True

    def outline(self) -> tuple[OutlinePart, ...]:
        """Return the planned parts; the subject itself is the only one if the planner names none, or a limit is
        reached. Raises EngineError, TemplateError and StoreError.
        """
        cards = self.library.cards((self.subject,))[:_SHOWN_DOCUMENTS]
        passages = 2 if len(cards) <= _WITH_TWO_PASSAGES else 1
        variables = OutlineVariables(
            subject=self.subject,
            mission=self.mission,
            documents=tuple(plan_document(self.library, card, (self.subject,), passages) for card in cards),
            document_count=len(self.library.document_ids()),
            most_parts=_MOST_PLANNED,
        )
        reply = None
        with suppress(BudgetSpent):
            reply = self.client.ask("report/outline", variables, OutlineReply, smaller=less_to_outline).value
        parts = distinct_parts(reply.parts if reply is not None else ())
        return parts[: 2 * _MOST_PLANNED] or (OutlinePart(heading=self.subject),)

    def plain(self, part: OutlinePart, run: Investigation) -> Section:
        """Return the section of a part with the statements of its answer as they are: those that were checked, or all
        if the answer consists of passages. What a limit has ended is not finished.
        """
        answer = run.answer
        blank = Section(heading=part.heading, questions=part.questions, run=run.id)
        if answer is None:
            return blank.changed(reason="Not investigated, because an engine or a file failed.")
        is_finished = answer.run.stop not in CEILINGS
        is_all = answer.status is AnswerStatus.PASSAGES_FOUND or not self.is_checked
        own = (*((answer.lead,) if answer.lead is not None else ()), *answer.details)
        kept = [statement for statement in own if statement.support in _KEPT or (is_all and is_finished)]
        section = blank.changed(
            status=answer.status if is_finished else None,
            paragraphs=tuple((statement,) for statement in kept),
            rows=_surveyed(answer),
        )
        if not is_finished:
            return section.changed(reason=f"Not finished, because the limit on {answer.run.stop} was reached.")
        return section if section.statements else section.changed(reason=answer.reason)

    def section(self, part: OutlinePart, run: Investigation, others: Sequence[ListedSection]) -> DraftedSection:
        """Return the section of a part as it is written and checked, or its plain form if that fails, if passages are
        all that was found, or if a limit is reached. Raises TemplateError, StoreError and ReplayError.
        """
        plain, answer = self.plain(part, run), run.answer
        if answer is None or not plain.statements or plain.status in (None, AnswerStatus.PASSAGES_FOUND):
            return _undrafted(plain, run)
        try:
            return self._written(plain, run, answer, others) or _undrafted(plain, run)
        except ReplayError:
            raise
        except (EngineError, BudgetSpent):
            return _undrafted(plain, run)

    def _written(
        self, plain: Section, run: Investigation, answer: Answer, others: Sequence[ListedSection]
    ) -> DraftedSection | None:
        evidence, surveyed = self._evidence(run), _surveyed(answer)
        variables = SectionVariables(
            subject=self.subject,
            mission=self.mission,
            heading=plain.heading,
            questions=plain.questions,
            statements=tuple(
                CitableStatement(text=_headed(statement), evidence=evidence.ids_of(statement.quotes))
                for statement in plain.statements
            ),
            documents=evidence_documents(evidence.quotes, self.library.document, around=0),
            rows=tuple(row.head for row in surveyed),
            others=tuple(others),
        )
        reply = self.client.ask("report/section", variables, SectionReply, smaller=less_to_section).value
        if reply is None:
            return None
        drafted = [[self._statement(each, evidence) for each in entry] for entry in reply.paragraphs]
        columns = () if surveyed else tuple(map(one_line, reply.columns))
        rows = [] if surveyed else [self._statement(_row(each, columns), evidence, each.cells) for each in reply.rows]
        every = [*chain(*drafted), *rows, *map(_explanation, answer.disagreements)]
        judged = self._judged(every, "\n".join((plain.heading, *plain.questions)))
        if judged is None:
            return None
        left = iter(judged)
        paragraphs = [tuple(filter(self._is_kept, islice(left, len(each)))) for each in drafted]
        kept_rows = tuple(filter(self._is_kept, islice(left, len(rows))))
        explanations = [each if self._is_kept(each) else None for each in left]
        disagreements = tuple(map(_with_side, answer.disagreements, explanations))
        section = plain.changed(paragraphs=tuple(filter(None, paragraphs)), columns=columns, rows=surveyed or kept_rows)
        withheld = tuple(each.changed(head=plain.heading) for each in judged if each.text and not self._is_kept(each))
        return DraftedSection(section, run, disagreements, withheld) if section.statements else None

    def summary(
        self, sections: Sequence[Section], disputed: Sequence[Disagreement], gaps: Sequence[NotStated]
    ) -> Summary:
        """Return the summary, whose sentences cite the quotes of the statements that they sum up, and the gaps, each
        once; no sentence and the gaps as they are if there is nothing to sum up, or as for `section`. Raises the errors
        of `section`.
        """
        bare = Summary(tuple(gaps))
        telling = [section.status for section in sections if section.statements]
        if len(telling) < 2 or AnswerStatus.PASSAGES_FOUND in telling:
            return bare
        try:
            return self._summed_up(sections, disputed, gaps) or bare
        except ReplayError:
            raise
        except (EngineError, BudgetSpent):
            return bare

    def _summed_up(
        self, sections: Sequence[Section], disputed: Sequence[Disagreement], gaps: Sequence[NotStated]
    ) -> Summary | None:
        disputes = (Statement(text=f"{d.about}: {each.text}", quotes=each.quotes) for d in disputed for each in d.sides)
        known: dict[str, Statement] = {}
        shown = []
        for heading, statements in (*((section.heading, section.statements) for section in sections), ("", disputes)):
            named = {f"S{number}": each for number, each in enumerate(statements, start=len(known) + 1)}
            known.update(named)
            citable = (CitableStatement(text=_headed(each), evidence=(name,)) for name, each in named.items())
            shown.append(ListedSection(heading=heading, statements=tuple(citable)))
        open_gaps = {f"G{number}": gap for number, gap in enumerate(gaps, start=1)}
        variables = SummaryVariables(
            subject=self.subject,
            mission=self.mission,
            sections=tuple(each for each in shown if each.statements),
            gaps=tuple(CitableStatement(text=gap.text, evidence=(name,)) for name, gap in open_gaps.items()),
        )
        reply = self.client.ask("report/summary", variables, SummaryReply, smaller=less_to_summary).value
        if reply is None:
            return None
        proposed = chain(*reply.paragraphs)
        judged = self._judged([_summing_up(sentence, known, self.subject) for sentence in proposed], self.subject) or []
        return Summary(
            gaps=_merged(reply.gaps, open_gaps),
            sentences=tuple(filter(self._is_kept, judged)),
            withheld=tuple(each for each in judged if not self._is_kept(each)),
        )

    def _judged(self, statements: Sequence[Statement], question: str) -> list[Statement] | None:
        """Return the statements as a check corrects them; None if the check fails."""
        cited = [each for each in statements if each.quotes and each.text]
        outcome = check(self.client, cited, self.library.document, Checking(question)) if self.is_checked else None
        if outcome is not None and outcome.failure:
            return None
        judgements = outcome.judgements if outcome is not None else {}
        after = iter([corrected(each, judgements.get(number)) for number, each in enumerate(cited, start=1)])
        uncited = {"support": Support.UNSUPPORTED, "reason": _NO_EVIDENCE}
        return [next(after) if each.quotes and each.text else each.changed(**uncited) for each in statements]

    def _is_kept(self, statement: Statement) -> bool:
        return statement.support in _KEPT or (not self.is_checked and statement.support is Support.UNCHECKED)

    def _statement(self, proposed: ProposedStatement, evidence: Evidence, cells: Iterable[str] = ()) -> Statement:
        head, text = one_line(proposed.head), one_line(proposed.text)
        quotes = evidence.cited(proposed.evidence)
        return noted(Statement(head=head, text=text, quotes=quotes, cells=tuple(map(one_line, cells))), self.subject)

    def _evidence(self, run: Investigation) -> Evidence:
        """Return the quotes of the relevant readings, which include those that the answer cites, and what is around
        them.
        """
        history = HistorySelector(run.memories).select(self.settings.threshold)
        evidence = evidence_of(history, (), self.library.document, self.settings.answer)
        return with_surroundings(evidence, self.library.document)


def distinct_parts(parts: Iterable[OutlinePart]) -> tuple[OutlinePart, ...]:
    """Return each heading once, with the questions of all parts that have it, as an outline in a file has them: in one
    line each, and none without words.
    """
    questions: dict[str, dict[str, None]] = {}
    for part in parts:
        own = (one_line(question) for question in part.questions if any(map(str.isalnum, question)))
        if any(map(str.isalnum, part.heading)):
            questions.setdefault(one_line(part.heading), {}).update(dict.fromkeys(own))
    return tuple(OutlinePart(heading=heading, questions=tuple(own)) for heading, own in questions.items())


def others_of(sections: Sequence[Section], number: int) -> tuple[ListedSection, ...]:
    """Return the other sections as the writer of the one with this index sees them: what the earlier ones state, and
    the headings of the later ones.
    """
    return tuple(
        ListedSection(
            heading=section.heading,
            statements=tuple(CitableStatement(text=_headed(each)) for each in section.statements if place < number),
        )
        for place, section in enumerate(sections)
        if place != number
    )


def without_repetition(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Return the sections without the statements that an earlier one makes from the same quotes; what a section repeats
    already, it still repeats.
    """
    owner: dict[tuple[str, frozenset[Quote]], int] = {}
    result: list[Section] = []
    for place, section in enumerate(sections):
        keys = [(_headed(each).casefold(), frozenset(each.quotes)) for each in section.statements]
        fresh = [key not in owner and owner.setdefault(key, place) == place for key in keys]
        left = iter(fresh)
        paragraphs = [tuple(each for each in paragraph if next(left)) for paragraph in section.paragraphs]
        rows = tuple(each for each in section.rows if next(left))
        earlier = dict.fromkeys(owner[key] for key in keys if owner[key] != place)
        repeats = dict.fromkeys((*section.repeats, *(result[number].heading for number in earlier)))
        result.append(section.changed(paragraphs=tuple(filter(None, paragraphs)), rows=rows, repeats=tuple(repeats)))
    return tuple(result)


def _undrafted(section: Section, run: Investigation) -> DraftedSection:
    """Return a plain section, whose disagreements have no explanation, because it would cite nothing."""
    if run.answer is None:
        return DraftedSection(section, run)
    withheld = tuple(each.changed(head=section.heading) for each in run.answer.check.withheld)
    unexplained = tuple(each.changed(explanation="") for each in run.answer.disagreements)
    return DraftedSection(section, run, unexplained, withheld)


def _surveyed(answer: Answer) -> tuple[Statement, ...]:
    """Return a row for each document that belongs to an answer of which every document was decided."""
    return tuple(
        row.statement.changed(head=row.statement.head or row.title or row.document_id)
        for row in answer.table
        if row.statement is not None and row.decision is Decision.YES
    )


def _row(proposed: ProposedRow, columns: Sequence[str]) -> ProposedStatement:
    """Return a row as a sentence of its cells, each after its column."""
    named = zip_longest(columns[1:], map(one_line, proposed.cells), fillvalue="")
    text = "; ".join(f"{column}: {cell}" if column else cell for column, cell in named if cell)
    return ProposedStatement(head=proposed.head, text=text, evidence=proposed.evidence)


def _headed(statement: Statement) -> str:
    return f"{statement.head}: {statement.text}" if statement.head else statement.text


def _explanation(disagreement: Disagreement) -> Statement:
    quotes = dict.fromkeys(quote for side in disagreement.sides for quote in side.quotes)
    return Statement(text=disagreement.explanation, quotes=tuple(quotes))


def _with_side(disagreement: Disagreement, explanation: Statement | None) -> Disagreement:
    """Return a disagreement whose explanation, if a check supports it, is a last entry with citations."""
    if explanation is None or not explanation.text:
        return disagreement.changed(explanation="")
    side = Side(text=explanation.text, quotes=explanation.quotes, explains=True)
    return disagreement.changed(sides=(*disagreement.sides, side), explanation="")


def _summing_up(proposed: ProposedStatement, known: Mapping[str, Statement], subject: str) -> Statement:
    """Return a sentence of the summary; the first quotes of all statements that it cites come before the others."""
    names = _names(proposed)
    turns = zip_longest(*(known[name].quotes for name in names if name in known))
    quotes = tuple(dict.fromkeys(quote for turn in turns for quote in turn if quote is not None))
    return noted(Statement(text=one_line(proposed.text), quotes=quotes), subject)


def _merged(proposed: Iterable[ProposedStatement], gaps: Mapping[str, NotStated]) -> tuple[NotStated, ...]:
    """Return what the documents do not state as the writer puts it; gaps that it does not name follow as they are."""
    merged, left = [], dict(gaps)
    for each in proposed:
        text, names = one_line(each.text), [name for name in _names(each) if name in left]
        if text and names:
            merged.append(NotStated(text=text))
            left = {name: gap for name, gap in left.items() if name not in names}
    return (*merged, *left.values())


def _names(proposed: ProposedStatement) -> list[str]:
    return list(dict.fromkeys(name.strip().strip("[]").upper() for name in proposed.evidence))
