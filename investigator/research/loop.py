"""The method, on one screen: think, plan, ask, remember, reflect, plan again, answer (seed: generative_agents).

`state.next_step` chooses the next step and `steps` performs it; the loop stores the record and yields events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.engines.embedding.verifiers import SupportJudge
from investigator.engines.roles import Role
from investigator.evidence.quotes import Sources
from investigator.evidence.standing import Reread
from investigator.records import Answered, Event, Investigation, Memory, Part
from investigator.research.asking_policy import AskAll, FewCalls
from investigator.research.follow_ups import respelled_parts
from investigator.research.memory_stream import MemoryStream
from investigator.research.method_settings import MethodSettings
from investigator.research.state import Bounds, State, next_step
from investigator.research.steps import Steps
from investigator.retrieval.library import DocumentIndex
from investigator.retrieval.scoped import within
from investigator.scoring.calibration import default_calibration


@dataclass(frozen=True)
class Research:
    """The components of an investigation.

    `keep` stores the record after each step, and `keep_memory` stores each memory before it is used. `reread` reads
    documents again from their files to look up the quotes of an answer; without it, the quotes are looked up in the
    library. `judge` decides claims that the rules cannot check, even in a replay. Everything else depends only on the
    question, the library and the engines' replies, so running it again on the same journal gives the same plan,
    memories and answer: this is how a run is resumed and replayed.
    """

    client: EngineClient
    library: DocumentIndex
    settings: MethodSettings
    keep: Callable[[Investigation], None] = lambda _: None
    keep_memory: Callable[[Memory], None] = lambda _: None
    reread: Reread | None = None
    judge: SupportJudge | None = None

    def investigate(self, run: Investigation) -> Iterator[Event]:
        """Yield an event for each step; the last is Answered. Raises EngineError, TemplateError and StoreError."""
        library = within(self.library, run.scope)
        (asked,), _ = respelled_parts((Part(question=run.question),), library.respelled)
        settled = bounds(self.settings, self.client, library.threshold(asked.question))
        sources, stream = Sources(library.document), MemoryStream(keep=self.keep_memory)
        steps = Steps(self.client, library, self.settings, sources, stream, self.reread, self.judge)
        state = State(run, settled, library.document_ids(), library.unreadable(), library.left_out())
        while (step := next_step(state)) is not None:
            try:
                for moment, event in steps.performed(step, state):
                    state = self._kept(moment)
                    if event is not None:
                        yield event
            except BudgetSpent as spent:
                state = replace(state, spent=spent.reason)
            state = replace(state, last=step)
        run = self._kept(replace(state, run=state.run.changed(answer=state.answer))).run
        yield Answered(investigation=run)

    def _kept(self, state: State) -> State:
        cost = {"usage": self.client.usage(), "elapsed": self.client.elapsed()}
        answer = state.run.answer and state.run.answer.changed(run_id=state.run.id, **cost)
        run = state.run.changed(**cost, answer=answer)
        self.keep(run)
        return replace(state, run=run)


def bounds(settings: MethodSettings, client: EngineClient, usual_threshold: int) -> Bounds:
    """Fill in unset settings according to the kind of engine; `usual_threshold` is the threshold of the built-in
    engine.
    """
    asked = client.traits(Role.ASK)
    threshold = asked.threshold if asked.decides else usual_threshold
    # threads that compute in Python only wait for each other
    workers = settings.concurrency or (1 if asked.goes_by_measures else asked.concurrency)
    bar = default_calibration().worth_asking if settings.worth_asking is None else settings.worth_asking
    few_calls = asked.is_model if settings.thrift is None else settings.thrift
    few_calls = few_calls and asked.decides  # the rules need no calls, and a small model reads few documents anyway
    return Bounds(
        rounds=settings.rounds,
        threshold=threshold if settings.threshold is None else settings.threshold,
        worth_asking=bar,
        workers=workers,
        policy=FewCalls(workers, bar) if few_calls else AskAll(),
        reads=asked.decides,
        thinks_and_plans_at_once=all(client.traits(role).is_model for role in (Role.THINK, Role.PLAN)),
    )
