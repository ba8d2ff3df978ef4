"""Converts a conversation to examples for training and testing: each reply with the preceding messages.

They have the form of the released teachers' examples: the text is everything said so far, the label is the sender's
next message, and each example is a separate episode. A message without a safety annotation counts as safe; the released
teachers fail on such messages. `module_examples` has the input and output of each module.
"""

from __future__ import annotations

from enum import StrEnum

from investigator.bb3.bb3x.records import ChatMessage, Conversation
from investigator.bb3.records import Speaker
from investigator.dialogue.messages import EPISODE_DONE, Message


class Selection(StrEnum):
    """Selects the messages that become labels: all of them, only those of conversations in which the human said nothing
    unsafe, or only those that crowdworkers judged.
    """

    ALL = "plain"
    WITHOUT_ADVERSARIAL = "filter_adversarial"
    CROWDWORKERS = "crowdworkers"


def dialogue_examples(
    conversation: Conversation, label_of: Speaker = Speaker.SELF, selection: Selection = Selection.ALL
) -> tuple[Message, ...]:
    """Return one example for each message of the bot (`self`) or the human (`partner`) that is not the first message.
    Fields: those of the conversation, `text`, `labels`, `label_info` (the message as recorded), `adversarial_human`
    (True if any message of the human is unsafe) and `episode_done`.
    """
    about = conversation.wire()
    about.pop("message_history", None)
    adversarial = conversation.has_unsafe_human
    if adversarial and selection is Selection.WITHOUT_ADVERSARIAL:
        return ()
    history = conversation.message_history
    return tuple(
        Message(
            {
                **about,
                "text": "\n".join(earlier.text for earlier in history[:place]),
                "labels": [said.text],
                "label_info": said.wire(),
                EPISODE_DONE: True,
                "adversarial_human": adversarial,
            }
        )
        for place, said in enumerate(history)
        if place > 0 and _is_label(said, label_of, selection)
    )


def _is_label(message: ChatMessage, label_of: Speaker, selection: Selection) -> bool:
    judged = selection is not Selection.CROWDWORKERS or message.mturk is not None
    return judged and message.by_human == (label_of is Speaker.PARTNER)
