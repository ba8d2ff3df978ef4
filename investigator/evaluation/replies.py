"""Counts the replies that a run used: their cost, even if an earlier run paid for them, and the share that can be
parsed. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from investigator.asking.contracts import METHOD
from investigator.asking.replies import read_reply
from investigator.errors import ReplyError
from investigator.records import Record, Reply, Usage, together, usage_of
from investigator.scoring.prices import Price, priced
from investigator.store.past_calls import PastCall


class UsedReplies(Record):
    """The cost of a run's replies, the number that should contain a record, and the number that does not."""

    cost: Usage = Usage()
    expected: int = 0
    unreadable: int = 0


def used_replies(calls: Iterable[PastCall], price_of: Callable[[str], Price | None]) -> UsedReplies:
    """Return the total cost of the calls of a run."""
    made = list(calls)
    expected = [call for call in made if call.template in METHOD and METHOD[call.template].reply is not None]
    return UsedReplies(
        cost=together(*(priced(usage_of(call.reply), price_of(call.engine)) for call in made)),
        expected=len(expected),
        unreadable=sum(not _is_readable(call.template, call.reply) for call in expected),
    )


def _is_readable(template: str, reply: Reply) -> bool:
    kind = METHOD[template].reply
    try:
        return kind is not None and read_reply(reply.text, kind) is not None
    except ReplyError:
        return False
