"""Selects the most relevant sentences of one document for a comparison, such as results and changes. Pure.

Background, methods, references and other people's work rank below a document's own results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from investigator.documents.pages import heading_at
from investigator.engines.extractive.summarising import says_something
from investigator.evidence.quotes import quote_at
from investigator.language.addressed import addresses_model
from investigator.language.sentences import sentence_spans
from investigator.questions.answer_types import AnswerType, figures, finding
from investigator.questions.cues import patterns
from investigator.questions.related import related_roots, roots
from investigator.records import Document, Quote
from investigator.tables.asked import AskedTerm, TableQuestion, table_question
from investigator.tables.times import agrees, header_time

_MOST_SENTENCES, _FEWEST_WORDS = 4_000, 4
_LEAST_OF_BEST = 0.1
_SAME = 0.7  # two sentences are repetitions if they share at least this fraction of the shorter one's words
# number of leading characters searched for main results, and the text length above which they are expected there
_ABSTRACT, _LONG = 3_500, 10_000
_SAID, _RESULT, _FIGURES, _OWN, _PLACE, _OF_OTHERS, _TIME = 2.0, 1.2, 0.3, 0.4, 0.5, 0.8, 0.6
_MAIN = 0.6
_SAID_OF_MAIN = 0.3  # weight factor for the question's words in the search for main results
_OF_NAME = 0.3  # weight factor for words in the title of the document
_BY_LIKE_WORD, _BY_ANOTHER_WORD = 0.9, 0.5
_CITES = re.compile(r"\[\d[\d,–\- ]*\]|\bet al\b|\((?:[A-Z][\w-]+,? (?:and [A-Z][\w-]+,? )?)?(?:19|20)\d\d\)")
YEAR = re.compile(r"(?<![\d.,])(?:1\d{3}|20\d{2})(?![\d%]|[.,]\d)")
_LONGEST_SECTION = 3_000  # maximum number of characters
_MOST_TOGETHER = 4
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True)
class _Sentence:
    start: int
    end: int
    text: str
    roots: frozenset[str]


def telling_sentences(
    document: Document, question: str, near: Sequence[Quote] = (), *, most: int = 4, dated: bool = False
) -> tuple[Quote, ...]:
    """Return the most relevant sentences of a document, best first.

    Words in the document's title carry little weight. `near` contains quotes that were found by other means. If `dated`
    is True, sentences that name a time weigh more, and the sentences are returned in text order.
    """
    is_long = len(document.text) > _LONG  # in a short text, "it" refers to the subject
    whole = (one for one in _sentences(document) if says_something(one.text, by_itself=is_long))
    sentences = islice(whole, _MOST_SENTENCES)
    wanted = _Wanted.of(document, question, list(sentences))
    found = (quote.start for quote in near if quote.cell is None)
    worth = {one: wanted.worth(one, dated=dated) for one in wanted.sentences}
    for start in found:
        worth.update({one: worth[one] + _PLACE for one in wanted.sentences if one.start <= start < one.end})
    main: list[_Sentence] = []
    if is_long and wanted.asks_outcome:
        general = {one: wanted.worth(one, said=_SAID_OF_MAIN * _SAID) for one in wanted.sentences}
        main = _apart(general, most // 2)
    kept = _apart(worth, most, main)
    if dated:
        return _in_order(document, kept)
    return tuple(quote_at(document, one.start, one.end) for one in kept)


def main_sentences(document: Document, *, most: int) -> tuple[Quote, ...]:
    """Return the sentences at the beginning of a long document that state its results, in order; may be empty."""
    if len(document.text) <= _LONG:
        return ()
    beginning = [one for one in _sentences(document, 0, _ABSTRACT) if says_something(one.text)]
    wanted = _Wanted.of(document, "", beginning)
    worth = {one: value for one in beginning if (value := wanted.worth(one)) >= _MAIN}
    return _in_order(document, _apart(worth, most))


def dated_sentences(document: Document, years: range, *, most: int) -> tuple[Quote, ...]:
    """Return up to `most` sentences that name one of the years, ordered by year and spread over all of them."""
    found: list[tuple[int, _Sentence]] = []
    for one in islice(_sentences(document), _MOST_SENTENCES):
        named = [year for text in YEAR.findall(one.text) if (year := int(text)) in years]
        if not named or addresses_model(one.text):
            continue
        if says_something(one.text, by_itself=False) and not cites_others(one.text):
            found.append((min(named), one))
    found.sort(key=lambda dated: (dated[0], dated[1].start))
    step = max(1, -(-len(found) // most))
    return tuple(quote_at(document, one.start, one.end) for _, one in found[::step])


def _in_order(document: Document, kept: Sequence[_Sentence]) -> tuple[Quote, ...]:
    return tuple(quote_at(document, one.start, one.end) for one in sorted(kept, key=lambda one: one.start))


def _apart(worth: Mapping[_Sentence, float], most: int, first: Sequence[_Sentence] = ()) -> list[_Sentence]:
    """Return the best sentences, without repetitions and without those that score far below the best."""
    kept, best = list(first), 0.0
    for one in sorted(worth, key=lambda one: (-worth[one], one.start)):
        if len(kept) == most or worth[one] <= 0 or worth[one] < _LEAST_OF_BEST * best:
            break
        is_new = all(len(one.roots & other.roots) < _SAME * min(len(one.roots), len(other.roots)) for other in kept)
        # addresses_model is slow, so it is called only for sentences that may be chosen
        if (best and not is_new) or addresses_model(one.text):
            continue
        best = best or worth[one]
        kept += [one] if is_new else []
    return kept


@dataclass(frozen=True)
class _Wanted:
    """The terms to look for in a document's sentences, and the weight of each term."""

    document: Document
    asked: TableQuestion
    sentences: Sequence[_Sentence]
    weights: tuple[tuple[AskedTerm, float], ...]

    @classmethod
    def of(cls, document: Document, question: str, sentences: Sequence[_Sentence]) -> _Wanted:
        asked = table_question(question)
        name = roots(document.names)
        weights = (
            (term, _rarity(term, sentences) * (_OF_NAME if term.root in name else 1.0))
            for term in asked.terms
            if not _pattern("outcome").search(term.text)
        )
        return cls(document, asked, sentences, tuple((term, weight) for term, weight in weights if weight))

    @property
    def asks_outcome(self) -> bool:
        """Return True if the question asks for the outcome of something."""
        return not self.weights or _pattern("outcome").search(self.asked.text) is not None

    def worth(self, one: _Sentence, *, dated: bool = False, said: float = _SAID) -> float:
        """Return the weight of a sentence. `said` is the bonus for a sentence that contains all words of the question;
        with the default bonus, a sentence that contains none of them weighs 0.
        """
        total = math.fsum(weight for _, weight in self.weights)
        share = math.fsum(weight * _held(term, one.roots) for term, weight in self.weights) / total if total else 0.0
        if total and not share and said == _SAID:
            return 0.0
        heading, text = heading_at(self.document.headings, one.start), one.text
        worth = said * share
        worth += _RESULT * finding(AnswerType.COMPARISON, text) + _FIGURES * figures(AnswerType.COMPARISON, text)
        worth += _OWN * bool(_pattern("own").search(text)) + _PLACE * bool(_pattern("results").search(heading))
        tells = finding(AnswerType.COMPARISON, text) > 0 or bool(_pattern("own").search(text))
        worth += _MAIN * (tells and one.start < _ABSTRACT and len(self.document.text) > _LONG)
        worth -= _PLACE * bool(_pattern("before").search(heading))
        worth -= _OF_OTHERS * (cites_others(text) + bool(_pattern("procedure").search(text)))
        if self.asks_outcome:
            worth += _PLACE * bool(_pattern("last").search(f"{heading} {text}"))
        return worth + self._time(one, dated)

    def _time(self, one: _Sentence, dated: bool) -> float:
        """Return the bonus for a sentence that names the requested time or, with `dated`, any time."""
        named = header_time(one.text) if self.asked.times or dated else None
        if named is None or not named.year:
            return 0.0
        if not self.asked.times:
            return _TIME
        return _TIME * sum(1 if agrees(wanted, named) else -1 for wanted in self.asked.times) / len(self.asked.times)


