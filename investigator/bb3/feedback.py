"""The reasons for disliking a reply, and the question that the bot asks after each."""

from __future__ import annotations

from enum import StrEnum

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
