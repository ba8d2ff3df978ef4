"""Analyses a turn in a conversation: its sentences, the things that it names, its key terms and the meaning of its
pronouns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.bb3.extractive.asking_forms import (
    asking_words,
    asks_anywhere,
    has_question_mark,
    is_preposition,
)
from investigator.bb3.extractive.turn_words import WordKind, bare, is_kind
from investigator.bb3.records import Turn
from investigator.language.sentences import sentence_spans
from investigator.language.terms import TOKEN, folded, spaced, stop_words, tokens

_TITLE = re.compile(r"(?:\"(?=[^\"]*\")|[“«„])([^\"“”«»„]{2,40})[\"“”»]")
_IMPERSONAL = re.compile(
    r"\b(?:is|was|be|will|would) it (?:\w+ ){1,2}(?:to|that|for)\b|\bis it (?:true|likely|known)\b", re.IGNORECASE
)
_POSSESSIVE = re.compile(r"['’]s$")
_INSIDE_NAMES = frozenset(["of", "the", "de", "la", "du", "del", "van", "von", "der", "and", "und", "&"])
_FADING = 0.7
_NAMED = 1.5
_MOST_TERMS = 3
_INQUIRY = re.compile(
    r"\b(do you (i )?know|i wonder|wondering|tell me|weisst du|sais-tu|sabes"
    r"|(can|could) you (also |actually |please )?(tell|say|see|check|look up|find out)"
    r"|(know|tell|see|check) (if|whether|what|when|where|who|how))\b"
)


def last_text(turns: Sequence[Turn]) -> str:
    """Return the last turn's text; "" if there are no turns."""
    return turns[-1].text if turns else ""


def sentences(text: str) -> list[str]:
    """Return the sentences in a turn, verbatim."""
    whole = text.encode("utf-8", "replace").decode("utf-8")  # the segmenter rejects lone surrogates
    return [text[start:end] for start, end in sentence_spans(whole)]


def begins_with_question_word(text: str) -> bool:
    """Return True if the text begins with a question word, perhaps after a preposition; in some languages the question
    word may be anywhere.
    """
    first = TOKEN.search(text)
    if first is None:
        return False
    if _asks(first.group()) or bare(first.group()) in asking_words():
        return True
    if is_preposition(bare(first.group())) and (second := TOKEN.search(text, first.end())) is not None:
        return _asks(second.group()) or bare(second.group()) in asking_words()
    return asks_anywhere(text)


def inquires(text: str) -> bool:
    """Return True if the text asks, even indirectly, for information ("could you check whether ...")."""
    return _INQUIRY.search(folded(text)) is not None


def is_question(sentence: str) -> bool:
    """Return True if a sentence is a question, judging by its question mark, its first word, or its phrasing."""
    return has_question_mark(sentence) or begins_with_question_word(sentence) or inquires(sentence)


def first_person(text: str) -> bool:
    """Return True if the speaker refers to themselves."""
    return any(is_kind(token, WordKind.FIRST_PERSON) for token in tokens(text))


def points_back(text: str) -> bool:
    """Return True if a word of the text refers to something earlier, except the "it" of "is it safe to"."""
    return any(is_kind(token, WordKind.POINTS_BACK) for token in tokens(_IMPERSONAL.sub(" ", text)))


def tells_about_speaker(text: str) -> bool:
    """Return True if the speaker talks about themselves without asking anything."""
    return first_person(text) and not is_question(text)


def named_things(text: str) -> list[str]:
    """Return titles between quotation marks and runs of capitalised words, in order and without repetitions.

    The first word of a sentence counts as a name only if other capitalised words follow it, or if it has capitals after
    its first letter (NASA, iPhone).
    """
    names = _TITLE.findall(text)
    for sentence in sentences(_TITLE.sub(" , ", text)):
        names.extend(_names(sentence))
    return list(dict.fromkeys(names))


