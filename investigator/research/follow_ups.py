"""Derives further questions without a language model: rewordings of unanswered parts, and second hops. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile, zip_longest

from investigator.language.terms import content_words, folded, stop_words, words
from investigator.questions.answer_types import AnswerType, spans
from investigator.questions.constraints import constraints
from investigator.questions.equivalents import equivalents
from investigator.questions.order import verbs
from investigator.questions.related import forms_like, phrases, related, roots, stands
from investigator.records import ConstraintKind, Investigation, Memory, Part
from investigator.research.state import State
from investigator.retrieval.library import DocumentIndex
from investigator.scoring.calibration import default_calibration

_MOST_WORDINGS = 12  # of one part
_MOST = 6
_MANY_WORDS = 24
_LEAST_LIKENESS = 0.92  # minimum cosine; "consume coffee" for "drink coffee" has 0.96, "concentrate coffee" 0.916
_AFTER_ARTICLE = re.compile(r"(?:\b(?:the|an?|its|their|his|her|our|your)|['’]s)((?:\s+[\w-]+)+)", re.IGNORECASE)

_HYPHENATED = re.compile(r"\b[A-Za-z]+-[A-Za-z]+\b")

_Exchange = tuple[str, tuple[str, ...]]
"""Words of a question, and the forms of another word that can replace them."""


def words_to_replace(part: Part) -> tuple[str, ...]:
    """Return the words of a part that synonyms may replace; names and periods are excluded."""
    asked = [one.text for one in part.constraints if one.kind is ConstraintKind.ATTRIBUTE]
    asked += [one.text.partition(" of ")[2] for one in part.constraints if one.kind is ConstraintKind.QUANTITY]
    return tuple(dict.fromkeys(word for text in asked for word in words(text) if word not in stop_words()))


def _modifiers(question: str) -> frozenset[str]:
    """Return the words between an article or possessive and its noun."""
    found: set[str] = set()
    for run in _AFTER_ARTICLE.findall(question):
        term = list(takewhile(lambda word: word not in stop_words(), words(run)))
        found.update(term[:-1])
    return frozenset(found)


def related_to(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return all synonyms of the words in the parts, in matching forms."""
    exchanges = (one for part in parts for one in (*_of_phrases(part), *_of_words(part)))
    return tuple(dict.fromkeys(form for _, forms in exchanges for form in forms))


def rewordings(part: Part, shares: Mapping[str, float]) -> tuple[str, ...]:
    """Reword a part by replacing a word, a phrasal verb, or both with words that occur in the folder.

    `shares` maps each word to the share of documents that contain it. If there are no such words, return the part
    without its question words, or nothing if no words are left.
    """
    verbs = _held(_of_phrases(part), shares)
    texts = (part.question, *(_replaced(part.question, *verb) for verb in verbs[:1]))
    in_verbs = {folded(word) for verb, _ in verbs for word in verb.split()}
    others = [word for word in _held(_of_words(part), shares) if word[0] not in in_verbs]
    of_words = [[_replaced(text, *word) for text in texts[::-1]] for word in others]
    changed = (*(_replaced(part.question, *verb) for verb in verbs), *(text for both in of_words for text in both))
    own = tuple(text for text in dict.fromkeys(changed) if text != part.question)
    return own[:_MOST_WORDINGS] or key_words(part)


def alike_wordings(part: Part, likeness: Mapping[str, float]) -> tuple[str, ...]:
    """Return the rewordings of a part that are closest in meaning, best first; if none is close enough, return the
    part's keywords.
    """
    alike = [text for text in likeness if likeness[text] >= _LEAST_LIKENESS]
    return tuple(sorted(alike, key=lambda text: -likeness[text])) or key_words(part)


def same_by_grammar(part: Part, library: DocumentIndex) -> Iterator[str]:
    """Yield the grammatically equivalent wordings of a part whose words all occur in the folder. Raises StoreError."""
    for one in equivalents(part):
        is_other = one.question != part.question
        if is_other and all(term.document_share for term in library.term_frequencies(one.question)):
            yield one.question


def key_words(part: Part) -> tuple[str, ...]:
    """Return a part without question words and conjunctions, as a wording to search for; may be empty."""
    own = [word for word in content_words(part.question) if word != "s"][:_MANY_WORDS]  # "s" is the end of a possessive
    return (" ".join(own),) if own and len(own) < len(words(part.question)) else ()


def _of_phrases(part: Part) -> list[_Exchange]:
    """Return each phrasal verb in a part with the forms of the single verb that can replace it."""
    found = phrases(part.question)
    return [(phrase, forms_like(folded(phrase.split()[0]), other)) for phrase, others in found for other in others]


