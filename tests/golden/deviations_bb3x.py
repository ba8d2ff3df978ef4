"""Recorded behaviour of the BB3x teachers from which our code deviates on purpose."""

from __future__ import annotations

from typing import Any

from golden_rows import Deviation, Ground, Row

CARD = {"Chatbot": "bot", "Human": "human"}


def _fails_without_safety(row: Row) -> bool:
    messages = row.input["conversation"]["message_history"]
    return "error" in row.expected and any(_sender(m) == "human" and not m.get("safety") for m in messages)


def _labels_in_the_card_s_words(row: Row) -> bool:
    """Return True if a message whose sender has the card's name would become a label."""
    messages = row.input["conversation"]["message_history"]
    if row.input["teacher"] == "filter_adversarial" and any(_sender(m) == "human" and _unsafe(m) for m in messages):
        return False
    return any(
        m["sender"] in CARD
        and _sender(m) == row.input["label_agent"]
        and (row.input["teacher"] != "crowdworkers" or m.get("mturk") is not None)
        for m in messages[1:]
    )


def _sender(message: Any) -> str:
    return CARD.get(message["sender"], message["sender"])


def _unsafe(message: Any) -> bool:
    return any(value != "__ok__" for value in (message.get("safety") or {}).values())


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        file="bb3x_data",
        kind="examples",
        reason="a message without a safety annotation does not count as unsafe; the original fails on such a message",
        applies=_fails_without_safety,
        ground=Ground.CRASH,
    ),
    Deviation(
        file="bb3x_data",
        kind="examples",
        reason="the data card's words for the senders are also read; the original makes no examples from them",
        applies=_labels_in_the_card_s_words,
    ),
)
