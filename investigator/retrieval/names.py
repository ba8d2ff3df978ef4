"""Matches the names of documents (words, issuers and periods) with the names in a question. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from investigator.documents.imprints import agreement, counts_fiscal_years, covered
from investigator.documents.periods import Age, Period, age_asked, agree, periods, without_periods
from investigator.language.relevance import rarity
from investigator.language.terms import content_words, folded, question_body, stem, stop_words, words
from investigator.records import DocumentCard, Imprint

_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")
_LONG_NAME = 6
_REQUESTS = (
    "analyse analyze assess characterise characterize compare describe discuss estimate examine explain find give "
    "identify list name outline provide show state summarise summarize tell"
)
_ASKED_TO = frozenset(_REQUESTS.split())
"""Words at the beginning of a request, whose capital letter does not mark a name."""


class Names:
    """Compares questions with the titles, authors, paths and imprints in the `cards` of a folder's documents."""

    def __init__(self, cards: Iterable[DocumentCard]) -> None:
        self._holders: dict[str, set[str]] = {}
        self._periods: dict[str, frozenset[Period]] = {}
        self._dates: dict[str, Period] = {}
        self._imprints: dict[str, Imprint] = {}
        self._kinds: dict[str, str] = {}
        for card in cards:
            own = " ".join((*card.authors, card.imprint.issuer, *card.imprint.symbols))
            name = f"{card.title} {own} {_CAMEL.sub(' ', card.document_id)}".replace("_", " ")
            for word in {*words(without_periods(name)), *words(without_periods(card.document_id))}:
                if len(word) > 1 or not word.isascii():  # a single letter in the question does not name `a.pdf`
                    self._holders.setdefault(stem(word), set()).add(card.document_id)
            self._periods[card.document_id] = periods(name)
            self._imprints[card.document_id] = card.imprint
            self._kinds[card.document_id] = folded(card.imprint.issuer or card.title)
            if date := card.imprint.dated or card.date:
                self._dates[card.document_id] = next(iter(periods(date)), Period(None))

    def named(self, question: str) -> dict[str, float]:
        """Return the documents whose names contain words from the question, with their weights relative to the best
        match.

        Neighbouring words in the question also match a name that joins them (`Best Buy`, `BESTBUY_2019.pdf`).
        """
        total = len(self._periods)
        weights: dict[str, float] = {}
        for word in sorted(_spellings(question)):  # sorted, because the order of a set must not affect a sum
            for document_id in self._holders.get(word, ()):
                weight = rarity(len(self._holders[word]) / total)
                weights[document_id] = weights.get(document_id, 0.0) + weight
        best = max(weights.values(), default=1.0)
        return {document_id: weight / best for document_id, weight in weights.items()}

    def in_period(self, question: str) -> dict[str, float]:
        """Score documents by period: 1.0 for the best match with a period in the question, -1.0 for another period.

        Periods are taken from a document's imprint and from its name. Documents with the same issuer or title are
        compared with each other. A document without a period gets 0.5 if its date agrees.
        """
        wanted, fiscal = periods(question), counts_fiscal_years(question)
        if not wanted:
            return {}
        telling = [i for i, named in self._periods.items() if named or covered(self._imprints[i])]
        votes_by_period = dict.fromkeys(telling, -1.0)
        for period in wanted:
            votes = {i: agreement(period, self._imprints[i], self._periods[i], fiscal=fiscal) for i in telling}
            best: dict[str, float] = {}
            for i, vote in votes.items():
                best[self._kinds[i]] = max(vote, best.get(self._kinds[i], 0.0))
            votes_by_period |= {i: 1.0 for i, vote in votes.items() if vote and vote >= best[self._kinds[i]]}
        dated = {i: 0.5 for i, date in self._dates.items() if i not in votes_by_period and agree(wanted, [date])}
        return votes_by_period | dated

    def of_age(self, question: str, named: Mapping[str, float]) -> dict[str, float]:
        """Score by age the documents that best match the names in the question: 1.0 for the newest (or oldest), -1.0
        for all others.

        Return nothing if the question does not ask for the newest or oldest.
        """
        age = age_asked(question)
        if age is Age.ANY:
            return {}
        group = [i for i in self._periods if named.get(i, 0.0) >= 1.0] if named else list(self._periods)
        times = {i: self._time(i) for i in group}
        dated = [time for time in times.values() if time > (0, 0)]
        if len(set(dated)) < 2:
            return {}
        wanted = max(dated) if age is Age.NEWEST else min(dated)
        return {i: 1.0 if time == wanted else -1.0 for i, time in times.items()}

    def _time(self, document_id: str) -> tuple[int, int]:
        covers = covered(self._imprints[document_id])
        ends = [period for period in covers if period.month]
        named = ends or [period for period in covers or self._periods[document_id] if period.year]
        if named:
            return max(period.order for period in named)
        dated = self._dates.get(document_id)
        return dated.order if dated and dated.year else (0, 0)


def _spellings(question: str) -> set[str]:
    """Return the stems of the question's words, and of neighbouring words joined into one word."""
    undated = without_periods(question)
    single = [stem(word) for word in content_words(undated)]
    every = words(undated)
    joined = [f"{a}{b}" for a, b in pairwise(every)] + [f"{a}{b}{c}" for (a, b), (_, c) in pairwise(pairwise(every))]
    return {*single, *(stem(name) for name in joined if len(name) >= _LONG_NAME)}


def named_words(question: str) -> frozenset[str]:
    """Return the stems of the capitalised words in a question; periods and stop words are excluded."""
    left = set(words(without_periods(question)))
    tokens = (token for token in _TOKEN.findall(question_body(question)) if token[0].isupper())
    named = {word for token in tokens for word in words(token)} - stop_words() - _ASKED_TO
    return frozenset(stem(word) for word in named if word in left)


def names_nothing(question: str) -> bool:
    """Return True if a question, in a script with capital letters, has no capitalised word except the first."""
    tokens = _TOKEN.findall(question)
    return any(token[0].islower() for token in tokens) and not named_words(question)
