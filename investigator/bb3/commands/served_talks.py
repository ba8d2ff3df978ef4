"""Runs chats on a server, as the command line does, and reports each step to the client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chat_text import quotes_of, why_text
from investigator.bb3.chats import open_chat, talk_with
from investigator.bb3.commands.chat import login
from investigator.bb3.module_table import TABLE
from investigator.bb3.records import Speaker, Turn
from investigator.bb3.search.served import ServedQuote
from investigator.bb3.talk import Talk
from investigator.errors import DialogueError
from investigator.investigator import Investigator
from investigator.reports.inert import inert_prose
from investigator.server.chats import Begin, Say, Watch
from investigator.server.records import ChatTurn, SpokenReply, TurnState


@contextmanager
def open_talks(investigator: Investigator) -> Iterator[Begin]:
    """Open a chat about a folder, and yield a function that begins conversations with this process's user.

    Raises the errors of `open_chat`.
    """
    turn = Lock()
    with open_chat(investigator) as chat:

        def begin(chat_id: str, before: Sequence[ChatTurn]) -> Say:
            talk = talk_with(chat, login(), chat_id=chat_id, before=_turns_of(before))

            def say(text: str, watch: Watch) -> SpokenReply:
                watch.doing("waiting for another chat")
                with turn:
                    chat.on_step = lambda module: watch.doing(TABLE[module].step)
                    return _reply(talk, text, watch)

            return say

        yield begin


def _turns_of(turns: Sequence[ChatTurn]) -> Iterator[Turn]:
    """Yield each turn that got a reply, followed by the reply; turns with canned replies are skipped."""
    for turn in turns:
        if turn.state is TurnState.DONE and turn.reply is not None and not turn.reply.canned:
            yield Turn(speaker=Speaker.PARTNER, text=turn.said)
            yield Turn(speaker=Speaker.SELF, text=turn.reply.text)


def _reply(talk: Talk, text: str, watch: Watch) -> SpokenReply:
    try:
        message = talk.say(text, hear=lambda so_far: watch.writing(inert_prose(so_far)))
    except BudgetSpent as spent:
        raise DialogueError(
            f"the chats about this folder have reached the limit of {spent.reason}",
            hint="Start the server again with a higher limit.",
        ) from spent
    quotes = tuple(quote for quote in quotes_of(message) if not isinstance(quote, ServedQuote))
    return SpokenReply(
        text=inert_prose(message.text),
        canned=bool(message.get("failure")),
        quotes=quotes,
        rests_on=tuple(why_text(message).plain.splitlines()),
    )
