"""Decides a yes-or-no question based on a statement: a clause of a sentence, a row of a table or a cell. Pure.

A statement decides only if it contains every word of the question, without qualification.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from investigator.language.amounts import Amount
from investigator.language.claim_words import slot_words
from investigator.language.late_patterns import late
from investigator.language.negation import contradicts, negates
from investigator.language.normalise import normalise
from investigator.language.terms import content_words, stop_words, words
from investigator.questions.asked_amounts import plain_amounts, relation
from investigator.questions.assertions import assertions, is_of_other_name
from investigator.questions.constraints import constraints
from investigator.questions.cues import cue_words, is_direction, patterns
from investigator.questions.indefinite import about_anybody, with_anybody
from investigator.questions.matching import matches
from investigator.questions.order import is_past
from investigator.questions.related import is_verb, related_roots, root, roots
from investigator.questions.roles import is_active_for
from investigator.questions.spans import moments
from investigator.questions.surroundings import Surroundings
from investigator.questions.votes import decision_of_vote
from investigator.records import ConstraintKind, ConstraintMatch, Decision, MatchState, Part
from investigator.tables.cells import TableView
from investigator.tables.listing import says_yes_or_no

# minimum number of the question's words in the sentence itself; one is enough for a question about an amount
_FEWEST = 2
_STOP = re.compile(r"(?<=[^\W\d][.;!?])\s+")
_ITEM = re.compile(r"^\W*\d+(?:\.\d+)*[.)]\s+")
_MONTH = re.compile(r"(?<=[\w,] )May\b")  # the month, not the modal verb
_QUALIFYING = ("condition", "modality", "scope", "attribution")
_IS_THERE = late(r"\W*(?:is|are|was|were) there\b", re.IGNORECASE)
_ASKS_NOW = late(r"\W*(?:is|are|does|do|can|may|must)\b", re.IGNORECASE)
_WAS_SO = late(r"\b(?:was|were|cost|had)\b", re.IGNORECASE)
_GROUP = late(r"\b(?:under|over|aged|below|above) \d+\b", re.IGNORECASE)
_MAY_BE_DENIED = frozenset({ConstraintKind.MODALITY, ConstraintKind.ROLE})


def decision_of_sentence(part: Part, evidence: Surroundings, about: frozenset[str]) -> Decision | None:
    """Return the decision given by a clause of a sentence; None if no clause contains everything that the question asks
    about.

    `about` contains the roots of the words in the document's name.
    """
    before = evidence.before.rstrip().rpartition("\n\n")[2]
    if vote := decision_of_vote(part.question, evidence.sentence, before):
        return vote
    if patterns("yes_no")["asks_permission"].match(part.question) and _forbids(part.question, evidence.sentence):
        return Decision.NO
    if of_anybody := with_anybody(part.question):
        part = part.changed(question=of_anybody, constraints=constraints(of_anybody))
        evidence = replace(evidence, sentence=about_anybody(evidence.sentence))
    question, wanted = _without_amounts(part.question)
    bound = part.constraints
    if wanted:  # in a question about an amount, it does not matter who does what
        bound = tuple(one for one in constraints(question) if one.kind is not ConstraintKind.ROLE)
    sentence, fewest = evidence.sentence, 1 if wanted else _FEWEST
    every = (part for each in assertions(sentence) for part in (_without_cause(each), each))
    clause = next((each for each in every if _says_all(question, each, about, fewest)), "")
    if not clause or _qualified(sentence, question):
        return None
    own = matches(bound, question, replace(evidence, sentence=clause))
    decision = _settled([match for match in own if match.state is not MatchState.MET], question, clause)
    return _with_amount(decision, part.question, wanted, sentence) if wanted else decision


def is_reported(question: str, sentence: str) -> bool:
    """Return True if a sentence attributes its statement to somebody."""
    return not slot_words("attribution").isdisjoint(set(words(sentence)) - set(words(question)))


def decision_of_cell(question: str, value: str) -> Decision | None:
    """Return the decision that follows from a cell's value: the value itself if it says yes or no, otherwise yes if the
    question names it.
    """
    said = says_yes_or_no(value)
    if negates(question):
        return None
    if said is None:
        return Decision.YES if words(value) and set(words(value)) <= set(words(question)) else None
    return Decision.YES if said else Decision.NO


def decision_of_row(question: str, view: TableView, row: int, about: frozenset[str]) -> Decision | None:
    """Return yes if a row has every word of the question in its values, or in headers whose values the question
    names.
    """
    asked = {root(word) for word in _content(question)} - about
    said = frozenset[str]()
    for cell in view.rows[row]:
        own = roots(view.words(cell))
        said |= own
        if own & asked:
            if negates(view.words(cell)):
                return None
            said |= roots(" ".join(view.column_headers(cell)))
    return Decision.YES if len(asked) >= _FEWEST and asked <= said and not negates(question) else None


def _settled(failing: Sequence[ConstraintMatch], question: str, clause: str) -> Decision | None:
    """Return the decision that follows from the unmet constraints of a clause that contains all words of the
    question.
    """
    contradicted = {match.constraint.kind for match in failing if match.state is MatchState.CONTRADICTED}
    others = {match.constraint.kind for match in failing} - contradicted
    opposite = " ".join(match.words for match in failing if match.constraint.kind is ConstraintKind.DIRECTION)
    added = set(words(clause)) - set(words(f"{question} {opposite}"))
    denies = negates(clause) or not slot_words("polarity").isdisjoint(added)
    if negates(question):
        return None
    if contradicted == {ConstraintKind.DIRECTION}:  # the question asks about a fall, and the clause reports a rise
        return Decision.NO if not denies and others <= {ConstraintKind.ROLE} else None
    if others or not contradicted <= _MAY_BE_DENIED:
        return None
    if denies:
        said = " ".join(_as_said(word, clause) for word in _content(question))
        return Decision.NO if contradicts(said, [clause]) else None
    return None if contradicted else Decision.YES


def _as_said(word: str, clause: str) -> str:
    """Return the synonym that a clause uses for a word, or the word itself if the clause contains it or has no synonym
    for it.
    """
    if root(word) in roots(clause):
        return word
    same = related_roots(word)
    return next((other for other in words(clause) if root(other) in same), word)


def _says_all(question: str, sentence: str, about: frozenset[str], fewest: int) -> bool:
    """Return True if a sentence contains the content words of a question in order, except those that name the document.
    If the question asks what somebody is, no other name may occur between these words.
    """
    plain = words(sentence)
    said = [root(word) for word in plain]
    places = []
    for word in _content(question):
        same = {root(word)} if root(word) in said else related_roots(word)
        place = next((at for at, one in enumerate(said) if one in same), None)
        if place is not None:
            places.append(place)
        elif root(word) not in about and not is_direction(word):
            return False
    if is_active_for(question, sentence):  # e.g. "we did not call the guard" answers "was the guard called?"
        return len(places) >= fewest
    if _IS_THERE.match(question):  # "on route 3 there is no assistant" decides "is there an assistant on route 3?"
        return len(places) >= fewest
    is_equated = not cue_words("order", "forms_of_be").isdisjoint(words(question)[:1])
    return len(places) >= fewest and all(
        first < second and not (is_equated and is_of_other_name(plain[first], plain[second], sentence))
        for first, second in pairwise(places)
    )


def _forbids(question: str, sentence: str) -> bool:
    """Return True if a clause forbids exactly what a question asks about."""
    forbidden = patterns("yes_no")["forbidden"]
    asked = {root(word): word for word in _content(patterns("yes_no")["permits"].sub(" ", question))}
    clauses = (clause for piece in _STOP.split(sentence) for clause in assertions(piece))
    for clause in map(_without_cause, clauses):
        if (match := forbidden.search(clause)) is None or negates(clause[: match.start()]):
            continue
        said = roots(" ".join(content_words(forbidden.sub(" ", clause))))
        left = [word for own, word in asked.items() if own not in said]
        if said and said <= asked.keys() and (not left or (len(left) == 1 and is_verb(left[0]))):
            return True
    return False


def _without_cause(clause: str) -> str:
    """Return a clause without the cause that it gives. A negated clause is returned whole, because the negation may
    apply to the cause.
    """
    found = None if negates(clause) else patterns("causes")["effect_before"].search(clause)
    return clause[: found.start()] if found else clause


def _content(question: str) -> list[str]:
    return [word for word in content_words(question) if word not in cue_words("order", "auxiliaries")]


def _qualified(sentence: str, question: str) -> bool:
    """Return True if a sentence has a condition, hedge, limit or attribution that the question lacks."""
    asked, permits = set(words(question)), patterns("yes_no")["permits"]
    sentence = _MONTH.sub(" ", patterns("yes_no")["beside_amounts"].sub(" ", sentence))
    sentence = patterns("modality")["ruled"].sub(" ", sentence)
    own = set(words(sentence)) - asked
    if patterns("yes_no")["denied_that"].search(sentence) or _is_of_past_year(sentence, question):
        return True
    if permits.search(question):
        own = set(words(permits.sub(" ", sentence))) - asked
        if not own.isdisjoint(cue_words("yes_no", "in_which_case")):
            return True
    own -= cue_words("yes_no", "as_often")
    return any(not slot_words(slot).isdisjoint(own) for slot in _QUALIFYING)


def _is_of_past_year(sentence: str, question: str) -> bool:
    """Return True if a question asks about the present, but a sentence says what was so in a year that it names."""
    asks_now = _ASKS_NOW.match(question) is not None and not moments(question)
    return asks_now and any(one.year for one in moments(sentence)) and _WAS_SO.search(sentence) is not None


def _without_amounts(question: str) -> tuple[str, tuple[Amount, ...]]:
    """Separate the amounts in a question from its other words."""
    found = tuple(one for one in plain_amounts(normalise(question).text) if not _names_thing(one, question))
    for amount in found:
        question = re.sub(re.escape(amount.text.strip()), " ", question, flags=re.IGNORECASE)
    for bound in ("most", "least", "below", "above") if found else ():
        question = patterns("yes_no")[bound].sub(" ", question)
    return " ".join(question.split()), found


def _names_thing(amount: Amount, question: str) -> bool:
    """Return True if an amount identifies a thing by number ("was lot 2 sold"), but not in "is the fee 40" or "did 52
    come".
    """
    before, _, after = question.partition(amount.text)
    first, *between = words(before) or [""]
    is_bare = bool(between) and before.endswith(" ") and all(not unit for _, unit in amount.readings)
    thing, earlier = between[-1] if between else "", set(between[:-1]) - stop_words()
    if not is_bare or thing in stop_words():
        return False
    if first in cue_words("order", "forms_of_be") or first in ("has", "have", "had"):
        return bool(words(after)) and not is_past(thing)
    return not (earlier and is_verb(thing) and not any(map(is_verb, earlier)))


def _with_amount(decision: Decision | None, question: str, wanted: Sequence[Amount], sentence: str) -> Decision | None:
    """Compare the amount in the question with the only amount in a sentence that has the same unit, and return yes or
    no.

    Return None if the comparison does not decide the question. A denial decides the question only if it concerns the
    same amount: "the request for 250 watts was refused".
    """
    if decision is None or len(wanted) != 1:
        return None
    units = {unit for _, unit in wanted[0].readings}
    stated = normalise(_ITEM.sub("", sentence)).text
    said = [one for one in plain_amounts(stated) if units & {unit for _, unit in one.readings}]
    if len(said) != 1:
        return None
    group = _GROUP.search(question)
    if group is not None and (same := _GROUP.search(stated)) is not None:  # "children under 12" names a group
        return decision if same.group().casefold() == group.group().casefold() else None
    pairs = [(own, other) for own, unit in said[0].readings for other, name in wanted[0].readings if unit == name]
    is_so = {relation(question).holds(own, other) for own, other in pairs}
    if decision is Decision.NO:
        return Decision.NO if is_so == {True} else None
    return (Decision.YES if is_so.pop() else Decision.NO) if len(is_so) == 1 else None
