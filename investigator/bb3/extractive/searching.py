"""Finds the search query and the subject of a conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.bb3.extractive.asking_forms import after_greeting
from investigator.bb3.extractive.responding import is_set_phrase
from investigator.bb3.extractive.turns import (
    begins_with_question_word,
    inquires,
    is_question,
    key_terms,
    last_text,
    named_things,
    points_back,
    referent,
    salient,
    sentences,
    tells_about_speaker,
    word_count,
)
from investigator.bb3.extractive.wishes import wished_to_be_kept
from investigator.bb3.memory.about_speaker import asks_about_speaker, asks_for_everything, clauses, told_topics
from investigator.bb3.records import PhraseReply, Speaker, Turn
from investigator.language.terms import folded

_QUOTED = re.compile(r"“[^”]*”(?: \([^()]*\))?")
_JOINT = re.compile(r"(?:\s*[,;:，،]\s*|\s+)(?:(?:and|but|so|und|aber|et|mais|y|pero)\s+)?", re.IGNORECASE)
_MEASURED = re.compile(  # matches "How long was the trial", but not "How long", which continues an earlier question
    r"^\W*how (?:long|often|much|many|far|well|good)\b.*\b(?:is|are|was|were|do|does|did|has|have|had|will|would|can"
    r"|could|must|may|should)\b"
)
_MOST_WORDS = 12
_LONGEST_QUESTION = 200  # maximum number of characters; a longer text is reduced to its key terms
_FEW_WORDS = 2


def query(turns: Sequence[Turn]) -> PhraseReply:
    """Return a search query: a question from the last turn if it begins with a question word, otherwise key terms.

    Passages are scored by the words in the query. "How deep is the harbour?" asks for a depth; with "deep harbour" a
    sentence with a depth would not score as an answer. For "May I keep dogs?" the key terms are enough. If the question
    has a pronoun, the last thing named before the pronoun is added. The query is empty if there is nothing to search
    for.
    """
    asked, before = _asked(last_text(turns))
    terms, meant = key_terms(asked), _meant(asked, before, turns)
    asks_what = begins_with_question_word(asked) or inquires(asked)
    if asks_what and (terms or meant) and len(asked) <= _LONGEST_QUESTION:
        return PhraseReply(text=_with_meant(asked, meant))
    known = {folded(term) for term in terms}
    added = [word for word in meant.split() if folded(word) not in known]
    return PhraseReply(text=" ".join([*added, *terms][:_MOST_WORDS]))


def entity(turns: Sequence[Turn]) -> PhraseReply:
    """Return the current subject of the conversation, in words from the conversation; "" if there is none."""
    return PhraseReply(text=salient([_own_words(turn) for turn in turns]))


def _with_meant(asked: str, meant: str) -> str:
    return f"{asked} ({meant})" if asked and meant and folded(meant) not in folded(asked) else asked or meant


def _asked(text: str) -> tuple[str, str]:
    """Return the last question in a turn and the text before it, or the whole turn if it asks nothing. A question that
    only the speaker can answer is used only as a last resort. Statements about the speaker are dropped.
    """
    parts = [part for sentence in sentences(text) if (part := _without_telling(sentence))]
    asking = [i for i, part in enumerate(parts) if is_question(part) and (key_terms(part) or points_back(part))]
    if not asking:
        return " ".join(parts), ""
    place = max([i for i in asking if not _is_of_speaker(parts[i])] or asking)
    return after_greeting(parts[place]), " ".join(parts[:place])


def _without_telling(sentence: str) -> str:
    """Return a sentence, or only its final question if the rest of it is about the speaker; "" if the whole sentence
    is.
    """
    for joint in _JOINT.finditer(sentence):
        rest = sentence[joint.end() :]
        if is_question(rest) and begins_with_question_word(rest) and _tells(sentence[: joint.start()]):
            return rest
    return "" if _tells(sentence) else sentence


def _tells(sentence: str) -> bool:
    """Return True if a sentence states a fact about its speaker, or asks the bot to remember a fact."""
    if wished_to_be_kept(sentence) not in ("", sentence):
        return True
    return not is_question(sentence) and any(told_topics(sentence[slice(*span)]) for span in clauses(sentence))


def _meant(asked: str, before: str, turns: Sequence[Turn]) -> str:
    """Return what a question leaves implicit: what its pronouns refer to or, if the question is too short to be clear,
    its topic. Facts that speakers state about themselves are ignored; their other remarks about themselves are
    considered only for a pronoun, if nothing else fits.
    """
    terms = key_terms(asked)
    if not (terms or is_question(asked)) or named_things(asked):  # a text with a name needs no antecedent
        return ""
    if not terms and not before and (said := key_terms(_untold(_turn_before(turns)))):
        return " ".join(said)
    if not points_back(asked):
        return "" if _stands_for_itself(asked, turns) else referent(_impersonal(before), _asked_of_things(turns[:-1]))
    others = [_untold(_own_words(turn)) for turn in turns[:-1]]
    return referent(_impersonal(before), [_impersonal(text) for text in others]) or referent(before, others)


def _stands_for_itself(asked: str, turns: Sequence[Turn]) -> bool:
    """Return True if a question without a pronoun has enough words to be understood without the earlier turns."""
    terms = key_terms(asked)
    if word_count(terms) + bool(terms and _MEASURED.search(folded(asked))) >= _FEW_WORDS:
        return True
    speaker = turns[-1].speaker
    for place, turn in enumerate(turns[:-1]):
        if turn.speaker is speaker and is_question(turn.text) and _asked(turn.text)[0] == asked:
            return bool(terms) and not _meant(*_asked(turn.text), turns[: place + 1])
    return False


def _asked_of_things(turns: Sequence[Turn]) -> list[str]:
    """Return both speakers' questions and the bot's replies; only these can complete a question without a pronoun."""
    asking = [turn for turn in turns if turn.speaker is Speaker.SELF or is_question(turn.text)]
    return [_impersonal(_own_words(turn)) for turn in asking]


def _untold(text: str) -> str:
    """Return the text without statements about its speaker."""
    return " ".join(part for sentence in sentences(text) if (part := _without_telling(sentence)))


def _impersonal(text: str) -> str:
    """Return the text without the sentences in which the speaker refers to themselves."""
    return " ".join(one for one in sentences(_untold(text)) if not _is_of_speaker(one))


def _is_of_speaker(text: str) -> bool:
    """Return True if the text is about its speaker, or asks for something that only they can know."""
    return tells_about_speaker(text) or asks_for_everything(text) or asks_about_speaker(text)


def _own_words(turn: Turn) -> str:
    """Return a turn without quotes from documents, their places, and this engine's set phrases."""
    if turn.speaker is not Speaker.SELF:
        return turn.text
    return " ".join(one for one in sentences(_QUOTED.sub(" ", turn.text)) if not is_set_phrase(one))


def _turn_before(turns: Sequence[Turn]) -> str:
    """Return the last speaker's previous turn, which a question made only of pronouns refers to."""
    return next((turn.text for turn in reversed(turns[:-1]) if turn.speaker is turns[-1].speaker), "")
