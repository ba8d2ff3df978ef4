"""Finds statements that give different values for one thing, and those that replace a value. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from investigator.evidence.conflicts import DatedSentence
from investigator.evidence.stated_values import (
    StatedValue,
    Thing,
    has_unit,
    references,
    replaced_values,
    says_value,
    stated_value,
)
from investigator.evidence.values import agree, are_comparable
from investigator.language.dates import Date
from investigator.language.terms import content_words, folded
from investigator.questions.related import root, roots
from investigator.records import Conflict, ConflictSide

_ALSO_SAID = 2  # words next to a value without a unit that a replacing statement must share with the replaced one


@dataclass(frozen=True)
class ValueStatement:
    """A sentence that may give a value, with facts about its document. `about` is the document's title, `heading` the
    heading above the sentence; `apart_from` lists documents about other things, `alongside` those of the same series,
    such as the minutes of another meeting.
    """

    said: DatedSentence
    about: str = ""
    heading: str = ""
    alongside: frozenset[str] = field(default=frozenset())

    @property
    def document_id(self) -> str:
        """The document of the sentence."""
        return self.said.quote.document_id

    @cached_property
    def about_roots(self) -> frozenset[str]:
        """The roots of the words of its heading and of its document's title."""
        return roots(f"{self.about} {self.heading}")

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of its words and of the surrounding ones."""
        return roots(self.said.sentence) | self.about_roots


def value_conflict(
    question: str, thing: Thing, own: Sequence[ValueStatement], others: Sequence[ValueStatement]
) -> Conflict | None:
    """Return the different values that statements give for a thing, each once per document; None if they agree.

    Each value of `own`, the statements of an answer, is compared with those of `others`, in other documents. Statements
    with different times, spans, names or narrowing words are not compared, unless one says that it replaces the other's
    value.
    """
    sides: dict[tuple[str, str], ConflictSide] = {}
    values = [(one, value) for other in others if (value := _value(thing, other)) for one in [other]]
    for mine in own:
        value = _value(thing, mine)
        found = [(one, other.text) for one, other in values if value and _differ(mine, value, one, other)]
        replaced = [(mine, old, one, new) for one in others for old, new in _replacing(mine, value, one, thing)]
        replaced += [(one, old, mine, new) for one in others for old, new in _replacing(one, None, mine, thing)]
        if value is not None and found:
            for one, text in ((mine, value.text), *found):
                sides.setdefault((one.document_id, folded(text)), _side(one, text))
        for one, old, other, new in replaced:
            sides.setdefault((one.document_id, folded(old)), _side(one, old))
            sides.setdefault((other.document_id, folded(new)), _side(other, new))
    if len(sides) < 2:
        return None
    return Conflict(question=question, sides=tuple(sorted(sides.values(), key=_age)))


def values_stated(thing: Thing, statements: Sequence[ValueStatement]) -> tuple[tuple[ValueStatement, StatedValue], ...]:
    """Return the statements that give a value for a thing, each with its value."""
    return tuple((one, value) for one in statements if (value := _value(thing, one)) is not None)


def _value(thing: Thing, one: ValueStatement) -> StatedValue | None:
    return stated_value(thing, one.said.sentence, one.about_roots)


def _side(one: ValueStatement, text: str) -> ConflictSide:
    return ConflictSide(value=text, quote=one.said.quote, date=one.said.date)


def _age(side: ConflictSide) -> tuple[str, str]:
    return side.date or "", side.quote.document_id


def _differ(mine: ValueStatement, value: StatedValue, one: ValueStatement, other: StatedValue) -> bool:
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


def _may_be_compared(mine: ValueStatement, one: ValueStatement) -> bool:
    apart = one.document_id in mine.said.apart_from and mine.document_id in one.said.apart_from
    return not apart and mine.said.subject == one.said.subject


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


def _are_of_one_scope(mine: ValueStatement, value: StatedValue, one: ValueStatement, other: StatedValue) -> bool:
    """Return True if the narrowing words of one apply to the other, and they do not name different things."""
    narrowed = (value.scope - one.roots) | (other.scope - mine.roots)
    named_apart = value.names and other.names and value.names.isdisjoint(other.names)
    return not narrowed and not (named_apart and not (value.is_change or other.is_change))


def _replacing(
    mine: ValueStatement, value: StatedValue | None, one: ValueStatement, thing: Thing
) -> Iterator[tuple[str, str]]:
    """Yield each value that another statement replaces, as written, with the new value. The other statement refers to
    the clause of the first, or shares words with it.
    """
    if one.said.quote == mine.said.quote or not _may_be_compared(mine, one):
        return
    given = _value(thing, one)
    for old, new, written in replaced_values(one.said.sentence):
        if given is not None and not agree(given.value, new):
            continue
        if not says_value(mine.said.sentence, old) or (value is not None and not agree(value.value, old)):
            continue
        if isinstance(old, Date) is not thing.is_date or agree(old, new):
            continue
        refers = references(one.said.sentence) & (references(mine.said.sentence) | references(mine.heading))
        shared = _content(one) & _content(mine) - roots(old.text)
        is_about_it = thing.head in one.roots | mine.roots
        if is_about_it and (refers or thing.head in shared or len(shared) >= (1 if has_unit(old) else _ALSO_SAID)):
            yield old.text.strip(" ."), written


def _content(one: ValueStatement) -> frozenset[str]:
    return frozenset(root(word) for word in content_words(one.said.sentence) if not word.isdigit())
