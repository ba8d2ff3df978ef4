"""A run that is open in a folder: its record, its journal, the client of its calls, and the files that it cites."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from investigator.asking.budget import Budget, BudgetSettings
from investigator.asking.client import EngineClient
from investigator.documents.fresh import FreshDocument, FreshReading
from investigator.engines.base import Engine
from investigator.engines.roles import Role
from investigator.errors import DamagedDocumentError
from investigator.records import Document, Event, Investigation, Started
from investigator.retrieval.sources import CorpusView
from investigator.services.parts import Parts
from investigator.store.database import Database
from investigator.store.journal import Journal, Run
from investigator.tracing.base import RunTrace


class CitedFiles:
    """Compares cited documents with their files; `drifted` lists the documents that differ from the index.

    If the bytes of a file are unchanged, its text is read from the index, where a checksum protects it.
    """

    def __init__(self, fresh: FreshReading, corpus: CorpusView) -> None:
        self._fresh = fresh
        self._corpus = corpus
        self.drifted: set[str] = set()

    def reread(self, document_ids: Collection[str]) -> Mapping[str, FreshDocument]:
        """Return the given documents, read again from their files. Raises FolderError and ReaderError."""
        held = {name: self._held(name) for name in document_ids}
        fresh = self._fresh.documents(document_ids, [document for document in held.values() if document is not None])
        self.drifted |= {name for name, now in fresh.items() if now.document != held[name]}
        return fresh

    def damage(self) -> DamagedDocumentError:
        """Return the error that names the drifted documents."""
        named = tuple(sorted(self.drifted))
        message = f"the files and the index differ for {', '.join(named)}"
        return DamagedDocumentError(message, document_ids=named)

    def _held(self, document_id: str) -> Document | None:
        try:
            return self._corpus.document(document_id)
        except (KeyError, DamagedDocumentError):
            return None


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

        A cross-encoder that checks statements is tried before anything is paid for. Raises EngineError.
        """
        judge = self.parts.judge()
        if judge is not None:
            judge.check()
        yield from self.parts.notices()
        engine = self.record.setup.engine
        yield Started(run_id=self.run.id, engine=engine, documents=documents, resumed=self.run.resumed)
