"""Compares the files that an answer cites with the index before the answer is returned, and rereads those that have
changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from investigator.documents.fresh import FreshDocument, FreshReading
from investigator.errors import DamagedDocumentError
from investigator.records import Document
from investigator.retrieval.sources import CorpusView


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
