"""The steps of the method, each of which asks engines or documents and returns the next state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.engines.embedding.verifiers import SupportJudge
from investigator.engines.roles import Role
from investigator.evidence.quotes import Sources
from investigator.evidence.standing import Reread, recheck, standing_conflicts, standing_near_misses
from investigator.evidence.taint import tainted_documents
from investigator.questions.missing import missing_editions
from investigator.records import (
    AnswerStatus,
    Conflict,
    DocumentCard,
    Event,
    Finding,
    Investigation,
    Memory,
    MissingEdition,
    Need,
    Notice,
    Planned,
    PlanStep,
    PlanVariables,
    ProposedStep,
    QuestionKind,
    Reflected,
    Reflection,
    ReflectVariables,
    Remembered,
    RowVerdict,
    Status,
    StopReason,
    Surveyed,
    TableRow,
    ThinkVariables,
    Thought,
)
from investigator.research.answer import AnswerWriter, concluded, without_changed_sources
from investigator.research.asking_policy import read_by_small_model
from investigator.research.comparing import at_newest, series, series_plan, side_by_side, whole_documents
from investigator.research.computed_claims import as_one_figure
from investigator.research.concurrency import concurrently, in_order
from investigator.research.critical_thinking import Understood, own_words, think
from investigator.research.disagreement import disagreed, with_conflicts
from investigator.research.exhaustive import counted, surveyed
from investigator.research.follow_ups import found_for, limited, respelled_parts, searched_otherwise, second_hop
from investigator.research.in_force import not_overtaken, with_all_found
from investigator.research.memory_stream import MemoryStream
from investigator.research.method_settings import MethodSettings
from investigator.research.planner import Proposal, propose, without_choice
from investigator.research.query import DocumentQuery
from investigator.research.reflection import reflect
from investigator.research.settling import settled
from investigator.research.state import (
    State,
    Step,
    how_many_to_ask,
    reason_to_stop,
    what_suffices,
    with_plan,
    with_reflection,
)
from investigator.research.tables import table_answer, to_be_read, with_readings
from investigator.research.tactical_planning import prioritized, sub_question
from investigator.research.verdict import (
    chosen_sentences,
    of_asked_editions,
    verdict_of,
    with_older_text_marked,
)
from investigator.retrieval.library import DocumentIndex

_UNDECIDED = "Read the documents that the index cannot decide."
_FOLLOW_UP_DOCUMENTS = 2  # number of documents to which each follow-up question is put

Moment = tuple[State, Event | None]
"""A state to store, and the event to report."""


@dataclass(frozen=True)
class Steps:
    """The steps of one investigation, and their components. Any step may raise EngineError or BudgetSpent, a signal."""

    client: EngineClient
    library: DocumentIndex
    settings: MethodSettings
    sources: Sources
    stream: MemoryStream
    reread: Reread | None = None
    judge: SupportJudge | None = None

    def performed(self, step: Step, state: State) -> Iterator[Moment]:
        """Perform a step, and yield each state that must be stored."""
        match step:
            case Step.THINK:
                yield from self._think(state)
            case Step.SURVEY:
                yield self._survey(state)
            case Step.PLAN:
                yield from self._plan(state)
            case Step.ASK:
                yield from self._ask(state)
            case Step.REFLECT:
                yield from self._reflect(state)
            case Step.ANSWER:
                yield self._answer(state)

    def _think(self, state: State) -> Iterator[Moment]:
        """Determine what must be known and, if that saves time, make the first plan concurrently."""
        state = replace(state, cards=self.library.cards((state.run.question,)))
        yield state, None  # stored now, because the coverage needs the cards even if a ceiling prevents thinking
        if not state.bounds.thinks_and_plans_at_once:
            yield self._thought(state)
            return
        with concurrently(lambda: self._first_plan(state)) as first_plan:
            thought, event = self._thought(state)
            yield thought, event  # stored now, because the plan may fail
            plan = first_plan()
            yield replace(thought, first_plan=None if thought.run.kind.is_side_by_side else plan), None

    def _thought(self, state: State) -> Moment:
        thought = self._understood(state)
        is_count = thought.kind is QuestionKind.FACT and counted(state.run.question, self.library, bound=True)
        kind = QuestionKind.COUNT if is_count else thought.kind
        parts, wordings = thought.parts, tuple[str, ...]()
        if thought.kind is not QuestionKind.SUMMARY:  # a summary's unknown words may name a missing document
            parts, wordings = respelled_parts(parts, self.library.respelled)
        if any(part.side for part in parts):
            parts = tuple(at_newest(part, self.library.cards((part.question,))) for part in parts)
        run = state.run.changed(kind=kind, needs=thought.needs, parts=parts, wordings=wordings)
        return replace(state, run=run), Thought(needs=thought.needs, parts=parts, kind=kind)

    def _understood(self, state: State) -> Understood:
        run = state.run
        request = ThinkVariables(
            question=run.question,
            mission=run.mission,
            strategy=run.strategy,
            documents=() if run.scope else state.cards,  # the needs must not depend on the document of a matrix cell
            document_count=len(state.cards),
            term_frequencies=self.library.term_frequencies(run.question),
        )
        return think(self.client, request)

    def _survey(self, state: State) -> Moment:
        """Reach a verdict on every document from the index."""
        rows = surveyed(state.run.question, self.library)
        verdicts = [row.verdict for row in rows]
        event = Surveyed(
            documents=len(rows), yes=verdicts.count(RowVerdict.YES), unclear=verdicts.count(RowVerdict.UNCLEAR)
        )
        return replace(state, run=state.run.changed(survey=rows), first_plan=None), event

    def _first_plan(self, state: State) -> Proposal | None:
        """Return a plan made from the question's own words. Return None if a ceiling prevents it; the next step then
        reports the ceiling.
        """
        try:
            return self._proposal(state, own_words(state.run.question))
        except BudgetSpent:
            return None

    def _plan(self, state: State) -> Iterator[Moment]:
        """Choose the documents of the next round."""
        if state.unknown_infos and not state.follow_ups:
            state = replace(state, cards=self.library.cards((state.run.question, *state.unknown_infos[:3])))
            yield state, None
        proposal = state.first_plan or self._proposed(state)
        run = with_plan(state, proposal)
        event = Planned(
            round=len(run.rounds),
            strategy=proposal.strategy,
            steps=run.plan.steps[len(state.run.plan.steps) :],
            refused_document_ids=proposal.refused_document_ids,
        )
        yield replace(state, run=run, first_plan=None, follow_ups=()), event

    def _proposed(self, state: State) -> Proposal:
        """Return the plan for a round, which covers each part that is looked up separately, or the whole question."""
        run = state.run
        if run.kind.is_exhaustive:
            rows = to_be_read(run, self.settings.planner.steps * self.settings.rounds)
            return Proposal(
                _UNDECIDED, tuple(ProposedStep(document_id=row.document_id, purpose=run.question) for row in rows)
            )
        if run.kind is QuestionKind.SUMMARY and not run.rounds and not state.bounds.reads:
            return whole_documents(run.question, state.cards)
        if run.kind is QuestionKind.TREND and not run.rounds:
            documents = series(run.question, state.cards, state.bounds.worth_asking)
            if documents:
                return series_plan(run.parts[0].question if len(run.parts) == 1 else run.question, documents)
        questions = state.follow_ups or (() if state.run.rounds else self._asked_apart(state))
        if not questions:
            return self._proposal(state, state.run.needs)
        few = state.follow_ups or state.bounds.reads
        most = _FOLLOW_UP_DOCUMENTS if few else self.settings.planner.steps
        self.library.expect(questions)
        plans = [self._proposal(state, state.run.needs, question, most) for question in questions]
        steps = tuple(step for plan in plans for step in plan.steps)
        return Proposal(plans[0].strategy, steps, tuple(i for plan in plans for i in plan.refused_document_ids))

    def _asked_apart(self, state: State) -> tuple[str, ...]:
        """Return the parts to look up separately: all parts if calls are free, otherwise the sides of a comparison."""
        if state.bounds.reads:
            return tuple(part.question for part in state.run.parts if part.side)
        return tuple(part.question for part in state.run.parts if part.question != state.run.question)

    def _proposal(self, state: State, needs: tuple[Need, ...], question: str = "", most: int = 0) -> Proposal:
        run = state.run
        request = PlanVariables(
            question=question or run.question,
            mission=run.mission,
            strategy=run.strategy,
            needs=needs,
            documents=self.library.cards((question,)) if question else state.shown_cards,
            history=state.history,
            unknown_infos=state.unknown_infos,
            past_strategies=tuple(past.strategy for past in run.rounds),
            step_limit=most or self.settings.planner.steps,
        )
        if run.scope and len(state.document_ids) == 1 and not run.rounds and self.client.traits(Role.PLAN).is_model:
            return without_choice(request)
        is_apart = state.bounds.reads or run.kind is QuestionKind.TREND or bool(state.follow_ups)
        return propose(self.client, request, self.settings.planner, state.document_ids, opens_all=not is_apart)

    def _ask(self, state: State) -> Iterator[Moment]:
        """Ask the next documents their sub-questions concurrently; remember the replies in the order of the plan."""
        steps = prioritized(state.run.plan)[: how_many_to_ask(state)]
        questions = [sub_question(step, self.client.prompts) for step in steps]
        plan = state.run.plan
        for step in steps:
            plan = plan.with_status(step.plan_id, Status.DOING)
        state = replace(state, run=state.run.changed(plan=plan))
        yield state, None
        queries = [self._query(state, step) for step in steps]
        if state.run.kind is not QuestionKind.SUMMARY:  # passages for a summary do not depend on the sub-question
            self.library.expect(questions)

        def examine(index: int) -> Finding | BudgetSpent:
            try:
                return queries[index].examine(steps[index].document_id, questions[index])
            except BudgetSpent as spent:  # raised later, so that the other replies of this batch are remembered
                return spent

        spent: BudgetSpent | None = None
        findings = in_order(examine, range(len(steps)), state.bounds.workers)
        for done, (step, question, finding) in enumerate(zip(steps, questions, findings, strict=True), 1):
            if isinstance(finding, BudgetSpent):
                spent = finding
                continue
            memory = self.stream.add(step.document_id, question, finding)
            plan = state.run.plan.with_result(step.plan_id, memory.id).with_status(step.plan_id, Status.DONE)
            state = replace(state, run=state.run.changed(plan=plan, memories=tuple(self.stream)))
            yield state, self._remembered(state, memory, done, len(steps))
        if reason := spent.reason if spent is not None else self.client.no_repair_for:
            raise BudgetSpent(reason)

    def _query(self, state: State, step: PlanStep) -> DocumentQuery:
        run, most = state.run, self.settings.query.most_quotes
        apart = not self.client.traits(Role.ASK).decides  # the rules receive only the step's question
        question = step.purpose if apart and step.purpose else run.question
        tainted = frozenset(tainted_documents(run.memories))
        query = DocumentQuery(
            question, run.mission, run.needs, self.client, self.library, self.sources, most, tainted=tainted
        )
        asked = question if any(question == part.question for part in run.parts) else run.question
        is_alone, is_read = len(run.scope) == 1, read_by_small_model(run.kind, step, run.plan.steps, state.cards)
        return replace(query, kind=run.kind, table_question=asked, is_alone=is_alone, is_read=is_read)

    def _remembered(self, state: State, memory: Memory, done: int, total: int) -> Remembered:
        return Remembered(
            round=len(state.run.rounds),
            done=done,
            total=total,
            memory=memory,
            calls=self.client.usage().calls,
            seconds=round(self.client.elapsed(), 3),
        )

    def _reflect(self, state: State) -> Iterator[Moment]:
        """Determine what is known and what is still unknown."""
        run = state.run
        if state.scores_alike_now:
            engine = self.client.name(Role.ASK)
            yield state, Notice(text=f"{engine} gives all documents the same score; using the search scores instead.")
        knowledge = what_suffices(state)
        if knowledge is None:
            request = ReflectVariables(
                question=run.question, mission=run.mission, needs=run.needs, memories=state.history
            )
            knowledge = reflect(self.client, request)
        reflection = Reflection(round=len(run.rounds), knowledge=knowledge)
        run = with_reflection(state, reflection)
        state = replace(state, run=run, memories_reflected=len(run.memories))
        yield self._with_follow_ups(state), Reflected(reflection=reflection)

    def _with_follow_ups(self, state: State) -> State:
        """Return the state with the remaining follow-up questions, if no language model reads the documents."""
        if self.client.traits(Role.ASK).decides or state.run.kind is QuestionKind.SUMMARY:
            return state
        open_parts = [part for part in state.run.parts if not found_for(part, state.run, state.history)]
        state, best = searched_otherwise(state, open_parts, self.library)
        hops = [second_hop(part, found_for(part, state.run, state.history)) for part in state.run.parts]
        asked = [step.purpose for step in state.run.plan.steps]
        return replace(state, follow_ups=limited((*best, *hops), asked))

    def _missing(self, run: Investigation, cards: tuple[DocumentCard, ...]) -> tuple[MissingEdition, ...]:
        """Return the requested reports that the folder does not contain."""
        asked = [constraint for part in run.parts for constraint in part.constraints]
        return missing_editions(run.question, asked, cards, self._holds_a_word)

    def _holds_a_word(self, question: str) -> bool:
        return any(term.document_share for term in self.library.term_frequencies(question))

    def _answer(self, state: State) -> Moment:
        """Write the proven statements, as a table if the question asks for one, or report that the documents contain no
        answer.
        """
        run = as_one_figure(state.run, state.history, self.library.document)
        rows = self._rows(replace(state, run=run))
        if rows:
            return self._table(state, rows)
        writer = AnswerWriter(self.client, self.library.document, self.settings.answer, self.judge)
        stop, spent = reason_to_stop(state) or StopReason.ROUNDS, state.spent
        try:
            unknown = () if self.client.traits(Role.REFLECT).goes_by_measures else state.unknown_infos
            written = writer.write(run.question, run.mission, state.history, unknown)
        except BudgetSpent as ceiling:
            stop = spent = ceiling.reason
            written = writer.verbatim(state.history)
        is_read = self.client.traits(Role.ANSWER).decides
        if not is_read and run.kind is not QuestionKind.SUMMARY:
            written = with_all_found(run.parts, written, run.memories, self.library)
        checked = recheck(written.claims, run.question, self.reread)
        written = replace(written, claims=checked.claims, unproven=(*written.unproven, *checked.unproven))
        if not written.claims and not run.wordings:  # a model was asked only in the question's own words
            state, _ = searched_otherwise(state, run.parts, self.library)
            run = state.run
        found = verdict_of(run.parts, written, run.memories, self.library.document, is_read=is_read)
        found = not_overtaken(found, written.timed, self.library)
        against, gone = tuple[Conflict, ...](), checked.gone
        if not is_read:
            found, against, again = settled(found, run, state.history, self.library, self.reread)
            gone = tuple(dict.fromkeys((*gone, *again)))
        cards = self.library.cards((run.question,))
        found = of_asked_editions(found, run.question, self._missing(run, cards), cards)
        if run.kind is QuestionKind.SUMMARY and not is_read and found.claims:  # a summary may lack the question's words
            found = chosen_sentences(replace(found, claims=written.claims), by_model=written.by_model)
        found = with_older_text_marked(found, self.library.document)
        answer = concluded(
            run,
            stop,
            found,
            state.coverage,
            readings=written.readings,
            threshold=state.bounds.threshold,
            reworded=bool(run.wordings or found.near_misses) or not self._holds_a_word(run.question),
            nearest=() if found.claims else self.library.passages((run.question,))[:3],
        )
        bound = False if state.run.kind is QuestionKind.FACT else None  # bound things were counted in the thinking step
        if answer.status is not AnswerStatus.ANSWERED and (rows := counted(run.question, self.library, bound=bound)):
            return self._table(replace(state, run=run.changed(kind=QuestionKind.COUNT, survey=rows)), rows)
        among = disagreed(run, answer, state.history, self.library) if not against else ()
        if self.reread is not None:
            among, against = (standing_conflicts(one, self.reread) for one in (among, against))
            answer = answer.changed(near_misses=standing_near_misses(answer.near_misses, self.reread))
        answer = with_conflicts(
            answer.changed(
                decision=found.decision if answer.status is AnswerStatus.ANSWERED else None, conflicts=against
            ),
            among,
            self.settings.answer.precedence,
        )
        return replace(state, answer=without_changed_sources(answer, gone), spent=spent), None

    def _rows(self, state: State) -> tuple[TableRow, ...]:
        """Return the table rows of the answer, if any: documents, sides or periods."""
        run = state.run
        if run.kind.is_exhaustive:
            return with_readings(run, run.memories, state.bounds.threshold)
        if not run.kind.is_side_by_side:
            return ()
        rows = side_by_side(run, state.history, self.library.document, is_read=state.bounds.reads)
        return rows if any(row.quotes for row in rows) else ()

    def _table(self, state: State, rows: tuple[TableRow, ...]) -> Moment:
        """Return the answer as a table; the statements in its rows are proven like any other statements."""
        stop = StopReason.ANSWERED if state.run.kind.is_exhaustive else reason_to_stop(state)
        stop = state.spent or stop or StopReason.ROUNDS
        answer = table_answer(state.run, rows, stop, state.coverage, state.bounds.threshold, self.reread)
        return replace(state, answer=answer), None
