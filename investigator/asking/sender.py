"""Sends a call to its engine: once only, within the engine's context and every budget, and traced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from investigator.asking.budget import Budget
from investigator.asking.call import Call, CallJournal
from investigator.engines.base import Streams, tokens_of, traits_of
from investigator.errors import ContextTooLongError, EngineError
from investigator.records import Reply
from investigator.tracing.base import RunTrace, RunTraces, WatchedCall

_MARGIN = 0.05  # fraction of the context reserved for the text that a chat template adds to a prompt


class PromptTooLong(ContextTooLongError):
    """A prompt does not fit into the context. `share` (0..1) is the fraction of it that would fit, or None if the
    engine reported no token count.
    """

    def __init__(self, message: str, *, hint: str = "", share: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.share = share


@dataclass(frozen=True)
class CallSender:
    """Returns the journal's reply to a call, or else that of its engine. Thread-safe.

    `budgets` are charged for a call before it is made, the first one first; each of them records its end.
    """

    journal: CallJournal
    budgets: Sequence[Budget]
    clock: Callable[[], float]
    trace: RunTrace = field(default_factory=RunTraces)

    def send(self, call: Call) -> Reply:
        """Return the reply to a call. Raises EngineError, PromptTooLong, StoreError, and the signal BudgetSpent.

        Everything around the engine is a context manager, so that few frames stand between a question and its model.
        """
        if (kept := self.journal.find(call.key)) is not None:
            for budget in self.budgets:
                budget.reused(kept)
            self.trace.called(WatchedCall(call.prompt, call.engine.name, call.key, reply=kept, reused=True))
            return kept
        call = _fitting(call, self.journal)
        with ExitStack() as stack:
            stack.enter_context(self._refusals_kept(call))
            enders = [stack.enter_context(budget.charged(call)) for budget in self.budgets]
            end = stack.enter_context(self._traced(call))
            began = self.clock()
            if call.hear is not None and isinstance(call.engine, Streams):
                reply = call.engine.reply_aloud(call.prompt, call.hear)
            else:
                reply = call.engine.reply(call.prompt)
            if not isinstance(reply, Reply):  # an engine from another package may return anything
                raise EngineError(
                    f"{call.engine.name} returned {type(reply).__name__}, not a Reply",
                    hint="Its reply(prompt) must return investigator.records.Reply(text=...).",
                )
            reply = reply.changed(seconds=round(self.clock() - began, 3))
            for take in (end, *enders):
                take(reply)
        return reply

    @contextmanager
    def _refusals_kept(self, call: Call) -> Iterator[None]:
        """Record a prompt that its engine finds too long, so that it is never sent again."""
        try:
            yield
        except ContextTooLongError as error:
            self.journal.keep_too_long(call.key, 0)
            raise PromptTooLong(error.message, hint=error.hint) from error

    @contextmanager
    def _traced(self, call: Call) -> Iterator[Callable[[Reply], None]]:
        """Report a call and its reply, or its error, to the trace of the run."""
        began = self.clock()
        watched = WatchedCall(call.prompt, call.engine.name, call.key)
        replies: list[Reply] = []
        try:
            yield replies.append
            watched = replace(watched, reply=replies[0])
        except BaseException as error:
            watched = replace(watched, error=error)
            raise
        finally:
            self.trace.called(replace(watched, seconds=self.clock() - began))


def _fitting(call: Call, journal: CallJournal) -> Call:
    """Return a call with the number of its tokens. Raises PromptTooLong if they do not fit into the engine's context,
    which is recorded in the journal, so that they are never counted or sent again; and StoreError.
    """
    engine, traits = call.engine, traits_of(call.engine)
    if traits.goes_by_measures:  # it reads prompts of any length
        return replace(call, tokens=tokens_of(engine, call.prompt.text))
    room = None if traits.context_tokens is None else int(traits.context_tokens * (1 - _MARGIN))
    known = journal.too_long(call.key)
    if known == 0:
        raise PromptTooLong(f"{engine.name} rejected a prompt of this length")
    tokens = tokens_of(engine, call.prompt.text) if known is None else known
    if room is not None and tokens > room:
        if known is None:
            journal.keep_too_long(call.key, tokens)
        message = f"the prompt of {tokens} tokens does not fit into the {room} that {engine.name} can read"
        raise PromptTooLong(message, share=room / tokens)
    return replace(call, tokens=tokens)
