"""The method, on one screen: plan, ask, remember, answer, check, and plan again (seed: generative_agents).

`state.next_step` chooses the next step and `steps` performs it; the loop stores the record and yields events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from investigator.asking.budget import BudgetSpent
from investigator.asking.client import EngineClient
from investigator.engines.base import guessed_tokens
from investigator.engines.roles import Role
from investigator.proof.quotes import Sources
from investigator.proof.standing import Reread
from investigator.records import Answered, Event, Investigation, Memory
from investigator.research.conclusion import concluded
from investigator.research.memory_stream import MemoryStream
from investigator.research.research_settings import Effort, ResearchSettings
from investigator.research.state import State, next_step
from investigator.research.steps import Steps
from investigator.retrieval.library import Library

_MOST_DOCUMENTS = 300
"""A folder with more documents is not measured, because it is hardly small enough to be read whole."""


@dataclass(frozen=True)
class Research:
    """The components of an investigation.

    `keep` stores the record after each step, and `keep_memory` stores each memory before it is used. `reread` reads
    documents again from their files to look up the quotes of an answer; without it, they are not looked up. Without
    `is_checked`, statements stay unchecked. Everything else depends only on the question, the library
    and the engines' replies, so running it again on the same journal gives the same plan, memories and answer: this is
    how a run is resumed and replayed.
    """

    client: EngineClient
    library: Library
    settings: ResearchSettings
    keep: Callable[[Investigation], None] = lambda _: None
    keep_memory: Callable[[Memory], None] = lambda _: None
    reread: Reread | None = None
    is_checked: bool = True

    def events(self, run: Investigation) -> Iterator[Event]:
        """Yield an event for each step; the last is Answered. Raises EngineError, TemplateError and StoreError."""
        library = self.library.within(run.setup.scope)
        sources, stream = Sources(library.document), MemoryStream(keep=self.keep_memory)
        workers = self.settings.concurrency or self.client.concurrency(Role.ASK)
        steps = Steps(self.client, library, self.settings, sources, stream, workers)
        state = State(
            run,
            self.settings,
            library.document_ids(),
            library.unreadable(),
            library.left_out(),
            fits=self._fits(library),
            is_checked=self.is_checked,
        )
        while (step := next_step(state)) is not None:
            try:
                for moment, event in steps.performed(step, state):
                    state = self._kept(moment)
                    if event is not None:
                        yield event
            except BudgetSpent as spent:
                state = replace(state, spent=spent.reason)
            state = replace(state, last=step)
        answer = concluded(state, library, self.reread, self.client.name(Role.CHECK))
        run = state.run.changed(answer=answer, parts=answer.parts or state.run.parts)
        yield Answered(investigation=self._kept(replace(state, run=run)).run)

    def _fits(self, library: Library) -> bool:
        """Return True if the whole folder fits into a third of the reader's context and below the setting."""
        names, room = library.document_ids(), self.client.room(Role.ASK)
        most = min(self.settings.whole_tokens, (room or 3 * self.settings.whole_tokens) // 3)
        if not most or len(names) > _MOST_DOCUMENTS or self.settings.effort is Effort.QUICK:
            return False
        tokens = (guessed_tokens(library.document(name).text) for name in names)
        return all(total <= most for total in accumulate(tokens))

    def _kept(self, state: State) -> State:
        cost = {"usage": self.client.usage(), "elapsed": self.client.elapsed()}
        answer = state.run.answer and state.run.answer.changed(run=state.run.answer.run.changed(**cost))
        run = state.run.changed(**cost, answer=answer)
        self.keep(run)
        return replace(state, run=run)
