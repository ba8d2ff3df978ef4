"""Reads the documents of a plan side by side: one call per document, or one for several if all are read or decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller
from typing import NamedTuple

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_ask
from investigator.engines.roles import Role
from investigator.proof.quotes import Sources
from investigator.records import AskReply, AskVariables, PlanStep, Reading, Remembered, Status, Verdict
from investigator.research.concurrency import in_order
from investigator.research.memory_stream import MemoryStream
from investigator.research.query import Query, examined, readings_in
from investigator.research.research_settings import ResearchSettings
from investigator.research.shown_documents import shown_document
from investigator.research.state import State
from investigator.research.survey import batches, survey_limits
from investigator.research.tactical_planning import TacticalPlanning
from investigator.retrieval.library import Library


class Work(NamedTuple):
    """A call that reads the documents of some steps, and the question that it puts to each of them. It returns the
    reading of the only document, or those of all documents in order.
    """

    steps: Sequence[PlanStep]
    question: str
    call: Callable[[], Reading | Sequence[Reading]]


@dataclass(frozen=True)
class Readers:
    """Reads documents for the open steps of a plan, with at most `workers` calls at the same time."""

    client: EngineClient
    library: Library
    settings: ResearchSettings
    sources: Sources
    stream: MemoryStream
    workers: int

    def read(self, state: State) -> Iterator[tuple[State, Remembered]]:
        """Yield the state after each reading, which is remembered first; readings come in the order of the plan.

        Raises EngineError, TemplateError, StoreError, and the signal BudgetSpent.
        """
        total, done = len(state.open_steps), 0
        is_together = len(state.run.rounds) == 1 and (state.fits or state.surveys or state.is_quick)
        work = list(self._together(state) if is_together else self._one_by_one(state))
        with closing(in_order(methodcaller("call"), work, self.workers)) as results:
            for entry, readings in zip(work, results, strict=True):
                every = (readings,) if isinstance(readings, Reading) else readings
                for step, reading in zip(entry.steps, every, strict=True):
                    done += 1
                    memory = self.stream.add(step.document_id, entry.question, reading)
                    plan = state.run.plan.with_result(step.plan_id, memory.id).with_status(step.plan_id, Status.DONE)
                    state = replace(state, run=state.run.changed(plan=plan, memories=(*state.run.memories, memory)))
                    cost = {"calls": self.client.usage().calls, "seconds": self.client.elapsed()}
                    yield state, Remembered(round=step.round, done=done, total=total, memory=memory, **cost)

    def _one_by_one(self, state: State) -> Iterator[Work]:
        run, prompts = state.run, self.client.prompts
        names = [step.document_id for step in state.open_steps]
        tactics = TacticalPlanning(run.plan, "", prompts.path("tactical_planning/summary"), prompts=prompts)
        for plan_id, document_id, question in tactics.generate_questions(prompts.path("tactical_planning/question")):
            query = Query(
                document_id,
                run.full_question,
                self.stream,
                "",
                client=self.client,
                library=self.library,
                sources=self.sources,
                mission=run.setup.mission,
                wordings=state.searched,
                limits=self.settings.query.limits(-(-len(run.parts) // names.count(document_id)), len(names)),
            )
            yield Work((run.plan.step(plan_id),), question, partial(query.examine, question))

    def _together(self, state: State) -> Iterator[Work]:
        run, steps = state.run, {step.document_id: step for step in state.open_steps}
        limits = self.settings.query.limits()
        if state.fits:
            longest = max((len(self.library.document(name).text) for name in steps), default=0)
            limits = limits.changed(whole_characters=longest)
        elif state.surveys:
            limits = survey_limits(len(steps), self.settings.survey_tokens)
        matches = {card.document_id: card.match for card in state.cards}
        names = sorted(steps)  # in a fixed order, so that a provider's cache of the prompt holds for the next question
        shown = (
            shown_document(self.library, name, state.searched, "", limits, match=matches.get(name)) for name in names
        )
        for batch in batches(shown, self.client.room(Role.ASK), limits.characters):
            variables = AskVariables(
                main_question=run.full_question,
                mission=run.setup.mission,
                scope=run.decides,
                documents=batch,
                most_quotes=limits.most_quotes,
            )
            own = [steps[document.document_id] for document in batch]
            yield Work(own, run.full_question, partial(self._examined, variables, state))

    def _examined(self, variables: AskVariables, state: State) -> Sequence[Reading]:
        """Return what each document says; if every one must be decided, those left unclear are read once more, with
        more of their text.
        """
        reply = self.client.ask("query/ask", variables, AskReply, smaller=less_to_ask)
        readings = list(readings_in(reply, variables, self.sources))
        documents = variables.documents
        unclear = [
            place
            for place, reading in enumerate(readings)
            if state.surveys and reading.verdict is Verdict.IN_PART and not documents[place].whole
        ]
        if unclear:
            shown = (
                shown_document(
                    self.library, documents[place].document_id, state.searched, "", self.settings.query.limits()
                )
                for place in unclear
            )
            again: list[Reading] = []
            for batch in batches(shown, self.client.room(Role.ASK), self.settings.query.characters):
                again += examined(self.client, self.sources, variables.changed(documents=batch))
            for place, reading in zip(unclear, again, strict=True):
                readings[place] = readings[place] if reading.verdict is Verdict.UNREAD else reading
        return readings
