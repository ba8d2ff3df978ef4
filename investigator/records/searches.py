"""The results of searching a folder: the best passages for a query, or every place where words occur."""

from __future__ import annotations

from pydantic import Field

from investigator.records.base import Record
from investigator.records.documents import FileStatus, Passage, Unreadable


class SearchHit(Record):
    """A passage that was found for a query, with its scores in keyword search and vector search.

    `bm25` is None if the words did not match, `similarity` (cosine) is None if the vector was not searched; both are
    comparable within one query. Hits are ordered by the score of the passage.
    """

    passage: Passage
    bm25: float | None = None
    similarity: float | None = None


class Mentioning(Record):
    """A document that contains every word and phrase of a query, with each sentence or line that contains one of
    them.
    """

    document_id: str
    title: str
    passages: tuple[Passage, ...]


class Mentions(Record):
    """Every document of a folder that contains words, by id. The list is complete if no file that may hold text is
    unreadable.
    """

    computed = ("complete",)

    phrases: tuple[str, ...] = Field(description="the folded words and phrases that were searched for")
    documents: tuple[Mentioning, ...]
    searched: int = Field(description="number of documents that were searched")
    unreadable: tuple[Unreadable, ...] = Field(default=(), description="files whose text could not be searched")

    @property
    def not_searched(self) -> tuple[Unreadable, ...]:
        """Return the files and hidden parts whose text, if they have any, was not searched."""
        return tuple(file for file in self.unreadable if file.status is not FileStatus.EMPTY)

    @property
    def complete(self) -> bool:
        """Return True if the text of every file was searched, hidden parts included."""
        return not self.not_searched
