"""One call of a LangChain chat model, plain or streamed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from investigator.engines.base import Hear
from investigator.engines.schemas import Json
from investigator.records import Prompt

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables.config import RunnableConfig


STREAM_USAGE = "stream_usage"
"""LangChain's parameter that makes OpenAI servers report tokens at the end of a stream."""


class Observer:
    """A callback handler whose errors LangChain logs, even if the handler wants them raised."""

    raise_error = False

    def __init__(self, handler: BaseCallbackHandler) -> None:
        self._handler = handler

    def __getattr__(self, name: str) -> object:
        return getattr(self._handler, name)


class Hearing:
    """Passes on the text as it arrives, until the call ends; later text from the server is ignored."""

    def __init__(self, hear: Hear, most: int) -> None:
        self._hear = hear
        self._lock = Lock()
        self._ended = False
        self.problem: BaseException | None = None
        """The error that the listener raised, if any; it is not the server's fault."""
        self.most = most
        """Longest reply in characters."""

    def tell(self, written: str) -> None:
        """Pass on everything written so far."""
        with self._lock:
            if self._ended:
                return
            try:
                self._hear(written)
            finally:
                self.problem = sys.exception()

    def end(self) -> None:
        """Stop passing on text."""
        with self._lock:
            self._ended = True


def invoked(
    ask: Callable[[list[BaseMessage], RunnableConfig], AIMessage], prompt: Prompt, observers: Sequence[Observer]
) -> AIMessage | Exception:
    """Send one prompt with `ask`, and return the message or the error; `observers` are notified of the call."""
    from langchain_core.messages import HumanMessage
    from langchain_core.runnables.config import RunnableConfig, ensure_config, merge_configs
    from langsmith import tracing_context

    ours = RunnableConfig(
        callbacks=list(observers),
        metadata={"template": prompt.template},
        tags=["investigator", prompt.template.partition("/")[0]],
    )
    config = merge_configs(ensure_config(), ours)  # keeps out the callbacks of an enclosing chain
    with tracing_context(enabled=False):  # an environment variable for another program must not redirect the documents
        try:
            return ask([HumanMessage(prompt.text)], config)
        except Exception as error:  # noqa: BLE001 - each provider's package has its own errors; all are caught here
            return error


def heard(
    model: BaseChatModel,
    arguments: Mapping[str, Json],
    hearing: Hearing,
    messages: list[BaseMessage],
    config: RunnableConfig,
) -> AIMessage:
    """Return a model's message, assembled from its chunks; if none arrive, request the whole message at once."""
    said, message = "", None
    try:
        for piece in model.stream(messages, config, **arguments):
            message = piece if message is None else message + piece
            said += text_of(piece.content)
            hearing.tell(said)
            if len(said) > hearing.most:
                break
    except ValueError:  # raised by LangChain if the server sent no chunks
        if message is not None:
            raise
    if message is None:
        plain = {name: value for name, value in arguments.items() if name != STREAM_USAGE}
        return model.invoke(messages, config, **plain)
    return message


def text_of(content: str | list[str | dict[str, object]]) -> str:
    """Return the text of a message; for a list of blocks, return only the text blocks, without reasoning."""
    if isinstance(content, str):
        return content
    texts = (block if isinstance(block, str) else block.get("text") for block in content if _is_text(block))
    return "".join(text for text in texts if isinstance(text, str))


def _is_text(block: str | dict[str, object]) -> bool:
    return isinstance(block, str) or block.get("type") in ("text", "output_text")
