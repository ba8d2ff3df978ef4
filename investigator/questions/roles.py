"""Who did what to whom: the role that a question gives a thing, and whether a sentence gives it another or none.

By the order of words, passive voice and "by", in English. What cannot be told so is not held against a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from investigator.language.sentences import sentence_spans
from investigator.language.terms import folded, stop_words, words
from investigator.questions.cues import cues
from investigator.questions.order import clause, is_past
from investigator.questions.related import related_roots, root, roots

_SUBJECT_ASKED = re.compile(r"\s*(?:which|what|who)\b", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_FORMS_OF_BE = frozenset({"is", "are", "was", "were", "been", "be", "being"})
_BY, _TO = "done by ", "done to "
_FAR = 9  # words between the word that asks and the name
_BEFORE, _AFTER, _AGENT_WITHIN = 3, 8, 6  # words
_CLAUSE_END = re.compile(r"[,;:.()]|\b(?:and|but|or|because|since|that|which|who|if|when|while)\b")


def roles(question: str, names: Iterable[str]) -> Iterator[str]:
    """Yield for the subject of a question, and for names as its object, what they do or what is done to them."""
    if found := clause(question):
        yield f"{_TO if found.is_passive else _BY}{' '.join(found.subject)} | {found.verb}"
        return
    for name in names:
        if (match := _SUBJECT_ASKED.match(question)) and name in question:
            between = question[match.end() : question.find(name)].split()
            done = [word for word in between if is_past(word)]
            if done and len(between) <= _FAR:
                yield f"{_TO}{name} | {done[0]}"


def is_of_another(role: str, sentence: str, near: str = "") -> bool:
    """Return True if a sentence says what is done of something else than the thing of a role.

    It has the verb, not the thing, and neither a pronoun nor a word such as "the company" that may mean the thing; or
    it has the thing, and the verb stands beside it alone: then what is done is said elsewhere.
    """
    name, _, verb = role.removeprefix(_BY).removeprefix(_TO).rpartition(" | ")
    said = roots(sentence)
    if said & roots(name):
        return root(verb) not in said and root(verb) in roots(near)
    if not said.isdisjoint(_pointing()):
        return False
    found = (match for match in _TOKEN.finditer(sentence) if root(folded(match.group())) == root(verb))
    return any(_has_subject(sentence[: match.start()]) for match in found)


def _has_subject(before: str) -> bool:
    """Return True if something that carries meaning stands before a verb in its clause."""
    own = words(_CLAUSE_END.split(before)[-1])
    return any(word not in stop_words() and not word.endswith("ly") for word in own)


@cache
def _pointing() -> frozenset[str]:
    return roots(cues("pointing")["words"])


def turned_round(role: str, text: str) -> str:
    """Return the words of a sentence of a text that have the name of a role in the other role; "" if none do."""
    name, _, verb = role.removeprefix(_BY).removeprefix(_TO).rpartition(" | ")
    same = {root(folded(verb))} | related_roots(folded(verb))
    sentences = (_TOKEN.findall(text[start:end]) for start, end in sentence_spans(text))
    return next((turned for tokens in sentences if (turned := _turned(role, roots(name), same, tokens))), "")


def _turned(role: str, name: frozenset[str], same: Collection[str], tokens: Sequence[str]) -> str:
    for at, token in enumerate(tokens):
        if root(folded(token)) in same and root(folded(token)) not in name:  # "the ferry carries"
            before, after = tokens[max(0, at - _BEFORE) : at], tokens[at + 1 : at + 1 + _AFTER]
            acts, suffers = _roles_in(name, before, after)
            if (role.startswith(_BY) and suffers and not acts) or (role.startswith(_TO) and acts and not suffers):
                return " ".join((*before, token, *after))
    return ""


def _roles_in(name: frozenset[str], before: Sequence[str], after: Sequence[str]) -> tuple[bool, bool]:
    """Return whether a name acts, and whether something is done to it, by the words around a verb."""
    folded_after = [folded(word) for word in after]
    agent_at = folded_after.index("by") if "by" in folded_after[:_AGENT_WITHIN] else None
    if agent_at is not None and "".join(after[agent_at + 1 : agent_at + 2])[:1].isdigit():
        agent_at = None  # "fell by 3 percent" names nobody
    if agent_at is None and _FORMS_OF_BE.isdisjoint(folded(word) for word in before):
        return bool(name & roots(" ".join(before))), bool(name & roots(" ".join(after)))
    agent = roots(" ".join(after[agent_at + 1 :])) if agent_at is not None else frozenset()
    acts = bool(agent & name)
    return acts, bool(name & roots(" ".join(before))) or (bool(agent) and not acts)
