"""Answers yes-or-no questions by proven statements. Pure.

A statement settles the question only if it contains every asked word, in the same order, without qualification;
otherwise the results are shown without a decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from investigator.language.amounts import Amount, amounts, prepared
from investigator.language.claim_words import slot_words
from investigator.language.dates import dates, without_dates
from investigator.language.negation import contradicts, negates
from investigator.language.normalise import normalise
from investigator.language.sentences import statement_spans
from investigator.language.terms import content_words, words
from investigator.questions.assertions import assertions, is_of_other_name
from investigator.questions.constraints import constraints
from investigator.questions.cues import cues, opposites, patterns
from investigator.questions.matching import matches
from investigator.questions.periods import without_periods
from investigator.questions.related import related_roots, root, roots
from investigator.records import (
    AnswerStatus,
    Claim,
    ClaimStatus,
    ConstraintKind,
    ConstraintMatch,
    Decision,
    Document,
    MatchState,
    Part,
)
from investigator.research.judging import surroundings
from investigator.research.verdict import Verdict

_FEWEST = 2  # minimum asked words in the sentence itself; one is enough if the question asks about an amount
_QUALIFYING = ("condition", "modality", "scope", "attribution")
_BOUNDS = ("most", "least", "below", "above")
_MAY_BE_DENIED = frozenset({ConstraintKind.MODALITY, ConstraintKind.ROLE})


def with_decision(
    found: Verdict,
    parts: Sequence[Part],
    claims: Sequence[Claim],
    document: Callable[[str], Document],
) -> tuple[Verdict, Decision | None]:
    """Add yes or no to the verdict if statements settle a yes-or-no question.

    It is yes if every part is true, and no if one is false; the decisive statements come first. If statements disagree,
    nothing is settled.
    """
    settled = [_of_part(part, claims, document) for part in parts]
    said = [one for one in settled if one is not None]
    denied = [claim for decision, claim in said if decision is Decision.NO]
    if not said or (not denied and len(said) < len(parts)):
        return found, None
    decision = Decision.NO if denied else Decision.YES
    others = found.claims if found.status is AnswerStatus.ANSWERED else ()
    first = tuple(dict.fromkeys((*(denied or [claim for _, claim in said]), *others)))
    reason = f"A proven statement {'denies' if denied else 'says'} all that is asked."
    return replace(found, status=AnswerStatus.ANSWERED, claims=first, near_misses=(), reason=reason), decision


def _of_part(part: Part, claims: Sequence[Claim], document: Callable[[str], Document]) -> tuple[Decision, Claim] | None:
    """Return the decision on a part; statements that the documents attribute to somebody count only if there are no
    others.
    """
    found = [(one, claim) for claim in claims for one in _of_claim(part, claim, document)]
    held = [(decision, claim) for (decision, is_reported), claim in found if not is_reported]
    held = held or [(decision, claim) for (decision, _), claim in found]
    return held[0] if len({decision for decision, _ in held}) == 1 else None


def _of_claim(part: Part, claim: Claim, document: Callable[[str], Document]) -> Iterator[tuple[Decision, bool]]:
    """Yield the decision of each sentence in the quotes of a proven statement about a part, and True if the sentence
    attributes it to somebody.
    """
    if claim.status is not ClaimStatus.PROVEN:
        return
    question, wanted = _without_amounts(part.question)
    bound = part.constraints
    if wanted:  # a question about an amount has no agent
        bound = tuple(one for one in constraints(question) if one.kind is not ConstraintKind.ROLE)
    for quote in (quote for quote in claim.quotes if quote.cell is None):
        one = document(quote.document_id)
        title = "" if one.title in quote.text else one.title
        about = roots(f"{title} {one.id.replace('_', ' ')} {one.imprint.issuer}")
        for start, end in statement_spans(quote.text):
            sentence = quote.text[start:end]
            fewest = 1 if wanted else _FEWEST
            clause = next((each for each in assertions(sentence) if _says_all(question, each, about, fewest)), "")
            if clause and not _qualified(sentence, question):
                own = matches(bound, question, surroundings(quote, sentence, one))
                failing = [match for match in own if match.state is not MatchState.MET]
                decision = _settled(failing, question, sentence, clause)
                decision = _with_amount(decision, part.question, wanted, sentence) if wanted else decision
                if decision is not None:
                    added = set(words(sentence)) - set(words(question))
                    yield decision, not slot_words("attribution").isdisjoint(added)


def _settled(failing: Sequence[ConstraintMatch], question: str, sentence: str, clause: str) -> Decision | None:
    """Return the decision that follows from the unmet constraints of a sentence with all asked words in a clause."""
    contradicted = {match.constraint.kind for match in failing if match.state is MatchState.CONTRADICTED}
    others = {match.constraint.kind for match in failing} - contradicted
    denies = negates(sentence) or not slot_words("polarity").isdisjoint(set(words(sentence)) - set(words(question)))
    if negates(question):
        return None
    if contradicted == {ConstraintKind.DIRECTION}:  # it fell, so a subject that rose does not match
        return Decision.NO if not denies and others <= {ConstraintKind.ROLE} else None
    if others or not contradicted <= _MAY_BE_DENIED:
        return None
    if denies:
        return Decision.NO if contradicts(" ".join(_content(question)), [clause]) else None
    return None if contradicted else Decision.YES


def _says_all(question: str, sentence: str, about: frozenset[str], fewest: int) -> bool:
    """Return True if a sentence contains the content words of a question in order; the document's subject may supply
    some. If the question asks what somebody is, there must be no other name in between.
    """
    plain = words(sentence)
    said = [root(word) for word in plain]
    places = []
    for word in _content(question):
        same = {root(word)} | related_roots(word)
        place = next((at for at, one in enumerate(said) if one in same), None)
        if place is not None:
            places.append(place)
        elif root(word) not in about and not _moves(word):
            return False
    is_equated = words(question)[:1] and words(question)[0] in cues("order")["forms_of_be"].split()
    return len(places) >= fewest and all(
        first < second and not (is_equated and is_of_other_name(plain[first], plain[second], sentence))
        for first, second in pairwise(places)
    )


def _content(question: str) -> list[str]:
    auxiliaries = cues("order")["auxiliaries"].split()
    return [word for word in content_words(question) if word not in auxiliaries]


def _moves(word: str) -> bool:
    """Return True for a word of direction ("rose"), whose opposite may be in a sentence."""
    return any(side.fullmatch(word) for both in opposites().values() for side in both)


def _qualified(sentence: str, question: str) -> bool:
    """Return True if a sentence has a condition, hedge, limit or attribution that the question lacks."""
    asked, permits = set(words(question)), patterns("yes_no")["permits"]
    own = set(words(sentence)) - asked
    if permits.search(question):
        own = set(words(permits.sub(" ", sentence))) - asked
        if not own.isdisjoint(cues("yes_no")["in_which_case"].split()):
            return True
    own -= set(cues("yes_no")["as_often"].split())
    return any(not slot_words(slot).isdisjoint(own) for slot in _QUALIFYING)


def _without_amounts(question: str) -> tuple[str, tuple[Amount, ...]]:
    """Split a question into its words without amounts, and the amounts."""
    found = _amounts(question)
    for amount in found:
        question = re.sub(re.escape(amount.text.strip()), " ", question, flags=re.IGNORECASE)
    for bound in _BOUNDS if found else ():
        question = patterns("yes_no")[bound].sub(" ", question)
    return " ".join(question.split()), found


def _amounts(text: str) -> tuple[Amount, ...]:
    plain = normalise(text).text
    plain = prepared(without_periods(without_dates(plain, dates(plain))))
    return tuple(one for one in amounts(plain) if one.readings)


def _with_amount(decision: Decision | None, question: str, wanted: Sequence[Amount], sentence: str) -> Decision | None:
    """Return True if the only amount of a sentence in the requested unit agrees with the question."""
    if decision is not Decision.YES or len(wanted) != 1:
        return None
    units = {unit for _, unit in wanted[0].readings}
    said = [one for one in _amounts(sentence) if units & {unit for _, unit in one.readings}]
    if len(said) != 1:
        return None
    pairs = [(own, other) for own, unit in said[0].readings for other, name in wanted[0].readings if unit == name]
    is_so = {_compared(question, own, other) for own, other in pairs}
    return (Decision.YES if is_so.pop() else Decision.NO) if len(is_so) == 1 else None


def _compared(question: str, own: Fraction, other: Fraction) -> bool:
    """Return True if an amount compares with another as the question asks: more than, at least, ...; equal by
    default.
    """
    known = patterns("yes_no")
    compared = dict(zip(_BOUNDS, (own <= other, own >= other, own < other, own > other), strict=True))
    return next((is_so for name, is_so in compared.items() if known[name].search(question)), own == other)
