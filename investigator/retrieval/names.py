"""Names of documents: words, issuers and periods, and which of them a question names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from investigator.language.relevance import rarity
from investigator.language.terms import content_words, folded, question_body, stem, stop_words, words
from investigator.questions.editions import agreement, counts_fiscal_years, covered
from investigator.questions.periods import Age, Period, age_asked, agree, periods, without_periods
from investigator.records import DocumentCard, Imprint

_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])")
_LONG_NAME = 6
_REQUESTS = (
    "analyse analyze assess characterise characterize compare describe discuss estimate examine explain find give "
    "identify list name outline provide show state summarise summarize tell"
)
_ASKED_TO = frozenset(_REQUESTS.split())
"""Words that begin a request with a capital and name nothing."""


class Names:
    """Titles, authors, paths and imprints of the documents of a folder. `cards` are those of its documents."""

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
                if len(word) > 1 or not word.isascii():  # `a.pdf` is not named by a letter of the question
                    self._holders.setdefault(stem(word), set()).add(card.document_id)
            self._periods[card.document_id] = periods(name)
            self._imprints[card.document_id] = card.imprint
            self._kinds[card.document_id] = folded(card.imprint.issuer or card.title)
            if date := card.imprint.dated or card.date:
                self._dates[card.document_id] = next(iter(periods(date)), Period(None))

    def named(self, question: str) -> dict[str, float]:
        """Return the documents whose names hold words of the question, with the weight of these relative to the best.

        Neighbouring words of the question also meet a name that writes them as one (`Best Buy`, `BESTBUY_2019.pdf`).
        """
        total = len(self._periods)
        weights: dict[str, float] = {}
        for word in sorted(_spellings(question)):  # sums must not depend on the order of a set
            for document_id in self._holders.get(word, ()):
                weight = rarity(len(self._holders[word]) / total)
                weights[document_id] = weights.get(document_id, 0.0) + weight
        best = max(weights.values(), default=1.0)
        return {document_id: weight / best for document_id, weight in weights.items()}

    def in_period(self, question: str) -> dict[str, float]:
        """1.0 for the documents that agree best with a period that the question names, -1.0 for those of another one.

        The imprint of a document and its name both count. Documents of one issuer or title are compared with each
        other. A document without a period gets 0.5 if its date agrees.
        """
        asked, fiscal = periods(question), counts_fiscal_years(question)
        if not asked:
            return {}
        telling = [i for i, named in self._periods.items() if named or covered(self._imprints[i])]
        told = dict.fromkeys(telling, -1.0)
        for period in asked:
            votes = {i: agreement(period, self._imprints[i], self._periods[i], fiscal=fiscal) for i in telling}
            best: dict[str, float] = {}
            for i, vote in votes.items():
                best[self._kinds[i]] = max(vote, best.get(self._kinds[i], 0.0))
            told |= {i: 1.0 for i, vote in votes.items() if vote and vote >= best[self._kinds[i]]}
        dated = {i: 0.5 for i, date in self._dates.items() if i not in told and agree(asked, [date])}
        return told | dated

    def of_age(self, question: str, named: Mapping[str, float]) -> dict[str, float]:
        """1.0 for the newest (or oldest) of the documents that the question names best, -1.0 for the others of them.

        Nothing if the question asks for neither.
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
    """Stems of the question's words, and of neighbouring ones written as one."""
    asked = without_periods(question)
    single = [stem(word) for word in content_words(asked)]
    every = words(asked)
    joined = [f"{a}{b}" for a, b in pairwise(every)] + [f"{a}{b}{c}" for (a, b), (_, c) in pairwise(pairwise(every))]
    return {*single, *(stem(name) for name in joined if len(name) >= _LONG_NAME)}


def named_words(question: str) -> frozenset[str]:
    """Stems of the words that a question writes like names, with a capital; periods and stop words are left out."""
    left = set(words(without_periods(question)))
    tokens = (token for token in _TOKEN.findall(question_body(question)) if token[0].isupper())
    named = {word for token in tokens for word in words(token)} - stop_words() - _ASKED_TO
    return frozenset(stem(word) for word in named if word in left)


def names_nothing(question: str) -> bool:
    """Return True if a question of a script with capitals has no word but the first that is written like a name."""
    tokens = _TOKEN.findall(question)
    return any(token[0].islower() for token in tokens) and not named_words(question)
