"""Reflects: finds what quotes say about each term, what is unknown, and which terms occur together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from investigator.language.terms import stem, words
from investigator.records import Knowledge, KnownInfo, Memory, ReflectReply, ReflectVariables, Relation

_MOST_INFOS = 5


def reflect(variables: ReflectVariables) -> ReflectReply:
    """Return one entry per need; a need is unknown if no quote in the memories contains its words."""
    terms = [need.term for need in variables.needs]
    return ReflectReply(knowledge=tuple(_knowledge(term, terms, variables.memories) for term in terms))


def _knowledge(term: str, terms: Sequence[str], memories: Sequence[Memory]) -> Knowledge:
    known: list[KnownInfo] = []
    together: dict[str, str] = {}
    for memory in memories:
        for quote in memory.quotes:
            if not _holds(quote.text, term):
                continue
            known.append(
                KnownInfo(
                    info=" ".join(quote.text.split()),
                    point=memory.point or 0,
                    document_ids=(quote.document_id,),
                    memory_ids=(memory.id,),
                )
            )
            for other in terms:
                if other != term and _holds(quote.text, other):
                    together.setdefault(other, f"named together in {quote.place}")
    known.sort(key=lambda info: -info.point)
    return Knowledge(
        term=term,
        known_infos=tuple(known[:_MOST_INFOS]),
        unknown_infos=() if known else (f"what the documents say about {term}",),
        relations=tuple(Relation(term=other, relation=how) for other, how in together.items()),
    )


def _holds(text: str, term: str) -> bool:
    present, wanted = frozenset(_stems(text)), _stems(term)
    return bool(wanted) and sum(word in present for word in wanted) * 2 > len(wanted)


@lru_cache(maxsize=256)  # each quote is examined for each term
def _stems(text: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words(text))
