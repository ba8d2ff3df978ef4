"""Compares the roles in a question (who did what to whom) with those in a sentence, which may be reversed. Pure. For
English text. The rules use word order, passive voice and "by"; unclear cases do not count against a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile, pairwise, takewhile

from investigator.language.late_patterns import late
from investigator.language.sentences import sentence_spans
from investigator.language.terms import COMPOUND, folded, stop_words, words
from investigator.questions.cues import cue_roots, cue_words
from investigator.questions.order import clause, is_past
from investigator.questions.related import related_roots, root, roots

_SUBJECT_ASKED = late(r"\s*(?:which|what|who)\b", re.IGNORECASE)
_FORMS_OF_BE = frozenset({"is", "are", "was", "were", "been", "be", "being"})
_BY, _TO = "done by ", "done to "
_AUXILIARIES = frozenset({"do", "does", "did", "can", "could", "will", "would", "should", "may", "might", "must"})
_FAR = 9  # maximum number of words between the question word and the name
_BEFORE, _AFTER, _AGENT_WITHIN, _OBJECT_WITHIN, _BY_WITHIN = 3, 8, 6, 3, 10  # maximum distances in words
_CLAUSE_END = late(r"[,;:.()]|\b(?:and|but|or|because|since|that|which|who|if|when|while)\b")
_CLAUSE_MARK = late(r"[,;:.()]|\b(?:because|since|that|which|who|if|when|while)\b")
_WHO_DOES = late(
    r"\W*(?:who|(?:which|what)(?P<kind>(?:\s+[\w'’-]+){1,2}?))"
    r"(?:\s+(?:has|have|had|must|should|shall|can|may|will|to|been|also|still|now))*"
    r"\s+(?P<verb>[\w-]+)(?:\s+(?:for|after|to|on|about|at|over))?(?:\s+(?:the|an?|its|their|his|her|our))?"
    r"\s+(?P<object>[^?]+)",
    re.IGNORECASE,
)
CARRIED = late(r"\(([^()]*)\)\s*$")
_OBJECT_PRONOUNS = frozenset(["it", "them", "him", "her"])
_PRONOUNS = frozenset(["it", "they", "he", "she"])
_LONGEST_OBJECT = 3  # maximum number of words in the object of an obligation
_NEXT = late(r"\s+[a-z][\w-]+")
_COMPLEMENT = late(r"^[^.;:]{0,40}?\bto (?!the\b|an?\b|[A-Z\d])[a-z]+ (?:the|an?|its|their|his|her|our)\b")
"""Matches an infinitive phrase that is the object of a verb: "decided on 5 May to hold the fair"."""
_POSSESSIVE = late(r"(?:s['’]|['’]s)\s*$")


def roles(question: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the roles in a question: its subject with the verb, or else a name as the object of a verb."""
    if found := clause(question):
        yield f"{_TO if found.is_passive else _BY}{' '.join(found.subject)} | {found.verb}"
        return
    for name in names:
        if (match := _SUBJECT_ASKED.match(question)) and name in question:
            between = question[match.end() : question.find(name)].split()
            done = [word for word in between if is_past(word)]
            if not _AUXILIARIES.isdisjoint(between):
                continue  # as in "what part of deferred revenue does Apple expect"
            if done and len(between) <= _FAR:
                yield f"{_TO}{name} | {done[0]}"
                return
    if object_asked := _object(question):
        yield object_asked


def subject_and_verb(role: str) -> tuple[str, str]:
    """Return the thing that has a role, and the verb whose agent or object it is."""
    thing, _, verb = role.removeprefix(_BY).removeprefix(_TO).rpartition(" | ")
    return thing, verb


def is_active_for(question: str, sentence: str) -> bool:
    """Return True if a sentence says in the active voice what a question asks in the passive voice: it has the same
    verb without a form of "be" before it, immediately followed by the thing that the verb acts on.
    """
    asked = clause(question)
    if asked is None or not asked.is_passive or root(asked.verb) not in roots(sentence):
        return False
    thing = [root(word) for word in words(" ".join(asked.subject))]
    return any(_is_active(thing, before, after) for before, after in _around(asked.verb, sentence))


