"""Finds sentences that give a cause of the effect in a question, recognised by a causal word next to that effect. For
English text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from investigator.language.terms import content_words
from investigator.questions.constraints import constraints
from investigator.questions.cues import patterns
from investigator.questions.kinds import cue
from investigator.questions.related import phrases, related_roots, root, roots
from investigator.records import ConstraintKind

LEAST_OF_EFFECT = 0.5
"""Minimum share of the effect's words that must be on the effect's side of the causal word."""
_LEAST_TO_ANSWER = 0.75  # minimum share for an answer; low enough that one of two words may be a synonym
_BY_ANOTHER_WORD = 0.5  # weight of a synonym for one of the effect's words
_CLAUSE = re.compile(r"[,;:](?=\s)")


def cause_share(sentence: str, question: str, about: str = "") -> float:
    """Return how many of the question's words for the effect are on the effect side of a sentence, as a share (0..1).

    `about` is the name of the document that contains the sentence. The sentence may omit words of the question that are
    in this name, if the question has others.
    """
    known = roots(about)
    wanted = tuple(word for word in _effect(question) if root(word) not in known) or _effect(question)
    if not wanted:
        return 0.0
    return max((_share(wanted, side) for side in effect_sides(sentence)), default=0.0)


def gives_cause(sentence: str, question: str) -> bool:
    """Return True if a sentence gives a cause of what a question asks about."""
    return cause_share(sentence, question) >= _LEAST_TO_ANSWER


def _share(wanted: tuple[str, ...], side: str) -> float:
    present = roots(side)
    others = [word for word in wanted if root(word) not in present]
    by_verb = _by_single_verb(" ".join(wanted), present)
    related = sum(word in by_verb or not present.isdisjoint(related_roots(word)) for word in others)
    return (len(wanted) - len(others) + _BY_ANOTHER_WORD * related) / len(wanted)


def _by_single_verb(wanted: str, present: frozenset[str]) -> frozenset[str]:
    """Return the words of phrasal verbs for which the text uses a single verb: "cut short" if it contains "stopped"."""
    return frozenset(
        word
        for verb, singles in phrases(wanted)
        if any(root(one) in present for one in singles)
        for word in verb.split()
    )


def follows_from_before(sentence: str) -> bool:
    """Return True if a sentence begins with a word for a consequence, which means that the previous sentence gives the
    cause.
    """
    return patterns("causes")["consequence"].match(sentence) is not None


@lru_cache(maxsize=256)
def _effect(question: str) -> tuple[str, ...]:
    """Return the content words of the effect, without names and periods, which may be anywhere in the document."""
    asked = cue("why").sub(" ", question, count=1)
    said = " ".join(one.text for one in constraints(asked) if one.kind is ConstraintKind.ATTRIBUTE)
    return tuple(content_words(said or asked))


def effect_sides(sentence: str) -> list[str]:
    """Return the parts of a sentence that a causal word marks as effects."""
    sides = []
    for found in patterns("causes")["effect_before"].finditer(sentence):
        before = sentence[: found.start()]
        if before.strip(" \"'“‘(").strip():
            sides.append(before)
        elif (end := _CLAUSE.search(sentence, found.end())) is not None:  # as in "Because it rained, the match ended."
            sides.append(sentence[end.end() :])
    sides += (sentence[found.end() :] for found in patterns("causes")["effect_after"].finditer(sentence))
    return sides
