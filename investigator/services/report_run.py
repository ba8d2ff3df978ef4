"""Writes a report as one run: its outline is planned or given, each part is investigated, and becomes a section."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass

from investigator.asking.budget import CEILINGS
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError, NotFoundError, StoreError
from investigator.records import (
    Answered,
    DocumentChange,
    Event,
    FileState,
    Investigation,
    Notice,
    OutlinePart,
    Progressed,
    Section,
    StopReason,
    together,
)
from investigator.reports.wording import plural
from investigator.research.answer_text import answer_text
from investigator.research.conclusion import answer_now
from investigator.research.concurrency import in_order
from investigator.research.report import DraftedSection, ReportWriter, others_of, without_repetition
from investigator.research.report_answer import gaps_of, report_answer
from investigator.retrieval.library import Library
from investigator.services.batch import Result, joint_budget, note_spent, to_read_again, wave
from investigator.services.indexed_folder import IndexedFolder
from investigator.services.open_folder import OpenFolder, OpenRun, open_folder, repeated
from investigator.services.outlines import outline_of, outline_text
from investigator.services.run_records import REPORT, RunOptions, answered_already, valid_question
from investigator.services.standing import because_of, changes_of, files_of
from investigator.store.in_memory import JointLedger
from investigator.store.journal import PART_OF, Runs

_LONGEST_NAME = 80
_FOR_PARTS = 0.75  # share of each limit; the rest is kept for writing what was investigated


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

    The report is one run, whose id begins with `REPORT`, and so is the investigation of each part, which is not listed:
    a stopped report resumes, and nothing is paid twice. Limits, also the default one, apply to the whole report.
    Without an outline, it is planned. An update keeps the sections of the latest report on the subject that are in the
    outline, unless changes in the folder since may change them, as for a standing question. Raises the errors of
    `Investigations.investigate`, and NotFoundError if there is no report to update.
    """

    def attempt(folder: OpenFolder, again: frozenset[str]) -> Iterator[Event]:
        return _Writing(folder, new.changed(id=REPORT), options, again).events(tuple(outline), is_update=is_update)

    yield from repeated(open_folder(place, engines), attempt)


