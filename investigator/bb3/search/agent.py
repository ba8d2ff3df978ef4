"""Provides an agent that answers with search results, and a search that makes up documents (seed: bb3_agents)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.client import SearchServer
from investigator.bb3.search.document_text import titled
from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message

_SEARCH = "search"
_DOCUMENTS = 5


class MadeUpSearch:
    """Returns as many documents as requested for any query, so that a chat can be tried without a server."""

    def search(self, query: str, count: int) -> tuple[SearchDocument, ...]:
        return tuple(
            SearchDocument(title=f"title_{i}", text=f'content {i} for query "{query}"', url=f"url_{i}")
            for i in range(count)
        )


class SearchAgent(Agent):
    """Treats each message as a query and answers with documents, one per line, as `title | text`. Options: `server` (an
    address, or `test` to invent documents), `raw_server` (an address that overrides `server`), `n_docs` (number of
    documents), and `intra_doc_delimiter` (separates the lines of a document). In the reply, `top_docs` contains the
    lines and `urls` contains the addresses of the documents. Raises SettingsError if no server is given.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        search: DocumentSearch | None = None,
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "SearchAgent")
        self._search = search or cast("DocumentSearch | None", (shared or {}).get(_SEARCH)) or self._from_options()

    def act(self) -> Message:
        """Return the search results for the last message. Raises the errors of the search."""
        query = self.observation.text if self.observation is not None else ""
        documents = self._search.search(query, self.opt.number("n_docs", _DOCUMENTS)) if query else ()
        lines = [titled(document) for document in documents]
        urls = [document.url for document in documents]
        return Message(id=self.id, text="\n".join(lines), top_docs=lines, urls=urls, episode_done=False)

    def share(self) -> dict[str, object]:
        return {**super().share(), _SEARCH: self._search}

    def _from_options(self) -> DocumentSearch:
        if self.opt.text("server") == "test":
            return MadeUpSearch()
        address = self.opt.text("raw_server") or self.opt.text("server")
        return SearchServer(address, between_lines=self.opt.text("intra_doc_delimiter", "\n"))
