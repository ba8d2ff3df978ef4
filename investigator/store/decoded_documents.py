"""Caches the decoded documents of a folder, so that the next question need not decode them again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from investigator.records import Document

_MOST_CHARACTERS = 20_000_000


class DecodedDocuments:
    """Keeps the documents that were used most recently, up to 20 million characters. Thread-safe.

    A document is stored under the code of its row, which only this user can compute, and which changes with the
    content.
    """

    def __init__(self) -> None:
        self._documents: OrderedDict[str, Document] = OrderedDict()
        self._characters = 0
        self._changing = Lock()

    def get(self, code: str) -> Document | None:
        """Return the document whose row has this code, if it is cached."""
        with self._changing:
            if code in self._documents:
                self._documents.move_to_end(code)
            return self._documents.get(code)

    def keep(self, code: str, document: Document) -> None:
        """Cache a document whose row has this code and is unaltered."""
        with self._changing:
            if code not in self._documents:
                self._documents[code] = document
                self._characters += len(document.text)
            while self._characters > _MOST_CHARACTERS:
                self._characters -= len(self._documents.popitem(last=False)[1].text)
