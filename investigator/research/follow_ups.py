"""What an engine without a language model asks next: other words for what was not found, and what was found. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest

from investigator.language.terms import content_words, stop_words, words
from investigator.questions.answer_types import AnswerType, spans
from investigator.questions.constraints import constraints
from investigator.questions.matching import stands
from investigator.questions.related import related, roots
from investigator.records import ConstraintKind, Investigation, Memory, Part

_MOST_ADDED = 10
_MOST = 6
_MANY_WORDS = 24


def words_to_replace(part: Part) -> tuple[str, ...]:
    """Return the words of what a part asks about that others may stand for; names and periods are none."""
    asked = (one.text for one in part.constraints if one.kind is ConstraintKind.ATTRIBUTE)
    return tuple(dict.fromkeys(word for text in asked for word in words(text) if word not in stop_words()))


def related_to(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return all words that may stand for one of the parts' own."""
    return tuple(dict.fromkeys(other for part in parts for word in words_to_replace(part) for other in related(word)))


def rewording(part: Part, shares: Mapping[str, float]) -> str:
    """Return a part with words that the folder holds and that may stand for its own; "" if there are none.

    `shares` are the documents that hold each word.
    """
    of_each = [[other for other in related(word) if shares.get(other)] for word in words_to_replace(part)[:_MANY_WORDS]]
    in_turn = [other for turn in zip_longest(*of_each) for other in turn if other is not None]
    held = list(dict.fromkeys(in_turn))[:_MOST_ADDED]
    return f"{part.question} ({', '.join(held)})" if held else ""


def _replaced(text: str, word: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text, flags=re.IGNORECASE)


def found_for(part: Part, run: Investigation, history: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return the memories of a history that came of asking for a part; all, if the question was asked as a whole."""
    apart = {question.question for question in run.parts}
    others = {i for step in run.plan.steps if step.purpose in apart - {part.question} for i in step.result_ids}
    return tuple(memory for memory in history if memory.id not in others)


def respelled_parts(
    parts: Sequence[Part], respelled: Callable[[str], str | None]
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """Return the parts with words that no document holds as the folder spells them, and these words."""
    wordings: list[str] = []
    changed = []
    for part in parts:
        new = part.question
        for word in dict.fromkeys(content_words(part.question)[:_MANY_WORDS]):
            if (other := respelled(word)) is not None:
                new = _replaced(new, word, other)
                wordings.append(f"{word}: {other}")
        changed.append(part if new == part.question else Part(question=new, constraints=constraints(new)))
    return tuple(changed), tuple(dict.fromkeys(wordings))


def second_hop(part: Part, found: Sequence[Memory]) -> str:
    """Return a question about a name that was found and the part does not know, with what the quotes leave open.

    "" if the quotes of the best reply hold all words of the part, or bring no new name.
    """
    best = max(found, key=lambda memory: memory.point or 0, default=None)
    if best is None or not best.quotes:
        return ""
    text = " ".join(quote.text for quote in best.quotes)
    left = [word for word in words_to_replace(part) if not stands(word, roots(text))]
    names = spans(AnswerType.NAME, best.quotes[0].text, part.question)
    return f"{' '.join(left)} {max(names, key=len)}" if left and names else ""


def limited(questions: Iterable[str], asked: Iterable[str]) -> tuple[str, ...]:
    """Return the questions that were not asked yet, each once, as many as one round may ask."""
    before = set(asked)
    return tuple(dict.fromkeys(question for question in questions if question and question not in before))[:_MOST]
