"""A reply that is heard while a server sends it, piece by piece."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING

from investigator.engines.base import Hear
from investigator.engines.schemas import Json

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables.config import RunnableConfig


STREAM_USAGE = "stream_usage"
"""LangChain's word for having OpenAI's servers tell the tokens at the end of a stream."""


class Hearing:
    """Hands on what is written until it is ended; then a server that still writes is heard no more."""

    def __init__(self, hear: Hear, most: int) -> None:
        self._hear = hear
        self._lock = Lock()
        self._ended = False
        self.problem: BaseException | None = None
        """What the listener has raised; it is no fault of the server."""
        self.most = most
        """Characters; whatever is longer is no reply."""

    def tell(self, written: str) -> None:
        """All that is written so far."""
        with self._lock:
            if self._ended:
                return
            try:
                self._hear(written)
            finally:
                self.problem = sys.exception()

    def end(self) -> None:
        """From now on nothing is told."""
        with self._lock:
            self._ended = True


def heard(
    model: BaseChatModel,
    arguments: Mapping[str, Json],
    hearing: Hearing,
    messages: list[BaseMessage],
    config: RunnableConfig,
) -> AIMessage:
    """The message of a model, put together from its pieces; one that sends no pieces is asked for it at once."""
    said, message = "", None
    try:
        for piece in model.stream(messages, config, **arguments):
            message = piece if message is None else message + piece
            said += text_of(piece.content)
            hearing.tell(said)
            if len(said) > hearing.most:
                break
    except ValueError:  # LangChain's, where a server has sent no pieces
        if message is not None:
            raise
    if message is None:
        plain = {name: value for name, value in arguments.items() if name != STREAM_USAGE}
        return model.invoke(messages, config, **plain)
    return message


def text_of(content: str | list[str | dict[str, object]]) -> str:
    """The text of a message; of a list of blocks the texts, without reasoning and other kinds."""
    if isinstance(content, str):
        return content
    texts = (block if isinstance(block, str) else block.get("text") for block in content if _is_text(block))
    return "".join(text for text in texts if isinstance(text, str))


def _is_text(block: str | dict[str, object]) -> bool:
    return isinstance(block, str) or block.get("type") in ("text", "output_text")
