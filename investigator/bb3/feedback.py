"""What the human thinks of a reply: liked, or disliked for a reason, then asked what would have been better.

The steps of the data card: a message of the bot is marked, the bot asks, and the human's next message is the answer
(`isDislikeFeedback`). Each function gives a conversation anew; none changes one.
"""

from __future__ import annotations

from enum import StrEnum

from investigator.bb3.bb3x.records import ChatMessage, Conversation, Sender
from investigator.errors import DialogueError


class DislikeType(StrEnum):
    """Why a reply is disliked.

    The card names the last two, which only a canned reply after something unsafe that the human said can have: the
    human agrees, or not, that it was. It leaves the list of the others out; these are the reasons that the paper on
    BlenderBot 3 (arXiv 2208.03188) says its demonstration offered.
    """

    OFF_TOPIC = "off_topic"
    NONSENSICAL = "nonsensical"
    RUDE = "rude"
    SPAM = "spam"
    OTHER = "other"
    AGREE_SENSITIVE = "agree_sensitive"
    DISAGREE_SENSITIVE = "disagree_sensitive"

    @property
    def is_about_safety(self) -> bool:
        """Whether it is about having been called unsafe."""
        return self in (DislikeType.AGREE_SENSITIVE, DislikeType.DISAGREE_SENSITIVE)


_QUESTIONS = {
    DislikeType.OFF_TOPIC: "I seem to have missed the point. What should I have talked about?",
    DislikeType.NONSENSICAL: "That was wrong, then. What would have been right?",
    DislikeType.RUDE: "I am sorry for how I put that. How should I have said it?",
    DislikeType.SPAM: "That was not meant to sound like an advertisement. What should I have said?",
    DislikeType.OTHER: "I am sorry that you did not like this. What would have been better?",
    DislikeType.AGREE_SENSITIVE: "Thank you for saying so. What shall we talk about?",
    DislikeType.DISAGREE_SENSITIVE: "I may have been too careful. What did you mean?",
}


def dislike_type_of(word: str) -> DislikeType:
    """The type of that name, as it is typed: `off topic`, `Off-Topic`. Raises DialogueError for any other."""
    try:
        return DislikeType(word.strip().lower().replace("-", "_").replace(" ", "_"))
    except ValueError as error:
        hint = f"Types are: {', '.join(DislikeType)}"
        said = f"there is no type of dislike {word.strip()[:40]!r}" if word.strip() else "a dislike needs its type"
        raise DialogueError(said, hint=hint) from error


def liked(conversation: Conversation, place: int | None = None) -> Conversation:
    """With a message of the bot marked as liked, the last one where no place is named; a dislike of it is taken back.

    Raises DialogueError where no message of the bot stands there.
    """
    marks: dict[str, object] = {"is_liked": True, "is_disliked": False, "dislike_type": None}
    return _marked(conversation, _reply_at(conversation, place), marks)


def disliked(conversation: Conversation, kind: DislikeType, place: int | None = None) -> Conversation:
    """With a message of the bot marked as disliked, the last one where no place is named; a like of it is taken back.

    Raises DialogueError where no message of the bot stands there, and for types about safety where it is not canned.
    """
    place = _reply_at(conversation, place)
    if kind.is_about_safety and not conversation.message_history[place].is_safety_controlled_response:
        hint = "Choose another type; this one is about replies of the safety measures."
        raise DialogueError(f"the reply cannot be disliked as {kind}: it is no canned one", hint=hint)
    marks: dict[str, object] = {"is_liked": False, "is_disliked": True, "dislike_type": str(kind)}
    return _marked(conversation, place, marks)


def follow_up_question(kind: DislikeType) -> str:
    """What the bot asks after a dislike."""
    return _QUESTIONS[kind]


def asked_after_dislike(conversation: Conversation, bot_message_id: str) -> Conversation:
    """With the question that follows the newest dislike at its end.

    Raises DialogueError where nothing is disliked. A type that is not ours is asked about as any other.
    """
    types = [message.dislike_type for message in conversation.message_history if message.is_disliked]
    if not types:
        raise DialogueError(
            "no reply is disliked, so there is nothing to ask about", hint="Mark one as disliked first."
        )
    kind = DislikeType(types[-1]) if types[-1] in set(DislikeType) else DislikeType.OTHER
    question = ChatMessage(text=follow_up_question(kind), sender=Sender.BOT, bot_message_id=bot_message_id)
    return _with(conversation, question)


def answered_after_dislike(conversation: Conversation, text: str, human_message_id: str) -> Conversation:
    """With the human's answer to that question at its end, marked as such.

    Raises DialogueError where the question does not stand there.
    """
    last = conversation.message_history[-1:]
    if not last or last[0].by_human or last[0].text not in _QUESTIONS.values():
        hint = "Ask it first, with asked_after_dislike."
        raise DialogueError("the question after a dislike was not asked", hint=hint)
    answer = ChatMessage(text=text, sender=Sender.HUMAN, human_message_id=human_message_id, is_dislike_feedback=True)
    return _with(conversation, answer)


def _reply_at(conversation: Conversation, place: int | None) -> int:
    """The place of a message of the bot."""
    history = conversation.message_history
    places = [number for number, message in enumerate(history) if not message.by_human]
    if place is None and places:
        return places[-1]
    if place is None or place not in places:
        where = "the conversation" if place is None else f"place {place} of {len(history)}"
        raise DialogueError(f"there is no reply at {where}", hint="Only what the bot said can be liked or disliked.")
    return place


def _marked(conversation: Conversation, place: int, marks: dict[str, object]) -> Conversation:
    history = conversation.message_history
    message = history[place].changed(**marks)
    return conversation.changed(message_history=(*history[:place], message, *history[place + 1 :]))


def _with(conversation: Conversation, message: ChatMessage) -> Conversation:
    return conversation.changed(message_history=(*conversation.message_history, message))