def _is_active(thing: Sequence[str], before: str, after: str) -> bool:
    """Return True if a verb between two pieces of a sentence is in the active voice and acts on a thing."""
    be = cue_words("order", "forms_of_be") | cue_words("order", "passive")
    leading, following = (
        [word for word in map(folded, COMPOUND.findall(text)) if word not in cue_words("order", "determiners")]
        for text in (before, _CLAUSE_END.split(after)[0])
    )
    next_word = "".join(following[len(thing) :][:1])
    is_whole = not next_word.isalpha() or next_word in stop_words()  # "the roof" is not "the roof garden"
    is_object = [root(word) for word in following[: len(thing)]] == thing
    return bool(leading) and leading[-1] not in be and is_object and is_whole


@lru_cache(maxsize=512)
def _object(question: str) -> str:
    """Return the object of an obligation, such as "garden" in "who has to maintain the garden"; "" without an
    obligation.
    """
    match = _WHO_DOES.match(question)
    verb = folded(match["verb"]) if match else ""
    if match is None or verb in stop_words() or root(verb) in cue_roots("empty"):
        return ""
    if match["kind"] is not None and not is_past(verb):
        return ""
    own = list(takewhile(lambda word: folded(word) not in stop_words(), COMPOUND.findall(match["object"])))
    if not own and folded(match["object"].split()[0]) in _OBJECT_PRONOUNS and (told := CARRIED.search(question)):
        own = words(told.group(1))  # as in "who holds it? (the deposit)"
    if not own or own[0].isdigit():
        return ""
    return f"{_TO}{' '.join(own[:_LONGEST_OBJECT])} | {verb}"


def lacks_verb(role: str, sentence: str) -> bool:
    """Return True if a sentence contains neither the verb of a role nor a synonym of that verb."""
    verb = folded(subject_and_verb(role)[1])
    return ({root(verb)} | related_roots(verb)).isdisjoint(roots(sentence))


def is_of_another(role: str, sentence: str, before: str = "") -> bool:
    """Return True if a sentence says that something is done, but not to the thing that has the role. This is so if the
    sentence does not mention the thing by name, by a pronoun or by a phrase such as "the company", or if it has a
    pronoun but the text `before` does not name the thing.
    """
    thing, verb = subject_and_verb(role)
    said = roots(sentence)
    if said & roots(_telling(thing)):
        return role.startswith(_TO) and _is_done_beside(roots(_telling(thing)), root(folded(verb)), sentence)
    around = _around(verb, sentence)
    has_other = [_has_object(*both) if role.startswith(_TO) else _has_subject(both[0]) for both in around]
    if has_other and all(has_other):
        return True
    points_back = not _PRONOUNS.isdisjoint(words(sentence)[:1])
    return points_back and bool(before.strip()) and roots(_telling(thing)).isdisjoint(roots(before))


def is_attribute(role: str, sentence: str) -> bool:
    """Return True if a sentence uses the verb only to modify a noun: "six months' written notice"."""
    verb = subject_and_verb(role)[1]
    found = [match for match in COMPOUND.finditer(sentence) if folded(match.group()) == verb]
    return (
        role.startswith(_TO)
        and bool(found)
        and all(_qualifies(sentence[: m.start()], sentence[m.end() :]) for m in found)
    )


def _qualifies(before: str, after: str) -> bool:
    """Return True if a participle between two pieces of a sentence modifies the noun after it."""
    noun, opening = _NEXT.match(after), words(before)[-1:]
    if noun is None or noun.group().strip() in stop_words() or noun.group().endswith("ly"):
        return False
    return bool(_POSSESSIVE.search(before)) or not cue_words("order", "determiners", "before_nouns").isdisjoint(opening)


