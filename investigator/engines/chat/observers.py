"""LangChain's callback handlers, kept from breaking what they look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler


class Observer:
    """A callback handler whose errors are LangChain's to log, also where the handler wants them raised.

    Everything else is the handler's own.
    """

    raise_error = False

    def __init__(self, handler: BaseCallbackHandler) -> None:
        self._handler = handler

    def __getattr__(self, name: str) -> object:
        return getattr(self._handler, name)
