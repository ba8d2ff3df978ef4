"""Wraps the search of an Investigator as a LangChain retriever."""

from __future__ import annotations

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import run_in_executor
from pydantic import Field

from investigator.investigator import Investigator
from investigator.langchain.runnable import LONGEST_WAIT, folder_turn
from investigator.language.addressed import addresses_model
from investigator.language.addresses import holds_address
from investigator.records import SearchHit
from investigator.reports.inert import inert_prose


class InvestigatorRetriever(BaseRetriever):  # type: ignore[misc]
    """Finds the `k` chunks in the folder that best match a query, using keyword and vector search, without a language
    model. The metadata has the fields `source` (the path relative to the folder), `page` and `line` (from 1; `page` is
    None if the format has no pages), `start` and `end` (characters of the text that was read), `score` (0..1,
    comparable within one query), `holds_address` and `speaks_to_model`. Addresses and markup in the text are escaped so
    that no program renders them as links; with `verbatim=True` the text is unchanged. `invoke` accepts a different `k`
    for one call. It raises QuestionError for an empty query, FolderError, WorkspaceLockedError, EngineError and
    StoreError.
    """

    investigator: Investigator = Field(exclude=True)
    k: int = Field(default=10, ge=1)
    verbatim: bool = False
    longest_wait: float = Field(default=LONGEST_WAIT, gt=0)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        with folder_turn(self.investigator, self.longest_wait):
            hits = self.investigator.search(query, limit=self.k if k is None else k)
        return [self._document(hit) for hit in hits]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        documents: list[Document] = await run_in_executor(
            None, self._get_relevant_documents, query, run_manager=run_manager.get_sync(), k=k
        )
        return documents

    def _document(self, hit: SearchHit) -> Document:
        passage = hit.passage
        metadata = {name: getattr(passage, name) for name in ("page", "line", "start", "end", "score")}
        metadata |= {"source": passage.document_id, "holds_address": holds_address(passage.text)}
        return Document(
            id=f"{passage.document_id}:{passage.start}-{passage.end}",
            page_content=passage.text if self.verbatim else inert_prose(passage.text),
            metadata={**metadata, "speaks_to_model": bool(addresses_model(passage.text))},
        )
