"""Matches a sentence, in its context, against the constraints of a question. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

from investigator.language.labels import label_line
from investigator.language.lists import month_numbers
from investigator.language.sentences import is_row, statement_spans
from investigator.language.terms import COMPOUND, is_english, stem, stop_words, words
from investigator.questions.answer_types import WORDED_TYPES, AnswerType, expected_type, holds_type, says_where
from investigator.questions.assertions import assertions
from investigator.questions.bounds import bound_state
from investigator.questions.causes import effect_sides, gives_cause
from investigator.questions.constraints import IN_UNIT, NAMES, NOT, constraints
from investigator.questions.cues import cues, opposites, patterns
from investigator.questions.event_dates import dates_event
from investigator.questions.happening import is_done, is_only_rule, says_missing, undone
from investigator.questions.labelled import names_kind, row_may_give, says_label
from investigator.questions.measured import (
    POINTS,
    are_like,
    counted_state,
    figure_asked,
    given_in,
    is_carried,
    is_only_part,
    may_be_figure,
    shown_figure,
    shows_span,
)
from investigator.questions.names import (
    as_people,
    described,
    gives_name,
    is_named,
    lacks_number,
    other_name,
    other_thing,
)
from investigator.questions.numbered import numbered
from investigator.questions.order import Pair, other_mark, pairs, stand_together, stands_alone
from investigator.questions.phases import phases_named
from investigator.questions.related import LIGHT_VERBS, phrases, related_roots, root, roots, stands
from investigator.questions.roles import (
    is_attribute,
    is_of_another,
    lacks_verb,
    leaves_doer_out,
    names_doer,
    roles,
    subject_and_verb,
    turned_round,
)
from investigator.questions.spans import names_hour
from investigator.questions.succession import asks_past, names_holder
from investigator.questions.surroundings import Surroundings
from investigator.questions.timing import day_state, matched, period_match, phase_match
from investigator.records import Constraint, ConstraintKind, ConstraintMatch, MatchState

_TITLE = 3  # a title is recognised by this many consecutive words
_DENIALS = frozenset(["not", "no", "nor", "never", "neither", "without", "cannot", "except"])
_DENIED_WITHIN = 5  # a denial counts only within this many words before the excluded word
_SHORT_MONTH = 3  # number of letters; month names this short, such as "mar" and "may", have other meanings
_SPANS = ("duration", "age")
_SIZES = (*_SPANS, "depth", "height", "weight", "distance", "temperature", "speed")
WORDED = frozenset({ConstraintKind.ATTRIBUTE, ConstraintKind.ENTITY, ConstraintKind.PLACE, ConstraintKind.CONDITION})
"""Constraints that a sentence meets by containing the question's words."""
_TIME_AND_PLACE = frozenset({AnswerType.DATE, AnswerType.PLACE})


def matches(asked: Sequence[Constraint], question: str, evidence: Surroundings) -> tuple[ConstraintMatch, ...]:
    """Match each constraint of a question against the evidence, and return the words that show the result."""
    return tuple(_bounded(_MATCHERS[one.kind](one, question, evidence), question, evidence) for one in asked)


def _bounded(match: ConstraintMatch, question: str, evidence: Surroundings) -> ConstraintMatch:
    """If the question uses a preposition with a met constraint, check that the evidence agrees with the preposition:
    "after tax".
    """
    asked = match.constraint
    if match.state is not MatchState.MET or asked.kind not in WORDED:
        return match
    said = bound_state(asked.text, question, evidence.sentence, f"{evidence.near} {evidence.about}")
    return matched(asked, *said) if said else match