def _is_done_beside(name: frozenset[str], verb: str, sentence: str) -> bool:
    """Return True if a verb with its agent follows another name: "the Skua, sailed by Inge, beat the Petrel"."""
    leading = [words(before)[-_FAR:] for before, after in _around(verb, sentence) if words(after)[:1] == ["by"]]
    return bool(leading) and not any(
        name & set(map(root, before)) or not _FORMS_OF_BE.isdisjoint(before[-_BEFORE:]) for before in leading
    )


def leaves_doer_out(question: str, sentence: str) -> bool:
    """Return True if a question asks who did something, and the sentence says only that it was done."""
    match = _WHO_DOES.match(question)
    if match is None or not is_past(match["verb"]):
        return False
    around = _around(folded(match["verb"]), sentence)
    return bool(around) and not any(_is_doer(*both) or words(both[1])[:1] == ["by"] for both in around)


def names_doer(role: str, sentence: str) -> bool:
    """Return True if a sentence names who does something to a thing: "the tenant maintains the garden"."""
    thing, verb = subject_and_verb(role)
    if not role.startswith(_TO) or roots(thing).isdisjoint(roots(sentence)):
        return False
    return any(_is_doer(*both) and not _is_subject(thing, *both) for both in _around(verb, sentence))


def _is_subject(thing: str, before: str, after: str) -> bool:
    """Return True if a thing is named before a verb but not after it, and the words around the verb contain neither a
    relative pronoun nor "by".
    """
    own, is_relative = roots(thing), re.search(r"\b(?:which|that|whom|by)\b", f"{before} | {after}") is not None
    return not is_relative and not own.isdisjoint(roots(before)) and own.isdisjoint(roots(after))


def _around(verb: str, sentence: str) -> list[tuple[str, str]]:
    """Return the texts before and after each occurrence of a verb in a sentence; if the verb does not occur, use its
    synonyms.
    """
    same = {root(verb)} if root(verb) in roots(sentence) else related_roots(verb)
    found = (match for match in COMPOUND.finditer(sentence) if root(folded(match.group())) in same)
    return [(sentence[: match.start()], sentence[match.end() :]) for match in found]


def _is_doer(before: str, after: str) -> bool:
    own = words(_CLAUSE_END.split(before)[-1])
    if own[-1:] and (own[-1] in cue_words("order", "determiners") or own[-1].isdigit()):
        return False  # as in "the proposal", "by 3 votes"
    if _FORMS_OF_BE.isdisjoint(own[-_BEFORE:]):
        return _has_subject(before)
    follows, inside = words(after), len(words(_CLAUSE_END.split(after)[0]))
    agents = (follows[at + 1 :] for at, word in enumerate(follows[: min(inside, _BY_WITHIN)]) if word == "by")
    named = (each for each in agents if each and not each[0][:1].isdigit())
    return any(word not in stop_words() for each in named for word in _agent(each))


def _telling(thing: str) -> str:
    """Return the names among the words for a thing, because they identify it; if there are none, return all words."""
    return " ".join(word for word in thing.split() if word[:1].isupper()) or thing


def _agent(following: Sequence[str]) -> Iterator[str]:
    """Yield the words for the agent after "by": "Jan Brand" in "by Jan Brand and the bridge"."""
    own = dropwhile(lambda word: folded(word) in cue_words("order", "determiners"), following)
    yield from takewhile(lambda word: folded(word) not in stop_words(), own)


def _has_subject(before: str) -> bool:
    """Return True if the subject before a verb in its clause is more than a pronoun."""
    own = words(_CLAUSE_END.split(before)[-1]) or words(_CLAUSE_MARK.split(before)[-1])
    if any(root(word) in cue_roots("pointing") and not _is_object(own, at) for at, word in enumerate(own)):
        return False
    return any(word not in stop_words() and not word.endswith("ly") for word in own)


def _is_object(own: Sequence[str], at: int) -> bool:
    """Return True if the word at a position is a pronoun after a verb: "replaces it and carries"."""
    before = own[at - 1] if at else ""
    is_verb = before not in stop_words() and (before.endswith("s") or is_past(before))
    return own[at] in _OBJECT_PRONOUNS and is_verb


