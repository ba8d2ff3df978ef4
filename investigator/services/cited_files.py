"""Reads the files that an answer cites again before it is returned, and compares them with the index."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from investigator.documents.fresh import FreshDocument, FreshReading
from investigator.engines.embedding.verifiers import SupportJudge
from investigator.errors import DamagedDocumentError
from investigator.evidence.claims import prove
from investigator.evidence.standing import Rechecked
from investigator.records import Answer, Claim
from investigator.research.answer import cited_text, is_supported
from investigator.retrieval.sources import CorpusView


class CitedFiles:
    """Reads cited documents again; `drifted` lists those whose file differs from the index."""

    def __init__(self, fresh: FreshReading, corpus: CorpusView) -> None:
        self._fresh = fresh
        self._corpus = corpus
        self.drifted: set[str] = set()

    def reread(self, document_ids: Collection[str]) -> Mapping[str, FreshDocument]:
        """Return the documents as their files are now. Raises FolderError and ReaderError."""
        found = self._fresh.documents(document_ids)
        self.drifted |= {document_id for document_id, now in found.items() if not self._same(document_id, now)}
        return found

    def damage(self) -> DamagedDocumentError:
        """Return the error that names the drifted documents."""
        named = tuple(sorted(self.drifted))
        message = f"the files and the index differ for {', '.join(named)}"
        return DamagedDocumentError(message, document_ids=named)

    def _same(self, document_id: str, fresh: FreshDocument) -> bool:
        try:
            return fresh.document == self._corpus.document(document_id)
        except (KeyError, DamagedDocumentError):
            return fresh.document is None


def is_as_checked(answer: Answer, checked: Rechecked, judge: SupportJudge | None) -> bool:
    """Return True if each claim of a stored answer is still at its place, and the text is unchanged.

    Supported claims are judged again. Raises EmbedderError.
    """
    if checked.claims != answer.claims or answer.text != cited_text(answer.claims):
        return False
    return all(_stands(claim, answer.question, judge) for claim in answer.claims)


def _stands(claim: Claim, question: str, judge: SupportJudge | None) -> bool:
    check = prove(claim.text, claim.quotes, given=question)
    if not claim.supported_by:
        return check.is_proven
    if judge is None or judge.name != claim.supported_by:
        return False
    return is_supported(claim.text, claim.quotes, check, judge)