@dataclass(frozen=True)
class _Writing:
    """An attempt to write a report, after the documents in `again` were read once more."""

    folder: OpenFolder
    new: Investigation
    options: RunOptions
    again: frozenset[str]

    def events(self, outline: tuple[OutlinePart, ...], *, is_update: bool) -> Iterator[Event]:
        """Yield the events of the attempt."""
        folder, runs, earlier = self.folder, Runs(self.folder.runs), self.new
        kept: Mapping[OutlinePart, DraftedSection] = {}
        if is_update:
            earlier = self._latest()
            former = outline_of(earlier)
            outline = outline or former
            kept = yield from self._kept(earlier, outline)
            if outline == former and kept.keys() >= {*outline}:
                runs.note_asked(earlier.id)
                yield Notice(text="No section needs an update; the report is kept.")
                yield Answered(investigation=earlier)
                return
        elif outline and (planned := folder.earlier(self.new, self.options, self.again)) is not None:
            with suppress(StoreError):  # a new run begins instead
                earlier = runs.investigation(planned.id)
        given = earlier.setup.outline if outline_of(earlier) == outline else outline_text(outline)
        new = self.new.changed(setup=self.new.setup.changed(outline=given))
        with folder.opened(new, self.options, self.again) as opened:
            runs.note_asked(opened.run.id)
            finished = folder.finished(opened, self.again)
            if finished is not None:
                yield Notice(text=answered_already(finished))
                yield Answered(investigation=finished)
                return
            yield from self._written(opened, outline, kept)

    def _latest(self) -> Investigation:
        """Return the latest finished report on the subject that is limited to the same documents, except new ones and
        those that are gone. Raises NotFoundError.
        """
        runs, scope, now = Runs(self.folder.runs), self.folder.scope(self.options), files_of(self.folder).keys()
        for each in runs.summaries():
            if each.id.startswith(REPORT) and each.answer_status and each.question == self.new.question:
                report = runs.investigation(each.id)
                before = {file.path for file in report.files}
                if bool(scope) == bool(each.scope) and before & {*scope} == now & {*each.scope}:
                    return report
        command = "Omit --update. To list all: investigator show FOLDER"
        raise NotFoundError("found no report on this subject to update", hint="Write it first.", command=command)

    def _kept(
        self, report: Investigation, outline: Sequence[OutlinePart]
    ) -> Generator[Event, None, dict[OutlinePart, DraftedSection]]:
        """Return the sections of a report that stand, of the parts of an outline. One that repeats a section that does
        not stand before it is written anew.
        """
        folder, answer, scope = self.folder, report.answer, self.folder.scope(self.options)
        every = changes_of({file.path: file.state for file in report.files}, files_of(folder))
        changes = [change for change in every if not scope or change.document_id in {*scope, *report.setup.scope}]
        library = (yield from folder.prepare(folder.index.best_search())).within(scope)
        kept: dict[OutlinePart, DraftedSection] = {}
        if answer is None or not report.files:
            return kept
        sections = dict(zip(outline_of(report), answer.sections, strict=True))
        for part in outline:
            section = sections.get(part)
            if section is None or not {each.heading for each in kept}.issuperset(section.repeats):
                continue
            run = self._standing_run(section, changes, library)
            if run is not None and run.answer is not None:
                subjects = {each.about for each in run.answer.disagreements}
                disagreements = tuple(each for each in answer.disagreements if each.about in subjects)
                withheld = tuple(each for each in answer.check.withheld if each.head == section.heading)
                kept[part] = DraftedSection(section, run, disagreements, withheld)
        return kept

    def _standing_run(
        self, section: Section, changes: Sequence[DocumentChange], library: Library
    ) -> Investigation | None:
        """Return the run of a section; None if the section is not finished or says nothing, nobody has read for it and
        a model now can, or a change in the folder may change it.
        """
        if section.status is None or not (section.statements or section.repeats):
            return None
        quotes = [quote for statement in section.statements for quote in statement.quotes]
        seen = self.folder.parts.settings.research.planner.documents
        with suppress(NotFoundError, StoreError):
            run = Runs(self.folder.runs).investigation(section.run)
            is_read = run.setup.is_read or not self.new.setup.is_read
            return run if is_read and not because_of(run, changes, library, seen, quotes) else None
        return None

    def _written(
        self, opened: OpenRun, outline: tuple[OutlinePart, ...], kept: Mapping[OutlinePart, DraftedSection]
    ) -> Iterator[Event]:
        folder, parts = self.folder, self.folder.parts
        record = opened.record.changed(
            files=[FileState(path=path, state=state) for path, state in files_of(folder).items()]
        )
        settings, journal = parts.settings, opened.journal
        library = yield from folder.prepare(record.setup.search)
        yield from opened.started(len(record.setup.scope) or len(library.document_ids()))
        ledger, whole = joint_budget(parts, settings.budget)
        folder.joint = whole.share(_FOR_PARTS)
        ledger.spent_before(journal.usage())
        writer = ReportWriter(
            opened.client(joint=whole),
            library,
            settings.research,
            record.question,
            record.setup.mission,
            is_checked=not settings.check.off,
        )
        outline = outline or writer.outline()
        if len(outline) > 1:
            yield Notice(text=f"Outline: {'; '.join(part.heading for part in outline)}")
        new = yield from self._investigated(ledger, record.id, [part for part in outline if part not in kept])
        drafted: list[DraftedSection] = []
        with closing(_drafted(writer, outline, kept, new)) as arriving:
            for draft in arriving:
                drafted.append(draft)
                about = (draft.section.heading[:_LONGEST_NAME], plural(len(draft.section.statements), "statement"))
                yield Progressed(phase="writing sections", done=len(drafted), total=len(outline), about=about)
        sections = without_repetition(draft.section for draft in drafted)
        disputed = [each for draft in drafted for each in draft.disagreements]
        summary = writer.summary(sections, disputed, gaps_of(sections, drafted))
        stops = [whole.refused, *(run.answer.run.stop for run in new.values() if run.answer is not None)]
        done = StopReason.ANSWERED if record.setup.is_read else StopReason.SATURATED
        stop = next((stop for stop in stops if stop in CEILINGS), None) or done
        checker = writer.client.name(Role.CHECK) if record.setup.is_read else ""
        answer = report_answer(record, sections, drafted, summary, stop, checker)
        answer = answer_now(answer, opened.cited.reread)
        yield from folder.drift(opened.cited)
        yield from parts.notices()
        usage = together(journal.usage(), *(run.usage for run in new.values()))
        cost = {"usage": usage, "elapsed": journal.elapsed()}
        answer = answer.changed(text=answer_text(answer), run=answer.run.changed(**cost))
        record = record.changed(answer=answer, **cost)
        journal.keep_record(record)
        opened.trace.ended(record)
        yield Answered(investigation=record)

    def _investigated(
        self, ledger: JointLedger, report: str, parts: Sequence[OutlinePart]
    ) -> Generator[Event, None, Mapping[OutlinePart, Investigation]]:
        """Investigate the parts side by side, and return the runs. Raises DamagedDocumentError for documents that must
        be read again.
        """
        folder, subject = self.folder, self.new.question
        records = [
            self.new.changed(id=f"{PART_OF}{report}-", question=valid_question(_question(subject, part)))
            for part in parts
        ]
        note_spent(folder, records, self.options, ledger, folder.parts.settings.budget, self.again)
        results: dict[int, Result] = {}
        yield from wave(folder, dict(enumerate(records)), self.options, results, self.again, "investigating parts")
        if more := to_read_again(folder, results) - self.again:
            raise DamagedDocumentError(f"{', '.join(sorted(more))} changed", document_ids=tuple(sorted(more)))
        for number, part in enumerate(parts):
            if failure := results[number].failure:
                yield Notice(text=f"The part {part.heading[:_LONGEST_NAME]!r} failed: {failure}")
        return {part: results[number].investigation or records[number] for number, part in enumerate(parts)}


def _drafted(
    writer: ReportWriter,
    outline: Sequence[OutlinePart],
    kept: Mapping[OutlinePart, DraftedSection],
    new: Mapping[OutlinePart, Investigation],
) -> Generator[DraftedSection]:
    plain = [kept[part].section if part in kept else writer.plain(part, new[part]) for part in outline]

    def draft(number: int) -> DraftedSection:
        part = outline[number]
        return kept.get(part) or writer.section(part, new[part], others_of(plain, number))

    workers = writer.settings.concurrency or writer.client.concurrency(Role.ANSWER)
    return in_order(draft, range(len(outline)), workers)


def _question(subject: str, part: OutlinePart) -> str:
    """Return the question of a part: the subject, the heading and the questions."""
    heading = subject if part.heading == subject else f"{subject}: {part.heading}"
    return "\n".join((heading, *(f"- {question}" for question in part.questions)))
