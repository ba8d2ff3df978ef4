"""Writes replies only from given text: quotes from documents, a remembered fact, a word from the conversation. The
sentences around the given text are always in English, even if the conversation is not; styles are not supported.
"""

from __future__ import annotations

from collections.abc import Sequence

from investigator.bb3.courtesies import greets, takes_leave, thanks
from investigator.bb3.extractive.turns import is_question, last_text, sentences, tells_about_speaker
from investigator.bb3.extractive.wishes import dismisses, wishes_to_forget, wishes_to_remember
from investigator.bb3.memory.about_speaker import asks_about_speaker, asks_for_everything
from investigator.bb3.records import AND_MORE, PersonalFact, ResponseReply, ResponseVariables, Speaker, Turn
from investigator.language.normalise import one_line
from investigator.language.terms import folded

_NOTHING_TO_QUOTE = "I have nothing to quote on that."
_WHAT_NEXT = "What would you like to know?"
_NOT_LOOKED = "I have not looked it up."
_NOT_TOLD = "I found nothing about that in what you told me: see /memory."
_KNOWS_NOTHING = "I remember nothing that you told me about yourself."
_MORE = "There is more: see /memory."
_NOT_FORGOTTEN = (
    "I cannot forget anything on request: /memory shows what I remember, and `/memory delete N` deletes a memory."
)
_AS_YOU_LIKE = "As you like."
_TOLD = {Speaker.PARTNER: "You told me", Speaker.SELF: "I told you"}
_SPOKE_OF = "We were speaking of"
_SET_PHRASES = (
    *(_NOTHING_TO_QUOTE, _NOT_LOOKED, _NOT_TOLD, _KNOWS_NOTHING, _MORE, _NOT_FORGOTTEN, _AS_YOU_LIKE, _SPOKE_OF),
    *(*_TOLD.values(), "What would you like to know", "I see.", "You are welcome."),
)


def is_set_phrase(sentence: str) -> bool:
    """Return True if a sentence is one of this engine's set phrases."""
    return sentence.strip().startswith(_SET_PHRASES)


def respond(variables: ResponseVariables) -> ResponseReply:
    """Return a reply composed of the given quotes with their places, the fact with its owner, and the name of the
    entity.
    """
    given = bool(variables.knowledge) or variables.fact is not None
    text = last_text(variables.turns)
    needs_nothing = _is_courtesy(text) or is_question(text) or tells_about_speaker(text)
    if _wants_no_answer(variables) or (not given and needs_nothing):
        return respond_plainly(variables.turns)
    parts: list[str] = []
    if variables.fact is not None:
        parts.append(_reminder(variables.fact))
    parts.extend(f"“{one_line(quote.text)}” ({quote.place})" for quote in variables.knowledge)
    if variables.entity:
        spoken_of = f"{_SPOKE_OF} {variables.entity}. What would you like to know about it?"
        parts = [f"About {variables.entity}:", *parts] if parts else [spoken_of]
    if not parts:
        return respond_plainly(variables.turns)
    return ResponseReply(quotes=tuple(quote.text for quote in variables.knowledge), reply=" ".join(parts))


def respond_from_documents(variables: ResponseVariables) -> ResponseReply:
    """Return the same reply as `respond`, but begin with a note if there are no quotes."""
    reply = respond(variables)
    text = last_text(variables.turns)
    if variables.knowledge or _wants_no_answer(variables):
        return reply
    given = variables.entity or variables.fact is not None or _asks_of_speaker(text)
    return ResponseReply(reply=f"{_NOTHING_TO_QUOTE} {reply.reply}" if given else _NOTHING_TO_QUOTE)


def respond_plainly(turns: Sequence[Turn]) -> ResponseReply:
    """Return a polite reply that makes no claims."""
    text = last_text(turns)
    plain = folded(text)
    if any(wishes_to_forget(sentence) for sentence in sentences(text)):
        return ResponseReply(reply=_NOT_FORGOTTEN)
    if dismisses(text):
        return ResponseReply(reply=f"{_AS_YOU_LIKE} {_WHAT_NEXT}")
    if _asks_of_speaker(text):
        return ResponseReply(reply=_KNOWS_NOTHING if asks_for_everything(text) else _NOT_TOLD)
    if is_question(text):
        return ResponseReply(reply=f"{_NOTHING_TO_QUOTE} {_NOT_LOOKED}")
    if greets(plain):
        return ResponseReply(reply=f"Hello! {_WHAT_NEXT}")
    if takes_leave(plain):
        return ResponseReply(reply="Goodbye!")
    if thanks(plain):
        return ResponseReply(reply="You are welcome.")
    return ResponseReply(reply=f"I see. {_WHAT_NEXT}")


def _asks_of_speaker(text: str) -> bool:
    """Return True if a speaker asks for something that only they can have mentioned."""
    return asks_for_everything(text) or (is_question(text) and asks_about_speaker(text))


def _wants_no_answer(variables: ResponseVariables) -> bool:
    """Return True if somebody retracts their words, or only asks the bot to forget or remember something."""
    text = last_text(variables.turns)
    told = sentences(text)
    if dismisses(text) or any(map(wishes_to_forget, told)):
        return True
    if variables.knowledge or is_question(text) or not told:
        return False
    return all(map(wishes_to_remember, told))


def _is_courtesy(text: str) -> bool:
    """Return True if the text contains a greeting, thanks or a goodbye."""
    plain = folded(text)
    return greets(plain) or takes_leave(plain) or thanks(plain)


def open_conversation(facts: Sequence[PersonalFact]) -> ResponseReply:
    """Return a greeting that mentions the newest fact about the partner."""
    told = [fact for fact in facts if fact.speaker is Speaker.PARTNER]
    if not told:
        return ResponseReply(reply=f"Hello! {_WHAT_NEXT}")
    latest = max(told, key=lambda fact: fact.id)
    return ResponseReply(reply=f"Hello again! {_reminder(latest)} {_WHAT_NEXT}")


def _reminder(fact: PersonalFact) -> str:
    """Return a sentence that quotes each line of a fact. A last line of dots means that there are more memories."""
    lines = [one_line(line) for line in fact.text.splitlines()]
    told = " ".join(f"“{line}”" for line in lines if line != AND_MORE)
    more = f" {_MORE}" if len(lines) > 1 and lines[-1] == AND_MORE else ""
    return f"{_TOLD[fact.speaker]}: {told}{more}"
