"""The method, on one screen: think, plan, ask, remember, select, reflect, plan again, answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import Field

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.engines.roles import Role
from investigator.evidence.coverage import coverage
from investigator.evidence.quotes import Sources
from investigator.records import (
    SUMMARY,
    Answer,
    Answered,
    Claim,
    Coverage,
    DocumentCard,
    Event,
    Finding,
    Investigation,
    Memory,
    Need,
    Notice,
    Planned,
    PlanStep,
    Record,
    Reflected,
    Reflection,
    Remembered,
    Round,
    Status,
    StopReason,
    Thought,
    UnprovenClaim,
)
from investigator.research.answer import AnswerSettings, AnswerWriter, concluded
from investigator.research.critical_thinking import CriticalThinking, own_words
from investigator.research.history_selector import HistorySelector
from investigator.research.memory_stream import MemoryStream
from investigator.research.planner import Planner, PlannerSettings, Proposal, continued
from investigator.research.query import Query, QuerySettings
from investigator.research.reflection import Reflector
from investigator.research.side_by_side import beside, in_order
from investigator.research.sufficiency import first_wave, known_from, suffices, worth_a_call
from investigator.research.tactical_planning import TacticalPlanning
from investigator.retrieval.library import Shelf
from investigator.scoring.calibration import default_calibration
from investigator.scoring.model_points import scores_alike, with_reliable_points


class MethodSettings(Record):
    """How long the method goes on and what it takes for knowledge."""

    rounds: int = Field(default=3, ge=1, le=50, description="rounds of planning, asking and reflecting, at most")
    threshold: int | None = Field(
        default=None,
        ge=0,
        le=100,
        description="point from which a reply counts; null: 50, and the calibrated one of the extractive engine",
    )
    worth_asking: float | None = Field(
        default=None, ge=0, le=1, description="match from which a document is worth asking; null: the calibrated one"
    )
    concurrency: int | None = Field(
        default=None, ge=1, le=256, description="documents asked side by side; null: as many as the engine can"
    )
    thrift: bool | None = Field(
        default=None,
        description="few calls: the likeliest documents first, hopeless ones not at all, and no more once proven "
        "evidence suffices; null: where a language model is asked",
    )
    planner: PlannerSettings = PlannerSettings()
    query: QuerySettings = QuerySettings()
    answer: AnswerSettings = AnswerSettings()


class Research:
    """One investigation under way. `case` is its record as it stands; `keep` writes it after each step.

    Everything is decided from the question, the library and the engines' replies, so that running it again over the
    same journal comes to the same plan, memories and answer.
    """

    def __init__(
        self,
        case: Investigation,
        client: EngineClient,
        library: Shelf,
        workspace: Path,
        settings: MethodSettings,
        keep: Callable[[Investigation], None],
        keep_memory: Callable[[Memory], None],
    ) -> None:
        self.case = case
        self._client = client
        self._library = library
        self._sources = Sources(library.document)
        self._workspace = workspace
        self._settings = settings
        self._threshold = client.traits(Role.ASK).threshold if settings.threshold is None else settings.threshold
        self._worth_asking = (
            default_calibration().worth_asking if settings.worth_asking is None else settings.worth_asking
        )
        self._keep = keep
        self._stream = MemoryStream(keep=keep_memory)
        self._history: tuple[Memory, ...] = ()
        self._cards: tuple[DocumentCard, ...] = ()
        self._stop: StopReason | None = None
        asking = client.traits(Role.ASK)
        self._workers = settings.concurrency or asking.concurrency
        self._thrift = asking.is_model if settings.thrift is None else settings.thrift
        self._doubted = False
        self._alike = False

    def run(self) -> Iterator[Event]:
        """Yield an event for each step; the last is Answered. Raises EngineError, TemplateError and StoreError."""
        answer: Answer | None = None
        while answer is None:
            try:
                yield from self._search()
            except BudgetSpent as spent:
                self._stop = spent.reason
            answer = self._answer(self._stop or StopReason.ROUNDS)
            if not answer.claims and self._stop is StopReason.ANSWERED and self._open_steps():
                self._stop, self._doubted, answer = None, True, None  # what seemed to suffice does not: ask the rest
        self._update(answer=answer)
        yield Answered(investigation=self.case)

    def _search(self) -> Iterator[Event]:
        if not self.case.rounds:
            yield from self._begin()
        while self._stop is None:
            yield from self._query()
            if self._stop is None:
                yield self._planned(self._planner(self.case.needs).propose())

    def _begin(self) -> Iterator[Event]:
        """What must be known, and the first plan; a language model works out both at once."""
        self._cards = self._library.cards((self.case.question,))
        if not (self._client.traits(Role.THINK).is_model and self._client.traits(Role.PLAN).is_model):
            yield self._thought(self._needs())
            yield self._planned(self._planner(self.case.needs).propose())
            return
        with beside(self._planner(own_words(self.case.question)).propose) as proposal:
            yield self._thought(self._needs())
            yield self._planned(proposal())

    def _thought(self, needs: tuple[Need, ...]) -> Event:
        self._update(needs=needs)
        return Thought(needs=needs)

    def _needs(self) -> tuple[Need, ...]:
        case = self.case
        frequencies = self._library.term_frequencies(case.question)
        return CriticalThinking(self._client).think(
            case.question, case.mission, case.strategy, self._cards, frequencies
        )

    def _planner(self, needs: tuple[Need, ...]) -> Planner:
        unknown = self.case.reflections[-1].unknown_infos if self.case.reflections else ()
        if unknown:
            self._cards = self._library.cards((self.case.question, *unknown[:3]))
        return Planner(
            self.case.question,
            self.case.mission,
            self.case.strategy,
            self._shown(),
            self._history,
            client=self._client,
            settings=self._settings.planner,
            needs=needs,
            unknown_infos=unknown,
            past_strategies=[past.strategy for past in self.case.rounds],
            known_ids=self._library.document_ids(),
        )

    def _planned(self, proposal: Proposal) -> Event:
        number = len(self.case.rounds) + 1
        plan = continued(self.case.plan, proposal, round_number=number)
        steps = plan.steps[len(self.case.plan.steps) :]
        if self._thrift and number == 1:  # a match says nothing of what a later round looks for
            worth = worth_a_call(steps, self._cards, self._worth_asking)
            for step in steps:
                if step not in worth:  # skimmed: done, without a result
                    plan = plan.with_status(step.plan_id, Status.DONE)
        refused = proposal.refused_document_ids
        this = Round(number=number, strategy=proposal.strategy, refused_document_ids=refused)
        self._update(plan=plan, rounds=(*self.case.rounds, this))
        return Planned(round=number, strategy=proposal.strategy, steps=steps, refused_document_ids=refused)

    def _query(self) -> Iterator[Event]:
        """Ask what is planned, in waves; stop between them where enough is known."""
        while True:
            steps = self._open_steps()
            careful = self._thrift and not self._doubted and not self._asked_in_this_round()
            yield from self._ask(first_wave(steps, self._cards, self._workers) if careful else len(steps))
            if not self._open_steps():
                yield from self._reflect()
                return
            if any(memory.quotes and not memory.addressed for memory in self._selected()):
                yield from self._reflect()
                if self._stop is not None:
                    return

    def _ask(self, number: int) -> Iterator[Event]:
        """Ask the next steps of the plan, that many, side by side; what they say is remembered in their order."""
        prompts = self._client.prompts
        summary, ask = prompts.path("tactical_planning/summary"), prompts.path("query/ask")
        tactics = TacticalPlanning(self.case.plan, self._workspace, summary, prompts=prompts)
        tasks = tactics.generate_questions(prompts.path("tactical_planning/question"), limit=number)
        self._update(plan=tactics.plan)
        queries = [self._asking(document_id) for _, document_id, _ in tasks]

        def examine(index: int) -> Finding | BudgetSpent:
            try:
                return queries[index].examine(ask, tasks[index][2])
            except BudgetSpent as spent:
                return spent

        spent: BudgetSpent | None = None
        findings = in_order(examine, range(len(tasks)), self._workers)
        for done, ((plan_id, _, question), query, finding) in enumerate(zip(tasks, queries, findings, strict=True), 1):
            if isinstance(finding, BudgetSpent):  # others that were asked beside it are remembered all the same
                spent = finding
                continue
            memory = query.remember(question, finding)
            tactics.finish(plan_id, memory.id)
            self._update(plan=tactics.plan, memories=tuple(self._stream))
            yield Remembered(
                round=len(self.case.rounds),
                done=done,
                total=len(tasks),
                memory=memory,
                calls=self._client.usage().calls,
                seconds=round(self._client.elapsed(), 3),
            )
        if reason := spent.reason if spent is not None else self._client.no_repair_for:
            raise BudgetSpent(reason)

    def _reflect(self) -> Iterator[Event]:
        known = {quote for memory in self._history for quote in memory.quotes}
        self._history = self._selected()
        learned = any(quote not in known for memory in self._history for quote in memory.quotes)
        if not self._alike and scores_alike(tuple(self._stream)):
            self._alike = True
            yield Notice(
                text=f"{self._client.name(Role.ASK)} gives all documents one point: those of the search count."
            )
        case, number = self.case, len(self.case.rounds)
        if self._thrift and not self._doubted and suffices(case.question, case.needs, self._history, self._titles()):
            reflection = Reflection(round=number, knowledge=known_from(case.needs, self._history))
        else:
            reflection = Reflector(self._client).reflect(case.question, case.mission, case.needs, self._history, number)
        learned = learned or case.rounds[-1].learned
        rounds = (*case.rounds[:-1], case.rounds[-1].changed(learned=learned))
        self._update(rounds=rounds, reflections=(*case.reflections, reflection))
        self._stop = self._reason_to_stop(learned, bool(reflection.unknown_infos))
        yield Reflected(reflection=reflection)

    def _reason_to_stop(self, learned: bool, unknown: bool) -> StopReason | None:
        """A round that taught nothing ends the search, unless nothing at all is known and something is left to ask."""
        if self._history and not unknown:
            return StopReason.ANSWERED
        if self._open_steps():
            return None
        if not self._asked_in_this_round() or (not learned and (self._history or not self._coverage().not_opened)):
            return StopReason.SATURATED
        return StopReason.ROUNDS if len(self.case.rounds) >= self._settings.rounds else None

    def _answer(self, stop: StopReason) -> Answer:
        unknown = self.case.reflections[-1].unknown_infos if self.case.reflections else ()
        writer = AnswerWriter(self._client, self._settings.answer)
        history = self._selected()
        claims: tuple[Claim, ...] = ()
        unproven: tuple[UnprovenClaim, ...] = ()
        try:
            claims, unproven = writer.write(self.case.question, self.case.mission, history, unknown)
        except BudgetSpent as spent:
            stop, claims = spent.reason, writer.verbatim(history)
        return concluded(
            self.case.question,
            stop,
            claims,
            unproven,
            self._coverage(),
            threshold=self._threshold,
            nearest=() if claims else self._library.passages((self.case.question,))[:3],
            memories=tuple(self._stream),
            engine=self.case.engine,
        )

    def _selected(self) -> tuple[Memory, ...]:
        """The memories worth keeping in mind, by the points that count."""
        return HistorySelector(with_reliable_points(tuple(self._stream))).select(self._threshold)

    def _open_steps(self) -> tuple[PlanStep, ...]:
        return tuple(step for step in self.case.plan.steps if step.status is not Status.DONE)

    def _asked_in_this_round(self) -> bool:
        return any(step.result_ids for step in self.case.plan.steps if step.round == len(self.case.rounds))

    def _titles(self) -> dict[str, str]:
        return {card.document_id: f"{card.title} {card.document_id}" for card in self._cards}

    def _asking(self, document_id: str) -> Query:
        return Query(
            document_id,
            self.case.question,
            self._stream,
            self._workspace,
            client=self._client,
            library=self._library,
            sources=self._sources,
            mission=self.case.mission,
            needs=self.case.needs,
            settings=self._settings.query,
        )

    def _shown(self) -> tuple[DocumentCard, ...]:
        """The cards with how often each document was asked; those not asked yet come first."""
        asked = [step.document_id for step in self.case.plan.steps]
        cards = [card.changed(asked=asked.count(card.document_id)) for card in self._cards]
        return tuple(sorted(cards, key=lambda card: card.asked > 0))

    def _coverage(self) -> Coverage:
        ids = self._library.document_ids()
        done = {step.document_id for step in self.case.plan.steps if step.result_ids}
        worth = [card.document_id for card in self._cards if card.match >= self._worth_asking]
        planned = [step.document_id for step in self._open_steps() if step.document_id != SUMMARY]
        return coverage(ids, done & set(ids), (*worth, *planned), self._library.unreadable(), searched=True)

    def _update(self, **changes: object) -> None:
        self.case = self.case.changed(**changes, usage=self._client.usage(), elapsed=self._client.elapsed())
        self._keep(self.case)
