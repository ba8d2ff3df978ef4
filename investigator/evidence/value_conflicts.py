"""Finds statements that give different values for the same thing, and statements that replace a value. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from investigator.evidence.conflicts import DatedSentence, conflict
from investigator.evidence.stated_values import (
    StatedValue,
    Thing,
    has_unit,
    references,
    replaced_values,
    says_value,
    stated_value,
)
from investigator.language.amounts import agree, are_comparable
from investigator.language.dates import Date
from investigator.language.terms import content_words, folded
from investigator.questions.related import root, roots
from investigator.records import Conflict, ConflictSide, Quote

_ALSO_SAID = 2  # a value without a unit is replaced only by a statement that shares this many words with it


def value_conflict(
    question: str, thing: Thing, own: Sequence[DatedSentence], others: Sequence[DatedSentence]
) -> Conflict | None:
    """Return the different values that statements give for a thing, once per document; None if the statements agree.

    The statements in `own`, which belong to an answer, are compared with those in `others`, from other documents.
    Statements with different times, spans, names or narrowing words are not compared, unless one says that it replaces
    the value of the other.
    """
    sides: dict[tuple[str, str], ConflictSide] = {}
    values = values_stated(thing, others)
    for mine in own:
        value = _value(thing, mine)
        found = [(one, other.text) for one, other in values if value and _differ(mine, value, one, other)]
        found += [(mine, value.text)] if value and found else []
        for one in others:
            found += (said for old, new in _replacing(mine, value, one, thing) for said in ((mine, old), (one, new)))
            found += (said for old, new in _replacing(one, None, mine, thing) for said in ((one, old), (mine, new)))
        for one, text in found:
            sides.setdefault((one.document_id, folded(text)), one.side(text))
    return conflict(question, sides.values()) if len(sides) > 1 else None


def values_stated(thing: Thing, statements: Sequence[DatedSentence]) -> tuple[tuple[DatedSentence, StatedValue], ...]:
    """Return the statements that give a value for a thing, paired with that value."""
    return tuple((one, value) for one in statements if (value := _value(thing, one)) is not None)


def _value(thing: Thing, one: DatedSentence) -> StatedValue | None:
    return stated_value(thing, one.sentence, one.about_roots)


def _differ(mine: DatedSentence, value: StatedValue, one: DatedSentence, other: StatedValue) -> bool:
    if mine.document_id == one.document_id or not _may_be_compared(mine, one):
        return False
    replaces = any(agree(value.value, old) for old in other.replaces) or any(
        agree(other.value, old) for old in value.replaces
    )
    if not _are_of_one_kind(value, other) or agree(value.value, other.value):
        return False
    change = value.is_change or other.is_change
    if one.document_id in mine.alongside and not change:
        return False
    return replaces or (_are_of_one_time(value, other, change=change) and _are_of_one_scope(mine, value, one, other))


def _may_be_compared(mine: DatedSentence, one: DatedSentence) -> bool:
    return not mine.is_apart(one) and mine.subject == one.subject


def _are_of_one_kind(value: StatedValue, other: StatedValue) -> bool:
    if isinstance(value.value, Date) or isinstance(other.value, Date):
        return isinstance(value.value, Date) and isinstance(other.value, Date)
    if not are_comparable(value.value, other.value):
        return False
    unitless = [one.text.split()[-1] for one in (value, other) if len(one.text.split()) > 1]
    measured = has_unit(value.value) and has_unit(other.value)
    return measured or len(unitless) < 2 or root(folded(unitless[0])) == root(folded(unitless[1]))


def _are_of_one_time(value: StatedValue, other: StatedValue, *, change: bool) -> bool:
    if value.is_relative or other.is_relative:
        return False
    apart = value.rates.isdisjoint(other.rates) if value.rates and other.rates else value.rates != other.rates
    if apart and not (change and not (value.rates and other.rates)):
        return False
    return change or (value.times == other.times and value.is_planned == other.is_planned)


def _are_of_one_scope(mine: DatedSentence, value: StatedValue, one: DatedSentence, other: StatedValue) -> bool:
    """Return True if the words that narrow down one statement apply to the other, and the two do not name different
    things.
    """
    narrowed = (value.scope - one.roots) | (other.scope - mine.roots)
    named_apart = value.names and other.names and value.names.isdisjoint(other.names)
    return not narrowed and not (named_apart and not (value.is_change or other.is_change))


def _replacing(
    mine: DatedSentence, value: StatedValue | None, one: DatedSentence, thing: Thing
) -> Iterator[tuple[str, str]]:
    """Yield each value that another statement replaces, as written, with the new value. The replacing statement refers
    to the clause of the replaced one, or shares words with it.
    """
    if overlap(mine.quote, one.quote) or not _may_be_compared(mine, one):
        return
    given = _value(thing, one)
    for old, new, written in replaced_values(one.sentence):
        if given is not None and not agree(given.value, new):
            continue
        if not says_value(mine.sentence, old) or (value is not None and not agree(value.value, old)):
            continue
        if isinstance(old, Date) is not thing.is_date or agree(old, new):
            continue
        refers = references(one.sentence) & (references(mine.sentence) | references(mine.section))
        shared = _content(one) & _content(mine) - roots(old.text)
        is_about_it = thing.head in one.roots | mine.roots
        if is_about_it and (refers or thing.head in shared or len(shared) >= (1 if has_unit(old) else _ALSO_SAID)):
            yield old.text.strip(" ."), written


def overlap(one: Quote, other: Quote) -> bool:
    """Return True if two quotes overlap; the same clause may be quoted with or without its number."""
    return one.document_id == other.document_id and one.start < other.end and other.start < one.end


def _content(one: DatedSentence) -> frozenset[str]:
    return frozenset(root(word) for word in content_words(one.sentence) if not word.isdigit())
