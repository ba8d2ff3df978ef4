"""One call of a LangChain chat model, plain or streamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from investigator.engines.base import Hear
from investigator.engines.chat.errors import status_of
from investigator.records import Prompt

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable
    from langchain_core.runnables.config import RunnableConfig

    ChatModel: TypeAlias = Runnable[Any, Any]


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
    ask: Callable[[list[BaseMessage], RunnableConfig], AIMessage],
    prompt: Prompt,
    callbacks: Sequence[BaseCallbackHandler],
) -> AIMessage | Exception:
    """Send one prompt with `ask`, and return the message or the error; `callbacks` are notified of the call."""
    from langchain_core.messages import HumanMessage
    from langchain_core.runnables.config import RunnableConfig, ensure_config, merge_configs
    from langsmith import tracing_context

    ours = RunnableConfig(
        callbacks=list(callbacks),
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
    model: ChatModel, arguments: dict[str, bool], hearing: Hearing, messages: list[BaseMessage], config: RunnableConfig
) -> AIMessage:
    """Return a model's message, assembled from its chunks. If the server sends none, or stops in the middle, request
    the whole message at once, which the provider's client retries.
    """
    written, message = "", None
    try:
        for piece in model.stream(messages, config, **arguments):
            message = piece if message is None else message + piece
            written += text_of(piece)
            hearing.tell(written)
            if len(written) > hearing.most:
                break
    except Exception as error:
        if hearing.problem is not None or status_of(error) is not None:
            raise
        message = None
    if message is None:
        message = model.invoke(messages, config)
        hearing.tell(text_of(message))
    whole: AIMessage = message
    return whole


def text_of(message: AIMessage) -> str:
    """Return the text of a message, without reasoning: the arguments of its tool call, or else its text blocks."""
    if pieces := getattr(message, "tool_call_chunks", None):
        return "".join(piece["args"] or "" for piece in pieces)
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[0]["args"] or ""
    return str(message.text)
