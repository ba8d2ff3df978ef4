"""Who did what to whom: the role in which a question has a name, and whether a sentence has it in the other one.

By the order of words, passive voice and "by", in English. What cannot be told so is not held against a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from investigator.language.terms import folded, porter_stem, stop_words
from investigator.questions.related import related_roots, root, roots

_SUBJECT_ASKED = re.compile(r"\s*(?:which|what|who)\b", re.IGNORECASE)
_AUXILIARY = r"\b(?:did|does|do|has|have|had|will)\s+(?:the\s+)?"
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_FORMS_OF_BE = frozenset({"is", "are", "was", "were", "been", "be", "being"})
_BY, _TO = "done by ", "done to "
_FAR = 9  # words between the word that asks and the name
_BEFORE, _AFTER, _AGENT_WITHIN = 3, 8, 6  # words


def roles(question: str, names: Iterable[str]) -> Iterator[str]:
    """Yield for each name that the question writes as subject or object of a verb which it is, with the verb."""
    for name in names:
        if match := re.search(rf"{_AUXILIARY}{re.escape(name)}\s+([a-z]+)", question):
            yield f"{_BY}{name} | {match.group(1)}"
        elif (match := _SUBJECT_ASKED.match(question)) and name in question:
            between = question[match.end() : question.find(name)].split()
            done = [word for word in between if is_past(word)]
            if done and len(between) <= _FAR:
                yield f"{_TO}{name} | {done[0]}"


def is_past(word: str) -> bool:
    """Return True if a word looks like a past form."""
    return word.islower() and (word.endswith("ed") or root(word) != porter_stem(word)) and word not in stop_words()


def turned_round(role: str, sentence: str) -> str:
    """Return the words of a sentence that have the name of a role in the other role; "" if none do."""
    name, _, verb = role.removeprefix(_BY).removeprefix(_TO).rpartition(" | ")
    same = {root(folded(verb))} | related_roots(folded(verb))
    tokens = _TOKEN.findall(sentence)
    for at, token in enumerate(tokens):
        if root(folded(token)) in same:
            before, after = tokens[max(0, at - _BEFORE) : at], tokens[at + 1 : at + 1 + _AFTER]
            acts, suffers = _roles_in(roots(name), before, after)
            if (role.startswith(_BY) and suffers and not acts) or (role.startswith(_TO) and acts and not suffers):
                return " ".join((*before, token, *after))
    return ""


def _roles_in(name: frozenset[str], before: Sequence[str], after: Sequence[str]) -> tuple[bool, bool]:
    """Return whether a name acts, and whether something is done to it, by the words around a verb."""
    folded_after = [folded(word) for word in after]
    agent_at = folded_after.index("by") if "by" in folded_after[:_AGENT_WITHIN] else None
    if agent_at is None and _FORMS_OF_BE.isdisjoint(folded(word) for word in before):
        return bool(name & roots(" ".join(before))), bool(name & roots(" ".join(after)))
    agent = roots(" ".join(after[agent_at + 1 :])) if agent_at is not None else frozenset()
    acts = bool(agent & name)
    return acts, bool(name & roots(" ".join(before))) or (bool(agent) and not acts)
