"""Wraps an Investigator as a step of a LangChain chain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from contextvars import copy_context
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TypeAlias, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import ValidationError

from investigator.errors import QuestionError, StoreError, WorkspaceLockedError
from investigator.investigator import Investigator
from investigator.records import Answer, Answered, Event, Record
from investigator.services.run_records import RunOptions

LONGEST_WAIT = 3600.0
"""Maximum number of seconds that a call waits for earlier calls."""

Item = TypeVar("Item")

_LOCKS: dict[Path, Lock] = {}


class Request(Record):
    """A question and its options. `after` is the run that the question follows up on, and `as_of` the day (ISO 8601) as
    of which it is answered, by default today; the mission and the strategy default to those in the settings.
    """

    question: str
    mission: str | None = None
    strategy: str | None = None
    after: str = ""
    as_of: str = ""
    fresh: bool = False


Asking: TypeAlias = str | Request | Mapping[str, object]


class InvestigatorRunnable(Runnable[str | Request, Answer]):  # type: ignore[misc]
    """Takes a question, a Request or a mapping with its fields; returns the Answer.

    `stream` and `astream` yield each event of the investigation as it happens and then the Answer, so that the next
    step of a chain receives the same value as from `invoke`. Calls to a chat model are traced as child runs of this
    runnable, with the callbacks of its config. Raises the same errors as `Investigator.investigate`.
    """

    def __init__(self, investigator: Investigator, *, longest_wait: float = LONGEST_WAIT) -> None:
        self.investigator = investigator
        self._longest_wait = longest_wait

    def invoke(self, input: Asking, config: RunnableConfig | None = None, **kwargs: object) -> Answer:
        """Investigate and answer."""
        answer: Answer = self._call_with_config(self._answer, input, config, run_type="chain", **kwargs)
        return answer

    def stream(self, input: Asking, config: RunnableConfig | None = None, **kwargs: object) -> Iterator[Event | Answer]:
        """Yield each event of the investigation, then the Answer."""
        yield from self._transform_stream_with_config(iter([input]), self._events, config, run_type="chain", **kwargs)

    async def astream(
        self, input: Asking, config: RunnableConfig | None = None, **kwargs: object
    ) -> AsyncIterator[Event | Answer]:
        """Yield each event of the investigation, then the Answer; a thread does the work."""
        async with aclosing(_in_thread(self.stream(input, config, **kwargs))) as items:
            async for item in items:
                yield item

    def _answer(self, asking: Asking) -> Answer:
        *_, last = self._events(iter([asking]))
        if not isinstance(last, Answer):
            raise StoreError("the investigation ended without an answer")
        return last

    def _events(self, inputs: Iterator[Asking]) -> Iterator[Event | Answer]:
        for request in map(_request, inputs):
            options = RunOptions(
                request.mission, request.strategy, fresh=request.fresh, after=request.after, as_of=request.as_of
            )
            with folder_turn(self.investigator, self._longest_wait):
                for event in self.investigator.investigate(request.question, options):
                    yield event
                    if isinstance(event, Answered) and event.investigation.answer is not None:
                        yield event.investigation.answer


def _request(asking: Asking) -> Request:
    if isinstance(asking, Request):
        return asking
    try:
        return Request(question=asking) if isinstance(asking, str) else Request.model_validate(dict(asking))
    except (ValidationError, TypeError, ValueError) as error:
        hint = 'Give the question as text, or {"question": ..., "mission": ..., "strategy": ...}.'
        raise QuestionError("the input is not a question", hint=hint) from error


@contextmanager
def folder_turn(investigator: Investigator, longest_wait: float) -> Iterator[None]:
    """Wait until no other call of this process uses the folder, because a workspace has one writer. Raises
    WorkspaceLockedError after `longest_wait` seconds, and so for a call that is made while the events of another call
    on the same folder are being read, because the two would wait for each other.
    """
    lock = _LOCKS.setdefault(investigator.folder.resolve(), Lock())
    if not lock.acquire(timeout=longest_wait):
        raise WorkspaceLockedError(f"another call has been using {investigator.folder} for {longest_wait:g} seconds")
    try:
        yield
    finally:
        lock.release()


async def _in_thread(items: Iterator[Item]) -> AsyncGenerator[Item, None]:
    """Yield the items, all of which one thread produces. If the caller stops early, it does not wait: the thread
    finishes the item in progress, and then closes the iterator.
    """
    loop, context = asyncio.get_running_loop(), copy_context()
    thread = ThreadPoolExecutor(1, thread_name_prefix="investigator-stream")
    try:
        while item := await loop.run_in_executor(thread, context.run, lambda: tuple(islice(items, 1))):
            yield item[0]
    finally:
        if isinstance(items, Generator):
            thread.submit(context.run, items.close)
        thread.shutdown(wait=False)