def _has_object(before: str, after: str) -> bool:
    """Return True if a verb has an object other than a pronoun: after it or, in the passive voice, before it."""
    own = words(_CLAUSE_END.split(before)[-1])
    is_named = before.split()[-1:] and before.split()[-1][0].isupper()  # the sentence gives an agent but no object
    if not _FORMS_OF_BE.isdisjoint(own[-_BEFORE:]):
        return _has_subject(before)
    if _COMPLEMENT.search(after):
        return True
    if _is_alone(after) and not is_named:
        return _has_subject(before)  # as in "bisoprolol stopped because the heart rate fell"
    follows = words(_CLAUSE_END.split(after)[0])[:_OBJECT_WITHIN]
    plain = [word for word in follows if word not in cue_words("order", "determiners")]
    return bool(plain) and plain[0] not in stop_words() and root(plain[0]) not in cue_roots("pointing")


def _is_alone(after: str) -> bool:
    """Return True if no object follows a verb in its clause."""
    follows = ["", *words(_CLAUSE_END.split(after)[0])]
    before_nouns, determiners = (cue_words("order", name) for name in ("before_nouns", "determiners"))
    has_object = any(word in determiners and before not in before_nouns for before, word in pairwise(follows))
    return len(follows) == 1 or (follows[1] in before_nouns and follows[1] != "by" and not has_object)


def turned_round(role: str, text: str) -> str:
    """Return the words in the text that give the thing the opposite role; "" if no sentence does."""
    name, verb = subject_and_verb(role)
    own = root(folded(verb))
    same = {own} if own in roots(text) else related_roots(folded(verb))
    sentences = (COMPOUND.findall(text[start:end]) for start, end in sentence_spans(text))
    return next((turned for tokens in sentences if (turned := _turned(role, roots(name), same, tokens))), "")


def _turned(role: str, name: frozenset[str], same: Collection[str], tokens: Sequence[str]) -> str:
    for at, token in enumerate(tokens):
        if root(folded(token)) in same and root(folded(token)) not in name:  # as in "the ferry carries"
            before, after = tokens[max(0, at - _BEFORE) : at], tokens[at + 1 : at + 1 + _AFTER]
            is_noun = after[:1] == ["of"] or (before and folded(before[-1]) in cue_words("order", "determiners"))
            if is_noun or (role.startswith(_TO) and is_past(token) and _is_alone(" ".join(after))):
                # as in "the price of the loaf", or in "the trial stopped because ..." for a trial that was stopped
                continue
            acts, suffers = _roles_in(name, before, after, is_verb=is_past(folded(token)))
            if (role.startswith(_BY) and suffers and not acts) or (role.startswith(_TO) and acts and not suffers):
                return " ".join((*before, token, *after))
    return ""


def _roles_in(name: frozenset[str], before: Sequence[str], after: Sequence[str], *, is_verb: bool) -> tuple[bool, bool]:
    """Return two flags, determined from the words around a verb: True if the name acts, and True if something is done
    to it.
    """
    folded_after = [folded(word) for word in after]
    agent_at = folded_after.index("by") if "by" in folded_after[:_AGENT_WITHIN] else None
    if agent_at is not None and "".join(after[agent_at + 1 : agent_at + 2])[:1].isdigit():
        agent_at = None  # "fell by 3 percent" names no agent
    is_active = not is_verb or _FORMS_OF_BE.isdisjoint(folded(word) for word in before)  # "is liable" is not a passive
    if agent_at is None and is_active:
        suffers = takewhile(lambda word: folded(word) != "from", after)  # as in "heard from the firm that"
        return bool(name & roots(" ".join(before))), bool(name & roots(" ".join(suffers)))
    agent = roots(" ".join(_agent(after[agent_at + 1 :]))) if agent_at is not None else frozenset()
    acts = bool(agent & name)
    return acts, bool(name & roots(" ".join(before))) or (bool(agent) and not acts)