def cites_others(sentence: str) -> bool:
    """Return True if a sentence cites other people's work."""
    return _CITES.search(sentence) is not None


def _held(term: AskedTerm, said: frozenset[str]) -> float:
    if term.root in said:
        return 1.0
    if not said.isdisjoint(term.others):
        return _BY_LIKE_WORD
    return _BY_ANOTHER_WORD * (not said.isdisjoint(related_roots(term.text)))


def new_sentences(document: Document, subject: Sequence[str], before: Document | None) -> Quote | None:
    """Return, from the section on a subject, the last sentences that the previous document does not contain. If it
    contains all of them, return the last sentences of the section.

    Return None if no sentence contains the whole subject.
    """
    own = _section(document, subject)
    if not own:
        return None
    known = {_plain(one) for one in _section(before, subject)} if before is not None else frozenset()
    new = [place for place, one in enumerate(own) if _plain(one) not in known]
    last = new[-1] if new else len(own) - 1
    first = last
    while first and last - first + 1 < _MOST_TOGETHER and (not new or first - 1 in new):
        first -= 1
    return quote_at(document, own[first].start, own[last].end)


def _section(document: Document, subject: Sequence[str]) -> list[_Sentence]:
    """Return the sentences of the section that mentions a subject most often, starting with the first mention."""
    wanted = frozenset().union(*(roots(text) for text in subject))
    starts = [0, *(heading.start for heading in document.headings), len(document.text)]
    best: list[_Sentence] = []
    most = 0.0
    for start, end in pairwise(starts):
        text = document.text[start:end]
        if not wanted or not wanted <= roots(text):
            continue
        section = _sentences(document, start, min(end, start + _LONGEST_SECTION))
        sentences = [one for one in section if not addresses_model(one.text)]
        naming = [place for place, one in enumerate(sentences) if wanted <= one.roots]
        share = len(naming) / len(sentences) if sentences else 0.0
        if share > most:
            most, best = share, sentences[naming[0] :]
    return best


def _sentences(document: Document, start: int = 0, end: int | None = None) -> Iterator[_Sentence]:
    for first, last in sentence_spans(document.text[start:end]):
        text = document.text[start + first : start + last]
        if len(text.split()) >= _FEWEST_WORDS:
            yield _Sentence(start + first, start + last, text, roots(text))


def _rarity(term: AskedTerm, sentences: Sequence[_Sentence]) -> float:
    """Return the weight of a term: high if few sentences of the document contain it, zero if no sentence does."""
    held = sum(not one.roots.isdisjoint(term.roots) for one in sentences)
    return math.log((len(sentences) + 1) / (held + 0.5)) if held else 0.0


def _plain(one: _Sentence) -> str:
    return _BLANKS.sub(" ", one.text).casefold()


def _pattern(name: str) -> re.Pattern[str]:
    return patterns("sections")[name]
