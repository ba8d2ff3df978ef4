"""The method, on one screen: think, plan, ask, remember, select, reflect, plan again, answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pydantic import Field

from investigator.calibration import shipped
from investigator.engines.roles import Role
from investigator.evidence.coverage import coverage
from investigator.evidence.quotes import Sources
from investigator.records import (
    SUMMARY,
    Answered,
    Coverage,
    DocumentCard,
    Event,
    Investigation,
    Memory,
    Planned,
    Record,
    Reflected,
    Remembered,
    Round,
    Status,
    StopReason,
    Thought,
)
from investigator.research.answer import AnswerSettings, AnswerWriter, concluded
from investigator.research.budget import BudgetSpent
from investigator.research.critical_thinking import CriticalThinking
from investigator.research.desk import Desk
from investigator.research.history_selector import HistorySelector
from investigator.research.memory_stream import MemoryStream
from investigator.research.planner import Planner, PlannerSettings, continued
from investigator.research.query import Finding, Query, QuerySettings
from investigator.research.reflection import Reflector
from investigator.research.side_by_side import in_order
from investigator.research.tactical_planning import TacticalPlanning
from investigator.retrieval.library import Shelf


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
    concurrency: int = Field(default=4, ge=1, le=64, description="documents that are asked side by side")
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
        desk: Desk,
        library: Shelf,
        workspace: Path,
        settings: MethodSettings,
        keep: Callable[[Investigation], None],
        keep_memory: Callable[[Memory], None],
    ) -> None:
        self.case = case
        self._desk = desk
        self._library = library
        self._sources = Sources(library.document)
        self._workspace = workspace
        self._settings = settings
        self._threshold = desk.traits(Role.ASK).threshold if settings.threshold is None else settings.threshold
        self._worth_asking = shipped().worth_asking if settings.worth_asking is None else settings.worth_asking
        self._keep = keep
        self._stream = MemoryStream(keep=keep_memory)
        self._history: tuple[Memory, ...] = ()
        self._cards: tuple[DocumentCard, ...] = ()
        self._stop: StopReason | None = None

    def run(self) -> Iterator[Event]:
        """Yield an event for each step; the last is Answered. Raises EngineError, TemplateError and StoreError."""
        try:
            yield self._think()
            while self._stop is None:
                yield self._plan()
                yield from self._query()
                yield self._reflect()
        except BudgetSpent as spent:
            self._stop = spent.reason
        yield self._answer(self._stop or StopReason.ROUNDS)

    def _think(self) -> Event:
        self._cards = self._library.cards((self.case.question,))
        frequencies = self._library.term_frequencies(self.case.question)
        thinking = CriticalThinking(self._desk)
        needs = thinking.think(self.case.question, self.case.mission, self.case.strategy, self._cards, frequencies)
        self._update(needs=needs)
        return Thought(needs=needs)

    def _plan(self) -> Event:
        number = len(self.case.rounds) + 1
        unknown = self.case.reflections[-1].unknown_infos if self.case.reflections else ()
        if unknown:
            self._cards = self._library.cards((self.case.question, *unknown[:3]))
        planner = Planner(
            self.case.question,
            self.case.mission,
            self.case.strategy,
            self._shown(),
            self._history,
            desk=self._desk,
            settings=self._settings.planner,
            needs=self.case.needs,
            unknown_infos=unknown,
            past_strategies=[past.strategy for past in self.case.rounds],
            known_ids=self._library.document_ids(),
        )
        proposal = planner.propose()
        plan = continued(self.case.plan, proposal, round_number=number)
        steps = plan.steps[len(self.case.plan.steps) :]
        refused = proposal.refused_document_ids
        this = Round(number=number, strategy=proposal.strategy, refused_document_ids=refused)
        self._update(plan=plan, rounds=(*self.case.rounds, this))
        return Planned(round=number, strategy=proposal.strategy, steps=steps, refused_document_ids=refused)

    def _query(self) -> Iterator[Event]:
        prompts = self._desk.prompts
        summary, ask = prompts.path("tactical_planning/summary"), prompts.path("query/ask")
        tactics = TacticalPlanning(self.case.plan, self._workspace, summary, prompts=prompts)
        tasks = tactics.generate_questions(prompts.path("tactical_planning/question"))
        self._update(plan=tactics.plan)
        queries = [self._asking(document_id) for _, document_id, _ in tasks]

        def examine(index: int) -> Finding:
            return queries[index].examine(ask, tasks[index][2])

        findings = in_order(examine, range(len(tasks)), self._settings.concurrency)
        for done, ((plan_id, _, question), query, finding) in enumerate(zip(tasks, queries, findings, strict=True), 1):
            memory = query.remember(question, finding)
            tactics.finish(plan_id, memory.id)
            self._update(plan=tactics.plan, memories=tuple(self._stream))
            yield Remembered(
                round=len(self.case.rounds),
                done=done,
                total=len(tasks),
                memory=memory,
                calls=self._desk.usage().calls,
                seconds=round(self._desk.elapsed(), 3),
            )

    def _reflect(self) -> Event:
        known = {quote for memory in self._history for quote in memory.quotes}
        self._history = HistorySelector(self._stream).select(self._threshold)
        learned = any(quote not in known for memory in self._history for quote in memory.quotes)
        number = len(self.case.rounds)
        reflector = Reflector(self._desk)
        reflection = reflector.reflect(self.case.question, self.case.mission, self.case.needs, self._history, number)
        rounds = (*self.case.rounds[:-1], self.case.rounds[-1].model_copy(update={"learned": learned}))
        self._update(rounds=rounds, reflections=(*self.case.reflections, reflection))
        self._stop = self._reason_to_stop(learned, bool(reflection.unknown_infos))
        return Reflected(reflection=reflection)

    def _reason_to_stop(self, learned: bool, unknown: bool) -> StopReason | None:
        """A round that taught nothing ends the search, unless nothing at all is known and something is left to ask."""
        asked = any(step.round == len(self.case.rounds) for step in self.case.plan.steps)
        if self._history and not unknown:
            return StopReason.ANSWERED
        if not asked or (not learned and (self._history or not self._coverage().not_opened)):
            return StopReason.SATURATED
        return StopReason.ROUNDS if len(self.case.rounds) >= self._settings.rounds else None

    def _answer(self, stop: StopReason) -> Event:
        unknown = self.case.reflections[-1].unknown_infos if self.case.reflections else ()
        history = HistorySelector(self._stream).select(self._threshold)
        writer = AnswerWriter(self._desk, self._settings.answer)
        claims, unproven = writer.write(self.case.question, self.case.mission, history, unknown)
        answer = concluded(
            self.case.question,
            stop,
            claims,
            unproven,
            self._coverage(),
            threshold=self._threshold,
            nearest=() if claims else self._library.passages((self.case.question,))[:3],
            searched=tuple(dict.fromkeys(memory.question for memory in self._stream)),
            engine=self.case.engine,
        )
        self._update(answer=answer)
        return Answered(investigation=self.case)

    def _asking(self, document_id: str) -> Query:
        return Query(
            document_id,
            self.case.question,
            self._stream,
            self._workspace,
            desk=self._desk,
            library=self._library,
            sources=self._sources,
            mission=self.case.mission,
            needs=self.case.needs,
            settings=self._settings.query,
        )

    def _shown(self) -> tuple[DocumentCard, ...]:
        """The cards with how often each document was asked; those not asked yet come first."""
        asked = [step.document_id for step in self.case.plan.steps]
        cards = [card.model_copy(update={"asked": asked.count(card.document_id)}) for card in self._cards]
        return tuple(sorted(cards, key=lambda card: card.asked > 0))

    def _coverage(self) -> Coverage:
        ids = self._library.document_ids()
        done = {step.document_id for step in self.case.plan.steps if step.status is Status.DONE}
        worth = [card.document_id for card in self._cards if card.match >= self._worth_asking]
        planned = [step.document_id for step in self.case.plan.steps if step.document_id != SUMMARY]
        return coverage(ids, done & set(ids), (*worth, *planned), self._library.unreadable(), searched=True)

    def _update(self, **changes: object) -> None:
        self.case = self.case.model_copy(update={**changes, "usage": self._desk.usage()})
        self._keep(self.case)