def _of_words(part: Part) -> list[_Exchange]:
    """Return the replaceable words with the forms of their synonyms: first each word's first synonym, then each word's
    second.

    Modifiers, such as "net" in "the net sales", are excluded. Verbs are replaced only by verbs.
    """
    fixed = _modifiers(part.question)
    loose = [word for word in words_to_replace(part) if word not in fixed][:_MANY_WORDS]
    doing = verbs(part.question)
    of_each = [
        [(word, forms_like(word, other, as_verb=word in doing)) for other in related(word, as_verb=word in doing)]
        for word in loose
    ]
    return [exchange for turn in zip_longest(*of_each) for exchange in turn if exchange is not None]


def _held(exchanges: Iterable[_Exchange], shares: Mapping[str, float]) -> list[tuple[str, str]]:
    """Return each word with the most likely form of its replacement that occurs in the folder."""
    found = ((word, next((form for form in forms if shares.get(form)), "")) for word, forms in exchanges)
    return [(word, form) for word, form in found if form]


def _replaced(text: str, word: str, other: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text, flags=re.IGNORECASE)


def found_for(part: Part, run: Investigation, history: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return the memories that result from asking about a part; all memories if the question was asked as a whole."""
    apart = {question.question for question in run.parts}
    others = {i for step in run.plan.steps if step.purpose in apart - {part.question} for i in step.result_ids}
    return tuple(memory for memory in history if memory.id not in others)


def respelled_parts(
    parts: Sequence[Part], respelled: Callable[[str], str | None]
) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """Return the parts with unknown words respelled as in the folder, and the list of respelled words."""
    wordings: list[str] = []
    changed = []
    for part in parts:
        new = part.question
        words_of = (*_HYPHENATED.findall(part.question)[:_MANY_WORDS], *content_words(part.question)[:_MANY_WORDS])
        for word in dict.fromkeys(words_of):
            if (other := respelled(word)) is not None:
                new = _replaced(new, word, other)
                wordings.append(f"{word}: {other}")
        changed.append(part if new == part.question else part.changed(question=new, constraints=constraints(new)))
    return tuple(changed), tuple(dict.fromkeys(wordings))


def second_hop(part: Part, found: Sequence[Memory]) -> str:
    """Return a query with a name from the quotes of a part's best reply, and the words of the part that these quotes
    lack.

    Return "" if the quotes contain all words of the part, or no new name, or if the reply hardly answers the part,
    because the names in it would then be misleading.
    """
    best = max(found, key=lambda memory: memory.point or 0, default=None)
    if best is None or not best.quotes or (best.point or 0) < default_calibration().threshold:
        return ""
    text = " ".join(quote.text for quote in best.quotes)
    left = [word for word in words_to_replace(part) if not stands(word, roots(text))]
    names = spans(AnswerType.NAME, best.quotes[0].text, part.question)
    return f"{' '.join(left)} {max(names, key=len)}" if left and names else ""


def limited(questions: Iterable[str], asked: Iterable[str]) -> tuple[str, ...]:
    """Return the questions that have not been asked yet, without duplicates, up to the limit for one round."""
    before = set(asked)
    return tuple(dict.fromkeys(question for question in questions if question and question not in before))[:_MOST]


_MOST_SEARCHES = 6  # maximum number of wordings searched for in one round
_MOST_ASKED = 2  # maximum number of wordings per part for which documents are asked


def searched_otherwise(state: State, parts: Sequence[Part], library: DocumentIndex) -> tuple[State, tuple[str, ...]]:
    """Search the folder for rewordings of the given parts; return the state and the most promising rewordings.

    No engine is called. A wording is searched for only once. Raises StoreError.
    """
    shares = {t.term: t.document_share for t in library.term_frequencies(" ".join(related_to(parts)))}
    searched, best, promising = list(state.run.wordings), list[str](), list(state.promising)
    for part in parts:
        wordings = [text for text in rewordings(part, shares) if text not in searched]
        likeness = dict(zip(wordings, library.likeness(part.question, wordings), strict=True))
        every = (*islice(same_by_grammar(part, library), _MOST_ASKED), *alike_wordings(part, likeness))
        alike = [text for text in every if text not in searched]
        nearest = alike[: max(1, _MOST_SEARCHES // len(parts))]
        cards = {text: library.cards((text,)) for text in nearest}
        found_by = [text for text in nearest if cards[text]]  # a folder without text has no cards
        best += sorted(found_by, key=lambda text: -cards[text][0].match)[:_MOST_ASKED]
        promising += (c.document_id for found in cards.values() for c in found if c.match >= state.bounds.worth_asking)
        searched += nearest
    run = state.run.changed(wordings=tuple(dict.fromkeys(searched)))
    return replace(state, run=run, promising=tuple(dict.fromkeys(promising))), tuple(best)
