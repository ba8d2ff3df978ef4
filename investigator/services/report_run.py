"""A report as one run: each part of its outline is an investigation of its own, and becomes a section."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from investigator.asking.budget import Budget, BudgetSpent
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, EngineError, NotFoundError, ReplayError
from investigator.proof.standing import standing_answer
from investigator.records import (
    Answered,
    AnswerStatus,
    Coverage,
    Event,
    Investigation,
    Notice,
    OutlinePart,
    Progressed,
    Section,
    Statement,
    StopReason,
    together,
)
from investigator.reports.wording import plural
from investigator.research.answer_text import answer_text
from investigator.research.concurrency import in_order
from investigator.research.report import DraftedSection, ReportWriter, others_of, without_repetition
from investigator.research.report_answer import report_answer
from investigator.services.batch import Result, joint_budget, note_spent, questions_at_once, wave
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.open_folder import OpenFolder, OpenRun, open_folder, repeated
from investigator.services.outlines import outline_of
from investigator.services.run_records import REPORT, RunOptions, answered_already, new_record, scope_of
from investigator.store.in_memory import JointLedger
from investigator.store.journal import Runs

_LONGEST_NAME = 80


def written_report(
    place: IndexedFolder,
    engines: Mapping[Role, Engine],
    new: Investigation,
    outline: Sequence[OutlinePart],
    options: RunOptions,
    *,
    is_update: bool = False,
) -> Iterator[Event]:
    """Write a report on the subject of a new record; the last event is Answered, with the sections in its answer.

    The report is one run, whose id begins with `REPORT`, and so is the investigation of each part: a stopped report
    resumes, and nothing is paid twice. Without an outline, it is planned. An update keeps the sections of the latest
    report on the subject, unless a document that they cite has changed or the outline has no such part. Raises the
    errors of `Investigations.investigate`, and NotFoundError if there is no report to update.
    """
    ledger, joint = joint_budget(place.parts)
    writing = _Writing(place, engines, new, tuple(outline), options, is_update, ledger, joint)
    yield from repeated(open_folder(place, engines, joint), writing.events)


@dataclass
class _Writing:
    """The report that is being written. `spent` is the first limit that was reached."""

    place: IndexedFolder
    engines: Mapping[Role, Engine]
    new: Investigation
    outline: tuple[OutlinePart, ...]
    options: RunOptions
    is_update: bool
    ledger: JointLedger
    joint: Budget
    spent: StopReason | None = None
    is_noted: bool = False
    investigations: dict[OutlinePart, Investigation] = field(default_factory=dict)

    def events(self, folder: OpenFolder, again: frozenset[str]) -> Iterator[Event]:
        """Yield the events of an attempt to write the report."""
        earlier = _latest(folder, self.new.question, self.options.only)
        if self.is_update and earlier is None:
            hint = "Write it first, without --update. To list all: investigator show FOLDER"
            raise NotFoundError("there is no report on this subject to update", hint=hint)
        kept = {} if earlier is None or not self.is_update else _kept_sections(folder, earlier, self.investigations)
        if self.is_update and earlier is not None:
            self.outline = self.outline or outline_of(earlier)
            yield from _new_documents(folder, earlier)
            if all(part in kept for part in self.outline) and self.outline == outline_of(earlier):
                Runs(folder.runs).note_asked(earlier.id)
                yield Notice(text="No section cites a document that has changed; the report is kept.")
                yield Answered(investigation=earlier)
                return
        with folder.opened(self.new, self.options, again, kind=REPORT) as opened:
            Runs(folder.runs).note_asked(opened.run.id)
            finished = folder.finished(opened, again)
            if finished is not None and self.outline in ((), outline_of(finished)):
                yield Notice(text=answered_already(finished))
                yield Answered(investigation=finished)
                return
            if not self.is_update and earlier is not None and earlier.id != opened.run.id:
                yield _earlier_notice(folder, earlier)
            yield from self._written(folder, opened, kept, again)

    def _written(
        self, folder: OpenFolder, opened: OpenRun, kept: Mapping[OutlinePart, DraftedSection], again: frozenset[str]
    ) -> Iterator[Event]:
        library = yield from folder.prepare(opened.record.setup.search)
        yield from opened.started(len(opened.record.setup.scope) or len(library.document_ids()))
        parts = folder.parts
        if not self.is_noted:
            self.ledger.spent_before(opened.journal.usage())
        writer = ReportWriter(
            opened.client(budget=parts.settings.budget.beyond_one_question(), joint=self.joint),
            library,
            parts.settings.research,
            self.new.question,
            opened.record.setup.mission,
            is_checked=not parts.settings.check.off,
        )
        outline = self.outline or self._planned(writer)
        if len(outline) > 1:
            yield Notice(text=f"Outline: {'; '.join(part.heading for part in outline)}")
        yield from self._investigated(folder, opened, [part for part in outline if part not in kept], again)
        drafted: list[DraftedSection] = []
        with closing(self._drafted(writer, outline, kept)) as arriving:
            for draft in arriving:
                drafted.append(draft)
                about = (draft.section.heading[:_LONGEST_NAME], plural(len(draft.section.statements), "statement"))
                yield Progressed(phase="writing sections", done=len(drafted), total=len(outline), about=about)
        sections = without_repetition(draft.section for draft in drafted)
        summary = self._summary(writer, sections, drafted)
        stop = self.spent or next((draft.spent for draft in drafted if draft.spent), None) or StopReason.ANSWERED
        runs = [self.investigations[part] for part in outline]
        usage = together(
            opened.journal.usage(), *(run.usage for part, run in self.investigations.items() if part not in kept)
        )
        answer = report_answer(opened.record, sections, drafted, runs, summary, stop, writer.client.name(Role.CHECK))
        answer = standing_answer(answer, opened.cited.reread)
        yield from folder.drift(opened.cited)
        yield from parts.notices()
        cost = {"usage": usage, "elapsed": opened.journal.elapsed()}
        answer = answer.changed(text=answer_text(answer), run=answer.run.changed(**cost))
        record = opened.record.changed(answer=answer, parts=answer.parts, **cost)
        opened.journal.keep_record(record)
        opened.trace.ended(record)
        yield Answered(investigation=record)

    def _planned(self, writer: ReportWriter) -> tuple[OutlinePart, ...]:
        try:
            return writer.outline()
        except BudgetSpent as spent:
            self.spent = spent.reason
            return (OutlinePart(heading=self.new.question),)

    def _investigated(
        self, folder: OpenFolder, opened: OpenRun, parts: Sequence[OutlinePart], again: frozenset[str]
    ) -> Iterator[Event]:
        """Investigate the parts, side by side. Raises DamagedDocumentError for documents that must be read again."""
        own, settings = folder.parts, folder.parts.settings
        records = [
            new_record(_question(self.new.question, part), self.options, self.engines, settings, own.trust_of)
            for part in parts
        ]
        if not self.is_noted:
            note_spent(folder, records, self.options, self.ledger)
            self.is_noted = True
        results: dict[int, Result] = {}
        workers = questions_at_once(own, self.engines)
        yield from wave(folder, dict(enumerate(records)), self.options, workers, results, again, "investigating parts")
        damaged = (r.error.document_ids for r in results.values() if isinstance(r.error, DamagedDocumentError))
        if more := frozenset(folder.drifted).union(*damaged) - again:
            raise DamagedDocumentError(f"{', '.join(sorted(more))} changed", document_ids=tuple(sorted(more)))
        for number, part in enumerate(parts):
            run = results[number].investigation
            self.investigations[part] = run or records[number]
            if failure := results[number].failure:
                yield Notice(text=f"The part {part.heading[:_LONGEST_NAME]!r} failed: {failure}")

    def _drafted(
        self, writer: ReportWriter, outline: Sequence[OutlinePart], kept: Mapping[OutlinePart, DraftedSection]
    ) -> Generator[DraftedSection]:
        plain = [
            kept[part].section if part in kept else writer.plain(part, self.investigations[part]) for part in outline
        ]

        def draft(number: int) -> DraftedSection:
            part = outline[number]
            return kept.get(part) or writer.section(part, self.investigations[part], others_of(plain, number))

        workers = writer.settings.concurrency or writer.client.concurrency(Role.ANSWER)
        return in_order(draft, range(len(outline)), workers)

    def _summary(
        self, writer: ReportWriter, sections: Sequence[Section], drafted: Sequence[DraftedSection]
    ) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
        """Return the summary, if there are several sections to sum up, and what was withheld from it."""
        telling = [section.status for section in sections if section.statements]
        if len(telling) < 2 or AnswerStatus.PASSAGES_FOUND in telling:
            return (), ()
        try:
            return writer.summary(sections, [each for draft in drafted for each in draft.disagreements])
        except ReplayError:
            raise
        except EngineError:
            return (), ()
        except BudgetSpent as spent:
            self.spent = self.spent or spent.reason
            return (), ()


def _question(subject: str, part: OutlinePart) -> str:
    """Return the question of a part: the subject, the heading and the questions."""
    heading = subject if part.heading == subject else f"{subject}: {part.heading}"
    return "\n".join((heading, *(f"- {question}" for question in part.questions)))


def _latest(folder: OpenFolder, subject: str, only: Sequence[str]) -> Investigation | None:
    """Return the latest finished report on a subject that is limited to the same documents."""
    runs, corpus = Runs(folder.runs), folder.index.corpus
    every = (*corpus.document_ids(), *(file.path for file in corpus.unreadable())) if only else ()
    scope = scope_of(only, every)
    finished = (each for each in runs.summaries() if each.id.startswith(REPORT) and each.answer_status is not None)
    same = (each.id for each in finished if each.question == subject and each.scope == scope)
    return next(map(runs.investigation, same), None)


def stale_sections(report: Investigation, hash_of: Callable[[str], str | None]) -> Investigation:
    """Return a report whose sections name the documents that they cite and that have changed since; `hash_of` returns
    the current hash of a document, or None if it is gone.
    """
    if report.answer is None:
        return report
    hashes = {quote.document_id: hash_of(quote.document_id) for quote in report.answer.citations}
    sections = []
    for section in report.answer.sections:
        quotes = [quote for statement in section.statements for quote in statement.quotes]
        changed = [quote.document_id for quote in quotes if hashes[quote.document_id] != quote.source_hash]
        sections.append(section.changed(stale=tuple(dict.fromkeys(changed))))
    return report.changed(answer=report.answer.changed(sections=tuple(sections)))


def _kept_sections(
    folder: OpenFolder, report: Investigation, investigations: dict[OutlinePart, Investigation]
) -> dict[OutlinePart, DraftedSection]:
    """Return the finished sections of a report that cite no changed document, and add the investigations of their
    parts. A section that says nothing, or refers to one that is written anew, is not kept.
    """
    answer = stale_sections(report, lambda name: _indexed_hash(folder, name)).answer
    sections = answer.sections if answer is not None else ()
    fresh = {s.heading for s in sections if s.status is not None and not s.stale and (s.statements or s.repeats)}
    kept: dict[OutlinePart, DraftedSection] = {}
    for part, section in zip(outline_of(report), sections, strict=True):
        if answer is None or section.heading not in fresh or not fresh.issuperset(section.repeats):
            continue
        run = Runs(folder.runs).investigation(section.run)
        investigations[part] = run
        subjects = {each.about for each in run.answer.disagreements} if run.answer is not None else set()
        kept[part] = DraftedSection(
            section.changed(repeats=()),
            tuple(each for each in answer.disagreements if each.about in subjects),
            tuple(each for each in answer.check.withheld if each.head == section.heading),
        )
    return kept


def _indexed_hash(folder: OpenFolder, document_id: str) -> str | None:
    try:
        return folder.index.corpus.document(document_id).content_hash
    except KeyError:
        return None


def _earlier_notice(folder: OpenFolder, report: Investigation) -> Notice:
    """Return a notice that an earlier report is not used, before anything is paid for again."""
    answer = stale_sections(report, lambda name: _indexed_hash(folder, name)).answer
    sections = answer.sections if answer is not None else ()
    changed = "; ".join(section.heading for section in sections if section.stale) or "none"
    kept = "--update keeps its sections, except those of changed documents"
    return Notice(text=f"An earlier report on this subject, {report.id}, is not used; {kept} ({changed}).")


def _new_documents(folder: OpenFolder, report: Investigation) -> Iterator[Notice]:
    """Yield a notice of the documents that the kept sections of a report do not know."""
    coverage = report.answer.coverage if report.answer is not None else Coverage()
    known = {*coverage.read, *coverage.searched, *coverage.not_opened}
    if not report.setup.scope and (new := set(folder.index.corpus.document_ids()) - known):
        yield Notice(text=f"{plural(len(new), 'document')} not known to the kept sections; to read all: omit --update.")
