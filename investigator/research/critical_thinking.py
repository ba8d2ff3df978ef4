"""Determines what must be known before the question can be answered, and finds the individual questions in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_think
from investigator.language.addressed import without_addressed
from investigator.language.terms import content_words
from investigator.questions.constraints import constraints
from investigator.questions.kinds import kind_of
from investigator.questions.parts import parts_of
from investigator.questions.related import roots
from investigator.records import DocumentCard, Need, Part, QuestionKind, ThinkReply, ThinkVariables

_CARDS_SHOWN = 10
_MOST_NEEDS = 12
# minimum number of spaces in a copied text: four words in the same order are hardly a coincidence
_FEWEST_REPEATED = 3


@dataclass(frozen=True)
class Understood:
    """The analysis of the question: its kind, what must be known, and the individual questions in it."""

    kind: QuestionKind
    needs: tuple[Need, ...]
    parts: tuple[Part, ...]


def think(client: EngineClient, request: ThinkVariables) -> Understood:
    """Return the question's kind, its parts, and the terms that must be known, without duplicates and with a reason for
    each.

    `request` contains all documents as cards; the nearest documents are shown to the engine. If the engine names no
    terms, the question's own words are used; if it names no kind, the rules decide. Raises EngineError, and the signal
    BudgetSpent.
    """
    shown = request.changed(documents=without_instructions(request.documents[:_CARDS_SHOWN]))
    reading = client.ask("critical_thinking/think", shown, ThinkReply, smaller=less_to_think)
    prompt = client.prompts.own_words("critical_thinking/think")
    reply = reading.value or ThinkReply(needs=())
    named = [need for need in reply.needs if need.term.strip() and not repeats(need.term, prompt)]
    needs = {need.term.strip().casefold(): need for need in named}
    kind = reply.kind or kind_of(request.question)
    parts = _grounded([part for part in reply.parts if not repeats(part.question, prompt)], request.question, kind)
    return Understood(kind, tuple(needs.values())[:_MOST_NEEDS] or own_words(request.question), parts)


def _grounded(proposed: Sequence[Part], question: str, kind: QuestionKind) -> tuple[Part, ...]:
    """Return the engine's parts if they add nothing to the question, otherwise the parts found by rules.

    Each part has the constraints found by rules, and the engine's own constraints if they use only words of the
    question.
    """
    asked = roots(question)
    known = [part for part in proposed if (own := roots(part.question)) and 2 * len(own & asked) >= len(own)]
    if not known or len(known) != len(proposed):
        return parts_of(question, kind)
    parts = []
    for part in known:
        named = [one for one in part.constraints if roots(one.text) <= asked]
        both = {(one.kind, one.text.casefold()): one for one in (*constraints(part.question), *named)}
        side = part.side or (part.question if kind is QuestionKind.COMPARISON and len(known) > 1 else "")
        parts.append(part.changed(constraints=tuple(both.values()), side=side))
    return tuple(parts)


def repeats(text: str, prompt: str) -> bool:
    """Return True if a value is copied from the prompt, as small models tend to do."""
    said = " ".join(text.split()).strip(" .").casefold()
    return said.count(" ") >= _FEWEST_REPEATED and said in " ".join(prompt.split()).casefold()


def own_words(question: str) -> tuple[Need, ...]:
    """Return a question's content words as `Need` objects."""
    return tuple(Need(term=word, reason="a word of the question") for word in content_words(question)[:_MOST_NEEDS])


def without_instructions(cards: Sequence[DocumentCard]) -> tuple[DocumentCard, ...]:
    """Remove text that addresses a language model from the cards, so that no document can influence the planner.

    Sentences that do so are removed from titles and snippets, and headings that do so are dropped.
    """
    return tuple(
        card.changed(
            title=_left(card.title),
            snippet=_left(card.snippet),
            headings=tuple(heading for heading in card.headings if _left(heading) == heading),
        )
        for card in cards
    )


@lru_cache(maxsize=10_000)  # cached, because the cards of a folder recur in each round and question
def _left(text: str) -> str:
    return without_addressed(text)
