"""A run that is open in a folder: its record, its journal, and the client that its calls go through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from investigator.asking.budget import Budget, BudgetSettings
from investigator.asking.client import EngineClient
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.records import Event, Investigation, Started
from investigator.services.cited_files import CitedFiles
from investigator.services.parts import Parts
from investigator.store.database import Database
from investigator.store.journal import Journal, Run
from investigator.tracing.base import RunTrace


@dataclass(frozen=True)
class OpenRun:
    """A run, its record as it begins, and the files that it cites. `reuse` allows replies that other runs paid for."""

    run: Run
    record: Investigation
    database: Database
    parts: Parts
    engines: Mapping[Role, Engine]
    cited: CitedFiles
    trace: RunTrace
    reuse: bool

    @cached_property
    def journal(self) -> Journal:
        """Return the journal of the run."""
        return self.parts.journal(self.database, self.run.id, reuse=self.reuse)

    def client(self, *, budget: BudgetSettings | None = None, joint: Budget | None = None) -> EngineClient:
        """Return a client whose calls are journaled and traced; the arguments are as for `Parts.client`."""
        return self.parts.client(
            self.engines, self.journal, budget=budget, trace=self.trace, joint=joint, day=self.record.setup.day
        )

    def started(self, documents: int) -> Iterator[Event]:
        """Yield the notices so far, and the event that begins the run over a number of documents.

        A cross-encoder that checks statements is tried before anything is paid for. Raises EmbedderError.
        """
        judge = self.parts.judge()
        if judge is not None:
            judge.check()
        yield from self.parts.notices()
        engine = self.record.setup.engine
        yield Started(run_id=self.run.id, engine=engine, documents=documents, resumed=self.run.resumed)