def _type(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    kind, line = AnswerType(asked.text), label_line(evidence.sentence)
    if line is not None and kind in WORDED_TYPES and names_kind(kind, line.label) and says_label(question, line.label):
        return matched(asked, MatchState.MET, line.value)
    if kind is AnswerType.REASON and is_english(question):
        given = gives_cause(evidence.sentence, question) and not _is_effect_of_other(question, evidence)
        return matched(asked, MatchState.MET if given else MatchState.NOT_MET)
    if kind is AnswerType.NAME and (
        (line is None and leaves_doer_out(question, evidence.sentence)) or not names_holder(question, evidence.sentence)
    ):
        return matched(asked, MatchState.NOT_MET)
    if is_row(evidence.sentence) and not row_may_give(kind, evidence.sentence, question):
        return matched(asked, MatchState.NOT_MET)
    if kind is AnswerType.NAME and (said := described(question)):
        return matched(asked, MatchState.MET if is_named(said, evidence.sentence, question) else MatchState.NOT_MET)
    if kind is AnswerType.COMPARISON and patterns("sections")["procedure"].search(evidence.sentence):
        return matched(asked, MatchState.NOT_MET)
    if kind is AnswerType.NUMBER and not may_be_figure(question, evidence.sentence):
        return matched(asked, MatchState.NOT_MET)
    if kind is AnswerType.DATE and not dates_event(question, evidence.sentence):
        return matched(asked, MatchState.NOT_MET)
    held = holds_type(kind, evidence.sentence, question)
    if kind is AnswerType.NAME and held == 1:
        held = gives_name(question, evidence.sentence)
    is_held = (
        held > 0
        or (kind is AnswerType.NAME and any(names_doer(role, evidence.sentence) for role in roles(question, ())))
        or (kind is AnswerType.DATE and not asks_past(question) and names_hour(evidence.sentence))
        or (kind is AnswerType.PLACE and says_where(question, evidence.sentence))
    )
    return matched(asked, MatchState.MET if is_held else MatchState.NOT_MET)


def _is_effect_of_other(question: str, evidence: Surroundings) -> bool:
    """Return True if the effect in a sentence lacks a name from the question that is not in the document's name, and
    has no pronoun for it: "Japan's sales fell due to lower sales of Services" does not say why sales of Services fell.
    """
    effects, known = effect_sides(evidence.sentence), roots(evidence.names)
    if not effects or any(map(POINTS.search, effects)):
        return False
    names = (roots(one.text) for one in constraints(question) if one.kind in NAMES)
    return any(not name <= known and not any(name <= roots(effect) for effect in effects) for name in names)


def _attribute(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    """Match an attribute: all its words must occur, with compounds unbroken; related words may be anywhere in the
    passage.
    """
    if said := _as_phrase(asked, question, evidence) or day_state(asked, question, evidence):
        return matched(asked, *said)
    if (other := other_thing(question, evidence.sentence)) and words(other)[0] in words(asked.text):
        return matched(asked, MatchState.CONTRADICTED, other)
    if missing := says_missing(asked.text, question, evidence.sentence):
        return matched(asked, MatchState.CONTRADICTED, missing)
    shown = {word for word in _content(asked) if _is_shown_by_figure(word, asked, question, evidence)}
    wanted = [word for word in _content(asked) if word not in shown]
    if any(word in words(figure_asked(question)) and is_only_part(word, evidence.sentence) for word in wanted):
        return matched(asked, MatchState.NOT_MET)
    line = label_line(evidence.sentence)
    is_labelled = line is not None and says_label(question, line.label)
    for both in pairs(question):
        if {both.first, both.second} <= set(words(asked.text)) - shown:
            if other := other_mark(both, evidence.sentence):
                return matched(asked, MatchState.CONTRADICTED, other)
            if is_labelled and stands(both.first, roots(evidence.about)):
                continue  # as with "Current fee: 40" in a text about membership
            is_bare = stands_alone(both.second, evidence.sentence) and root(both.first) not in evidence.sentence_roots
            is_other = root(both.second) in evidence.sentence_roots and not is_bare
            around = () if is_other else (evidence.near, evidence.about)  # "international sales" are not "unit sales"
            apart = not any(stand_together(both, text) for text in (evidence.sentence, *around))
            if apart and (both.is_exact or not is_bare) and not _begins_title(both, question, evidence):
                return matched(asked, MatchState.NOT_MET)
    present = [word for word in wanted if _is_said(word, evidence)]
    is_met = len(present) == len(wanted) and not _has_figure_elsewhere(wanted, question, evidence)
    return matched(asked, MatchState.MET if is_met else MatchState.NOT_MET, _shown(present, evidence))


def _is_shown_by_figure(word: str, asked: Constraint, question: str, evidence: Surroundings) -> bool:
    """Return True if a sentence contains the figure that a word asks for, and the question's other words."""
    if stands(word, evidence.sentence_roots) or not is_carried(word, question, evidence.sentence):
        return False
    others = (other for other in _content(asked) if other != word)
    return all(stands(other, evidence.sentence_roots) for other in others)


def _has_figure_elsewhere(wanted: Sequence[str], question: str, evidence: Surroundings) -> bool:
    """Return True if the requested figure is named and given only in another sentence."""
    own = [] if POINTS.search(evidence.sentence) else words(figure_asked(question))
    left = [word for word in wanted if word in own and not stands(word, evidence.sentence_roots)]
    others = _sentences(evidence.near) if left else ()
    return any(
        evidence.sentence not in other and are_like(evidence.sentence, _behind(word, other))
        for word in left
        for other in others
    )


def _behind(word: str, sentence: str) -> str:
    """Return the text after a word in a sentence; "" if the sentence does not contain it."""
    found = (match.end() for match in COMPOUND.finditer(sentence) if root(word) in roots(match.group()))
    return sentence[next(found, len(sentence)) :]


@lru_cache(maxsize=256)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in statement_spans(text))


def _as_phrase(asked: Constraint, question: str, evidence: Surroundings) -> tuple[MatchState, str] | None:
    """Match a phrasal verb, or its single-verb equivalent, in a sentence; return None for other words."""
    others = next((single for phrase, single in phrases(question) if phrase == asked.text), None)
    if others is None:
        return None
    told = [phrase for phrase, _ in phrases(evidence.sentence) if roots(phrase) == roots(asked.text)]
    is_said = bool(told) or not roots(" ".join(others)).isdisjoint(evidence.sentence_roots)
    return (MatchState.MET if is_said else MatchState.NOT_MET), " ".join(told[:1])


def _begins_title(both: Pair, question: str, evidence: Surroundings) -> bool:
    """Return True if the second word begins a capitalised phrase in a sentence, as in "song Fly like an Eagle"."""
    asked, said = words(question), f" {' '.join(words(evidence.sentence))} "
    titles = (asked[at : at + _TITLE] for at, word in enumerate(asked) if word == both.second)
    named = any(len(title) == _TITLE and f" {' '.join(title)} " in said for title in titles)
    return named and root(both.first) in evidence.passage_roots


def _is_said(word: str, evidence: Surroundings) -> bool:
    """Return True if a word is in the evidence. A month must be in the sentence itself if the sentence names any
    month.
    """
    if word in month_numbers() and not _months().isdisjoint(words(evidence.sentence)):
        return word in words(evidence.sentence)
    return root(word) in evidence.roots or stands(word, evidence.passage_roots)


@cache
def _months() -> frozenset[str]:
    return frozenset(name for name in month_numbers() if len(name) > _SHORT_MONTH)


def _name(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    """Match a name: all its words must occur, in any order, and the sentence must not have another name in its
    place.
    """
    if other := other_name(asked.text, question, evidence.sentence):
        return matched(asked, MatchState.CONTRADICTED, other)
    wanted = _content(asked)
    if lacks_number(asked.text, evidence.sentence, evidence.near, evidence.about):
        return matched(asked, MatchState.NOT_MET)
    present = [word for word in wanted if stands(word, evidence.roots) or as_people(word, evidence.roots)]
    state = MatchState.MET if len(present) == len(wanted) else MatchState.NOT_MET
    return matched(asked, state, _shown(present, evidence))


def _content(asked: Constraint) -> list[str]:
    every = words(asked.text)
    return [word for word in every if word not in stop_words() and len(word) > 1] or every


def _shown(wanted: Sequence[str], evidence: Surroundings) -> str:
    """Return the words that correspond to the given words, taken from the sentence or else from its surroundings."""
    same = {root(word) for word in wanted}.union(*(related_roots(word) for word in wanted))
    for text in (evidence.sentence, evidence.near, evidence.about):
        if same.isdisjoint(roots(text)):
            continue
        found = [token for token in COMPOUND.findall(text) if same & roots(token)]
        if found:
            return " ".join(dict.fromkeys(found[:6]))
    return ""


def _condition(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    if asked.text.startswith(NOT):
        return _denied(asked, evidence.sentence)
    things = numbered(asked.text)
    if len(things) != 1 or things[0].text != asked.text.casefold():
        return _attribute(asked, question, evidence)
    thing = things[0]
    # the sentence may name the thing without a number
    names_thing = thing.thing in {stem(word) for word in words(evidence.sentence)}
    for text in (evidence.sentence, "" if names_thing else evidence.near):
        if any(thing.is_same(other) for other in numbered(text)):
            return matched(asked, MatchState.MET, asked.text)
        same = [other for other in numbered(text) if other.thing == thing.thing]
        if same:
            return matched(asked, MatchState.CONTRADICTED, same[0].text)
    return matched(asked, MatchState.NOT_MET)


def _denied(asked: Constraint, sentence: str) -> ConstraintMatch:
    """Match a negative condition: the sentence must deny what the question excludes."""
    said = words(sentence)
    for word in words(asked.text.removeprefix(NOT)):
        for at in (at for at, one in enumerate(said) if root(one) == root(word)):
            denied = not _DENIALS.isdisjoint(said[max(0, at - _DENIED_WITHIN) : at])
            return matched(asked, MatchState.MET if denied else MatchState.CONTRADICTED, word)
    return matched(asked, MatchState.NOT_MET)


def _quantity(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    if asked.text.startswith(IN_UNIT):
        given = given_in(asked.text.removeprefix(IN_UNIT), evidence.sentence)
        return matched(asked, MatchState.MET if given else MatchState.NOT_MET, " ".join(given[:1]))
    kind, _, counted = asked.text.partition(" of ")
    shown = patterns("shown")
    if counted:
        return matched(asked, *counted_state(counted, evidence.sentence, evidence.about))
    if kind not in shown:  # a model wrote this constraint in its own words
        return _attribute(asked, question, evidence)
    if kind in _SPANS:
        said = shows_span(kind, evidence.sentence, question)
        return matched(asked, MatchState.MET if said else MatchState.NOT_MET, said)
    if said := shown_figure(kind, evidence.sentence):
        return matched(asked, MatchState.MET, said)
    for other in cues("excludes").get(kind, "").split():
        if match := shown[other].search(evidence.sentence):
            return matched(asked, MatchState.CONTRADICTED, match.group())
    return matched(asked, MatchState.NOT_MET)


def _direction(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    """Match a direction in the sentence; if the question asks for a cause, the effect must have that direction."""
    effect = " ".join(effect_sides(evidence.sentence)) if expected_type(question) is AnswerType.REASON else ""
    sentence = effect or evidence.sentence
    for one, other in opposites().values():
        for side, against in ((one, other), (other, one)):
            if not side.search(asked.text):
                continue
            if match := side.search(sentence):
                return matched(asked, MatchState.MET, match.group())
            if match := against.search(sentence):
                return matched(asked, MatchState.CONTRADICTED, match.group())
    return matched(asked, MatchState.NOT_MET)


def _modality(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    ruled = patterns("modality")["ruled"].sub(" ", evidence.sentence)
    if match := patterns("modality")["planned"].search(ruled):
        is_said = any(is_done(question, clause) for clause in assertions(evidence.sentence))
        return matched(asked, MatchState.MET if is_said else MatchState.CONTRADICTED, match.group())
    if is_only_rule(question, evidence.sentence):
        return matched(asked, MatchState.NOT_MET)
    against = undone(question, evidence.sentence)
    return matched(asked, MatchState.CONTRADICTED if against else MatchState.MET, against)


def _role(asked: Constraint, question: str, evidence: Surroundings) -> ConstraintMatch:
    line = label_line(evidence.sentence)
    if line is not None and not lacks_verb(asked.text, line.label):
        return matched(asked, MatchState.MET, line.label)
    if against := turned_round(asked.text, evidence.sentence):
        is_grammar = not is_row(evidence.sentence)
        return matched(asked, MatchState.CONTRADICTED if is_grammar else MatchState.NOT_MET, against)
    verb = subject_and_verb(asked.text)[1]
    # the end of the span decides this, as in "open until 5 May"
    if phases_named(verb) and root(verb) not in evidence.sentence_roots:
        return matched(asked, MatchState.MET)
    if is_attribute(asked.text, evidence.sentence):
        return matched(asked, MatchState.NOT_MET)
    if lacks_verb(asked.text, evidence.sentence):
        is_told = _is_told_without(verb, question) or is_carried(verb, question, evidence.sentence)
        return matched(asked, MatchState.MET if is_told else MatchState.NOT_MET)
    is_another = is_of_another(asked.text, evidence.sentence, evidence.before) or _is_cause(asked, question, evidence)
    return matched(asked, MatchState.NOT_MET if is_another else MatchState.MET)


@cache
def _light_roots() -> frozenset[str]:
    return frozenset(map(root, LIGHT_VERBS))


def _is_told_without(verb: str, question: str) -> bool:
    """Return True if a sentence may answer without containing the question's verb, because a cause has a verb of its
    own, and verbs such as "take" name no action.

    A question about what somebody got needs its verb, because the thing may only have been requested.
    """
    kind = expected_type(question)
    if kind is AnswerType.REASON or root(verb) not in _light_roots():
        return kind is AnswerType.REASON
    asks_size = any(patterns("asked")[name].search(question) for name in _SIZES)
    return kind in _TIME_AND_PLACE or asks_size or patterns("modality")["asks_done"].search(question) is None


def _is_cause(asked: Constraint, question: str, evidence: Surroundings) -> bool:
    """Return True if the thing that has a role belongs to the cause in a sentence, not to the effect."""
    thing, effects = roots(subject_and_verb(asked.text)[0]), effect_sides(evidence.sentence)
    if not effects or expected_type(question) is AnswerType.REASON or not thing <= evidence.sentence_roots:
        return False
    return all(not thing <= roots(effect) for effect in effects)


_MATCHERS: Mapping[ConstraintKind, Callable[[Constraint, str, Surroundings], ConstraintMatch]] = {
    ConstraintKind.ATTRIBUTE: _attribute,
    ConstraintKind.ANSWER_TYPE: _type,
    ConstraintKind.ENTITY: _name,
    ConstraintKind.PERIOD: period_match,
    ConstraintKind.PLACE: _name,
    ConstraintKind.CONDITION: _condition,
    ConstraintKind.QUANTITY: _quantity,
    ConstraintKind.MODALITY: _modality,
    ConstraintKind.DIRECTION: _direction,
    ConstraintKind.ROLE: _role,
    ConstraintKind.PHASE: phase_match,
}
