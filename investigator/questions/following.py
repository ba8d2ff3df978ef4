"""Completes a follow-up question by rules, using the earlier questions. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from investigator.language.late_patterns import late
from investigator.language.terms import stop_words, words
from investigator.questions.constraints import NAMES, constraints
from investigator.questions.cues import cue_words, patterns
from investigator.questions.kinds import kind_of
from investigator.questions.order import clause, verbs
from investigator.questions.periods import spelled_periods
from investigator.questions.roles import CARRIED
from investigator.records import ConstraintKind

_MATTER = (ConstraintKind.ATTRIBUTE, ConstraintKind.CONDITION)
_SAYS_IT_ALL = 4  # minimum number of content words in a self-contained question
_MOST_CARRIED = 4
_LONGEST_CHANGE = 5  # maximum number of words in "and in 2024?"
_ARTICLE = late(r"(?<!\w)(?:the|an?|our|your|my|their|its|his|her)\s+", re.IGNORECASE)
_PREPOSITION = late(r"^(?:for|of|on|at|with|about)\s+", re.IGNORECASE)
_DATED = late(r"\S*\d\S*")
_WORD = late(r"[^\W_][\w'’-]*")


@dataclass(frozen=True)
class EarlierQuestion:
    """A question that was answered earlier, and the documents that its answer cites, most cited first."""

    question: str
    documents: tuple[str, ...] = ()


def completed(question: str, before: Sequence[EarlierQuestion]) -> str:
    """Return a question completed with the names, document and subject that it leaves implicit.

    `before` contains the earlier questions, latest last. A question that is already complete, or asks for documents, is
    returned unchanged.
    """
    if not before:
        return question
    if changed := _with_change(question, before[-1].question):
        return changed
    names_its_own = bool(_names(question)) and not refers_back(question)
    if kind_of(question).is_exhaustive or (names_its_own and _matter_words(question)):
        return question
    carried = next((found for one in reversed(before) if not names_its_own and (found := list(_subject(one)))), [])
    if len(_matter_words(question)) < _SAYS_IT_ALL:
        matter: list[str] = next((found for one in reversed(before) if (found := list(_matter(one)))), [])
        done = verbs(CARRIED.sub("", before[-1].question)) if _matter_words(question) else frozenset[str]()
        # after "who leads the Scouts?", "when do they meet?" is not about leading
        carried += [text for text in matter if not set(words(text)) <= done]
    own = set(words(question))
    new = [text for text in dict.fromkeys(carried) if not own.issuperset(words(text))][:_MOST_CARRIED]
    return f"{question.strip()} ({'; '.join(new)})" if new else question


def refers_back(question: str) -> bool:
    """Return True if a question refers to something known, by a pronoun or by a phrase such as "the difference" or "the
    trial".
    """
    return any(pattern.search(question) for pattern in patterns("following").values())


def speaks_of_finding(question: str) -> bool:
    """Return True if a question refers to an earlier finding by a phrase such as "the difference" or "the trial"."""
    return patterns("following")["finding"].search(question) is not None


def _with_change(question: str, before: str) -> str:
    """Return the last question with the one thing changed that an elliptical question names: a period ("and in 2024?"),
    a name, or what is asked for ("and the excess?"). Return "" for other questions.
    """
    begins = patterns("ellipsis")["begins"].match(question.strip())
    said = question.strip()[begins.end() :].strip(" ,?!.") if begins else ""
    own = words(said)
    if not 0 < len(own) <= _LONGEST_CHANGE or not cue_words("order", "auxiliaries", "whole").isdisjoint(own):
        return ""
    asked = CARRIED.sub("", before).strip()
    carried = before.strip()[len(asked) :]
    if new := spelled_periods(said):
        return _replaced(asked, spelled_periods(asked), new, said) + carried
    if new := _names(f"about {said}"):
        old = _names(asked)
        return _replaced(asked, old, new, "") + carried if len(old) == len(new) == 1 else ""
    thing, old = _PREPOSITION.sub("", said), [*_things(asked)]
    if not old or not _ARTICLE.match(thing):
        return ""
    is_figure = any(patterns("columns")[kind].search(thing) for kind in ("money", "other", "identity"))
    # of "the deposit for the tent", "and the fee?" changes the first, "and the canoe?" the last
    return asked.replace(old[0 if is_figure else -1], thing) + carried


def _replaced(asked: str, old: Sequence[str], new: Sequence[str], otherwise: str) -> str:
    """Return a question with one text replaced; if it has none to replace, `otherwise` is added at its end."""
    if len(old) == len(new) == 1 and (found := re.search(re.escape(old[0]), asked, re.IGNORECASE)):
        return f"{asked[: found.start()]}{new[0]}{asked[found.end() :]}"
    return f"{asked.rstrip(' ?')} {otherwise}?" if otherwise and not old else ""


def _things(question: str) -> Iterator[str]:
    """Yield the phrases with an article: "the main hall" in "how much is the main hall per hour"."""
    found = clause(question)
    ends = stop_words() | cue_words("order", "before_nouns") | {found.verb if found else ""}
    for article in _ARTICLE.finditer(question):
        end = article.end()
        for word in _WORD.finditer(question, article.end()):
            if word.group().lower() in ends or word.group().isdigit() or question[end : word.start()].strip():
                break
            end = word.end()
        if end > article.end():
            yield question[article.start() : end]


def _subject(one: EarlierQuestion) -> Iterator[str]:
    """Return the names in an earlier question, and the document on which its answer is based, if there is only one."""
    yield from _names(one.question)
    yield from spelled_periods(CARRIED.sub("", one.question))
    if len(one.documents) == 1:
        stem = PurePosixPath(one.documents[0]).stem.replace("_", " ")
        if name := " ".join(_DATED.sub(" ", stem).split()):  # the date in it is not that of the question
            yield name


def _matter(one: EarlierQuestion) -> Iterator[str]:
    if carried := CARRIED.search(one.question):
        yield from carried.group(1).split("; ")
    asked = CARRIED.sub("", one.question)
    yield from (found.text for found in constraints(asked) if found.kind in _MATTER)


def _names(question: str) -> list[str]:
    return [one.text for one in constraints(question) if one.kind in NAMES]


def _matter_words(question: str) -> list[str]:
    return [word for one in constraints(question) if one.kind in _MATTER for word in words(one.text)]