def key_terms(text: str) -> list[str]:
    """Return each content word once, as written, except words such as "tell", which only keep a conversation going."""
    found: dict[str, str] = {}
    for token in tokens(text):
        if _carries_meaning(token):
            found.setdefault(bare(token), _POSSESSIVE.sub("", token))
    return list(found.values())


def word_count(terms: Sequence[str]) -> int:
    """Return the number of words; in a script without spaces, each pair of characters counts as one."""
    return sum(len(spaced(term).split()) for term in terms)


def things_spoken_of(text: str) -> list[str]:
    """Return the names in a turn, followed by the other things it mentions: each run of one or two content words, or
    the last word of a longer run.
    """
    names = named_things(text)
    parts = {bare(token) for name in names for token in tokens(name)}
    phrases: list[list[str]] = [[]]
    for token in tokens(text):
        if _carries_meaning(token) and bare(token) not in parts:
            phrases[-1].append(_POSSESSIVE.sub("", token))
        else:
            phrases.append([])
    return list(dict.fromkeys([*names, *(" ".join(p if len(p) <= 2 else p[-1:]) for p in phrases if p)]))


def salient(turns: Sequence[str], *, names_only: bool = False) -> str:
    """Return the thing that the turns (newest last) mention most often; "" if they mention nothing. Later turns have
    more weight.
    """
    weights: dict[str, float] = {}
    written: dict[str, str] = {}
    for age, text in enumerate(reversed(turns)):
        names = named_things(text)
        for thing in names if names_only else things_spoken_of(text):
            weights[bare(thing)] = weights.get(bare(thing), 0.0) + _FADING**age * (_NAMED if thing in names else 1.0)
            written.setdefault(bare(thing), thing)
    best = max(weights, key=weights.__getitem__, default=None)
    return written[best] if best is not None else ""


def referent(before: str, turns: Sequence[str]) -> str:
    """Return the antecedent of a pronoun, given the text `before` it in its own turn and the earlier turns (newest
    last).

    The previous turn is tried first, then the most frequent name and, if nothing is named, the newest key terms.
    """
    if said := named_things(before) or key_terms(before)[-_MOST_TERMS:]:
        return said[-1] if named_things(before) else " ".join(said)
    named = salient(turns, names_only=True)
    return named or next((" ".join(terms[-_MOST_TERMS:]) for text in reversed(turns) if (terms := key_terms(text))), "")


def _names(sentence: str) -> list[str]:
    names: list[str] = []
    run: list[re.Match[str]] = []
    for token in TOKEN.finditer(sentence):
        if run and not _goes_on(run[-1], sentence[run[-1].end() : token.start()], token.group()):
            names.extend(_closed(run, sentence))
            run = []
        if run or _looks_like_name(token.group()):
            run.append(token)
    return [*names, *_closed(run, sentence)]


def _goes_on(last: re.Match[str], gap: str, token: str) -> bool:
    return gap == " " and not _POSSESSIVE.search(last.group()) and (_looks_like_name(token) or token in _INSIDE_NAMES)


def _closed(run: list[re.Match[str]], sentence: str) -> list[str]:
    """Return the words of the name in a run of words; empty if the run contains no name."""
    while run and run[-1].group() in _INSIDE_NAMES:
        run.pop()
    if not run:
        return []
    case_tells = any(char.isupper() for char in run[0].group()[1:])
    if len(run) == 1 and not sentence[: run[0].start()].strip("\"'“”‘’([- ") and not case_tells:
        return []
    return [_POSSESSIVE.sub("", sentence[run[0].start() : run[-1].end()])]


def _looks_like_name(token: str) -> bool:
    return len(token) > 1 and any(char.isupper() for char in token) and _carries_meaning(token)


def _carries_meaning(token: str) -> bool:
    known = bare(token) in stop_words() or any(is_kind(token, kind) for kind in WordKind)
    return not known and not _asks(token) and (token.isascii() or bare(token) not in asking_words())


def _asks(token: str) -> bool:
    """Return True if a token is a question word; "who's" is treated as "who"."""
    return is_kind(re.split("['’]", token, maxsplit=1)[0], WordKind.ASKING)
