"""Finds near misses: quotes and cells that meet most constraints of a part of the question. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.evidence.quotes import Load
from investigator.language.sentences import statement_spans
from investigator.language.terms import words
from investigator.questions.cues import patterns
from investigator.questions.order import is_past, verbs
from investigator.records import SUMMARY, Claim, ConstraintKind, Memory, NearMiss, Part
from investigator.research.judging import Judging
from investigator.research.table_cells import WHICH_CELL, nearest_cell, says_figure

_NEAREST = 3
_OWN_CASE = re.compile(r"\b(?:if|when) (?:i|we)\b[^,;?]*", re.IGNORECASE)


def nearest_quotes(parts: Sequence[Part], memories: Sequence[Memory], load: Load) -> tuple[NearMiss, ...]:
    """Return the quotes from the best insufficient replies, if they meet most constraints of a part."""
    quoted = sorted((m for m in memories if m.quotes and not m.addressed), key=lambda m: -(m.point or 0))
    claims = [Claim(text=m.quotes[0].said, quotes=m.quotes[:1]) for m in quoted[:_NEAREST]]
    found = (Judging(load, sure=lambda _, __: False).best(part, claims) for part in parts)
    return tuple(miss for one in found if one is not None and (miss := one.near_miss()) is not None)


def nearest_cells(parts: Sequence[Part], memories: Sequence[Memory], load: Load) -> tuple[NearMiss, ...]:
    """Return the cell that misses the fewest constraints on a requested figure, from the documents that were asked."""
    if len(parts) != 1:
        return ()
    question = parts[0].question
    asked = dict.fromkeys(memory.target_document_id for memory in memories if not memory.addressed)
    near = [one for name in asked if name != SUMMARY and (one := nearest_cell(question, load(name))) is not None]
    best = min(near, key=lambda one: len(one[1]), default=None)
    return (NearMiss(part=question, quote=best[0], failing=best[1]),) if best is not None else ()


def lacks_only_verbs(miss: NearMiss) -> bool:
    """Return True if a cell lacks only the verb for what is done, as in "get a dress CLEANED" and "an adult to JOIN",
    or a word such as "cost". A price list may omit them. Several such cells may match equally well.
    """
    left = [match.constraint for match in miss.failing if match.constraint.text != WHICH_CELL]
    done, money = verbs(miss.part), patterns("carried")["money"]
    return bool(left) and all(
        one.kind is ConstraintKind.ATTRIBUTE
        and (is_past(one.text) or one.text.endswith("ing") or one.text in done or money.fullmatch(one.text))
        for one in left
    )


def lacks_only_own_case(miss: NearMiss) -> bool:
    """Return True if a near miss lacks only words in which the person who asks describes their own case, as in "if I
    live 5 miles away". A document rarely uses the same words for it.
    """
    told = _OWN_CASE.search(miss.part)
    case = set(words(told.group())) if told else set[str]()
    return bool(case) and all(set(words(match.constraint.text)) <= case for match in miss.failing)


def any_says(parts: Sequence[Part], memories: Sequence[Memory], load: Load) -> bool:
    """Return True if a sentence in any quote contains a figure and everything that the question asks for."""
    quotes = (quote for memory in memories for quote in memory.quotes if quote.cell is None)
    return any(
        says_figure(parts[0].question, quote.text[start:end], load(quote.document_id))
        for quote in quotes
        for start, end in statement_spans(quote.text)
    )
