"""Records the human's rating of a reply: liked, or disliked for a reason. After a dislike, the bot asks what would have
been better.

Feedback follows the steps in the data card: a message from the bot is marked, the bot asks a question, and the human's
next message is the answer (`isDislikeFeedback`). Each function returns a new conversation; none changes its argument.
"""

from __future__ import annotations

from enum import StrEnum

from investigator.bb3.bb3x.records import ChatMessage, Conversation, Sender
from investigator.errors import DialogueError


class DislikeType(StrEnum):
    """The reason for disliking a reply. The card names the last two, which apply only to a canned reply to an unsafe
    message: the human agrees or disagrees that the message was unsafe. The card does not list the other types; these
    are the reasons offered by the demonstration in the BlenderBot 3 paper (arXiv 2208.03188).
    """

    OFF_TOPIC = "off_topic"
    NONSENSICAL = "nonsensical"
    RUDE = "rude"
    SPAM = "spam"
    OTHER = "other"
    AGREE_SENSITIVE = "agree_sensitive"
    DISAGREE_SENSITIVE = "disagree_sensitive"


QUESTIONS = {
    DislikeType.OFF_TOPIC: "I seem to have missed the point. What should I have talked about?",
    DislikeType.NONSENSICAL: "That was wrong, then. What would have been right?",
    DislikeType.RUDE: "I am sorry for how I put that. How should I have said it?",
    DislikeType.SPAM: "That was not meant to sound like an advertisement. What should I have said?",
    DislikeType.OTHER: "I am sorry that you did not like this. What would have been better?",
    DislikeType.AGREE_SENSITIVE: "Thank you for saying so. What shall we talk about?",
    DislikeType.DISAGREE_SENSITIVE: "I may have been too careful. What did you mean?",
}
"""The bot's question after a dislike."""


def dislike_type_of(word: str) -> DislikeType:
    """Return the type that the user names, for example `off topic` or `Off-Topic`. Raises DialogueError for an unknown
    type.
    """
    try:
        return DislikeType(word.strip().lower().replace("-", "_").replace(" ", "_"))
    except ValueError as error:
        problem = f"unknown type of dislike {word.strip()[:40]!r}" if word.strip() else "a dislike needs a type"
        raise DialogueError(problem, hint=f"Types are: {', '.join(DislikeType)}") from error


def liked(conversation: Conversation, place: int | None = None) -> Conversation:
    """Return the conversation with a message from the bot marked as liked and not disliked; by default, its last
    message. Raises DialogueError if the bot has no message.
    """
    return _marked(conversation, _reply_at(conversation, place), is_liked=True, is_disliked=False, dislike_type=None)


def disliked(conversation: Conversation, kind: DislikeType, place: int | None = None) -> Conversation:
    """Return the conversation with a message from the bot marked as disliked and not liked; by default, its last
    message. Raises DialogueError if the bot has no message, and for types about safety if the message is not canned.
    """
    place = _reply_at(conversation, place)
    is_canned = conversation.message_history[place].is_safety_controlled_response
    if kind in (DislikeType.AGREE_SENSITIVE, DislikeType.DISAGREE_SENSITIVE) and not is_canned:
        hint = "Choose another type; this type applies only to canned replies."
        raise DialogueError(f"the reply cannot be disliked as {kind}: it is not a canned reply", hint=hint)
    return _marked(conversation, place, is_liked=False, is_disliked=True, dislike_type=str(kind))


def asked_after_dislike(conversation: Conversation, bot_message_id: str) -> Conversation:
    """Append the question about the newest dislike; an unknown type counts as OTHER. Raises DialogueError if nothing is
    disliked.
    """
    types = [message.dislike_type for message in conversation.message_history if message.is_disliked]
    if not types:
        hint = "Mark a reply as disliked first."
        raise DialogueError("no reply is marked as disliked, so there is nothing to ask about", hint=hint)
    kind = DislikeType(types[-1]) if types[-1] in set(DislikeType) else DislikeType.OTHER
    return _with(conversation, ChatMessage(text=QUESTIONS[kind], sender=Sender.BOT, bot_message_id=bot_message_id))


def answered_after_dislike(conversation: Conversation, text: str, human_message_id: str) -> Conversation:
    """Append the human's answer to the question that followed a dislike, and mark it as feedback. Raises DialogueError
    if the question is not the last message.
    """
    if [message.text in QUESTIONS.values() for message in conversation.message_history[-1:]] != [True]:
        raise DialogueError("the question after a dislike was not asked", hint="Ask it with asked_after_dislike.")
    answer = ChatMessage(text=text, sender=Sender.HUMAN, human_message_id=human_message_id, is_dislike_feedback=True)
    return _with(conversation, answer)


def _reply_at(conversation: Conversation, place: int | None) -> int:
    """Return the index of a message from the bot, by default its last message."""
    places = [number for number, message in enumerate(conversation.message_history) if not message.by_human]
    if not places:
        raise DialogueError("no reply found in the conversation", hint="Only the bot's messages can be rated.")
    return places[-1] if place is None else place


def _marked(conversation: Conversation, place: int, **marks: object) -> Conversation:
    history = conversation.message_history
    return conversation.changed(
        message_history=(*history[:place], history[place].changed(**marks), *history[place + 1 :])
    )


def _with(conversation: Conversation, message: ChatMessage) -> Conversation:
    return conversation.changed(message_history=(*conversation.message_history, message))
