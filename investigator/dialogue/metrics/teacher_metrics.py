"""Defines TeacherMetrics, which grades replies for a teacher by BLEU, ROUGE and distinct n-grams, with ParlAI's
definition of words, and by the rank of the right answer among candidates: hits@k, rank, mean reciprocal rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum, log
from numbers import Real
from typing import Self, TypeAlias

from investigator.dialogue.messages import Message, texts_of
from investigator.dialogue.metrics.values import AverageMetric, Metric, Metrics, SumMetric
from investigator.errors import DialogueError
from investigator.evaluation.answer_text import PARLAI, Overlap, exact_match, normalize_answer, word_overlap
from investigator.language.terms import porter_stem

_HITS_AT = (1, 5, 10, 100)
_GROUPS = {
    "default": {"accuracy", "bleu-4", "f1"},
    "rouge": {"rouge-1", "rouge-2", "rouge-L"},
    "bleu": {"bleu-1", "bleu-2", "bleu-3", "bleu-4"},
    "distinct": {"interdistinct-1", "interdistinct-2", "intradistinct-1", "intradistinct-2"},
}
_GROUPS["all"] = set().union(*_GROUPS.values())

AUTOMATIC_METRICS = frozenset({"exs", "precision", "recall", "mrr", *(f"hits@{k}" for k in _HITS_AT)})
"""Metrics that are reported whether or not they are requested."""

_OWN_NAMES = _GROUPS["all"] | AUTOMATIC_METRICS | {"rouge_1", "rouge_2", "rouge_L"}

_NO_MATCH = 1e-12  # the count for an n-gram order without matches, so that the geometric mean does not become 0
_NO_DISTINCT, _NO_NGRAMS = 1e-12, 1e-5
_KEEPS_IN_BATCH_BELOW_1 = 1e-5
_LONGEST_TEXT = 665
_LONGEST_UNSTEMMED = 3
_NO_WORD = re.compile("[^a-z0-9]+")
_SPLIT_BY_TREEBANK = {"gimme": "gim me", "gonna": "gon na", "gotta": "got ta", "lemme": "lem me", "wanna": "wan na"}


def named_metrics(metrics_list: str) -> frozenset[str]:
    """Return the metrics in a comma-separated list of names and groups: `default`, `rouge`, `bleu`, `distinct` and
    `all`. Other names are kept, because a custom teacher may know them.
    """
    names = (name.strip() for name in metrics_list.split(","))
    return frozenset(metric for name in names if name for metric in _GROUPS.get(name, {name}))


class TeacherMetrics(Metrics):
    """Grades replies against labels and adds up the metrics. `metrics_list` selects the metrics (see `named_metrics`);
    accuracy, precision, recall and f1 are always included.
    """

    def __init__(self, metrics_list: str = "default", shared: Mapping[str, object] | None = None) -> None:
        super().__init__(shared)
        self.wanted = named_metrics(metrics_list)

    def evaluate_response(self, observation: Message, labels: Sequence[str]) -> None:
        """Grade one reply, and count it (`exs`). Its text is graded against each label, and the best grade counts; its
        `text_candidates`, best first, by hits@k and mrr; its own `metrics` are added, numbers as averages, under
        `USER_name` if the name is ours. Without labels, only these are added. Raises DialogueError if metrics are not
        numbers by name.
        """
        right = texts_of(labels)
        metrics: dict[str, Metric] = {"exs": SumMetric(1)}
        text, candidates = observation.get("text"), observation.get("text_candidates")
        if text is not None and right:
            metrics |= self._text_metrics(str(text), right)
        if candidates is not None and right:
            metrics |= ranking_metrics(texts_of(candidates), right)
        self.add_all({**metrics, **_own_metrics(observation.get("metrics"))})

    def _text_metrics(self, guess: str, labels: Sequence[str]) -> dict[str, Metric]:
        words = word_overlap(guess, labels, PARLAI)
        metrics: dict[str, Metric] = {
            "accuracy": AverageMetric(float(exact_match(guess, labels, PARLAI))),
            "precision": AverageMetric(words.precision),
            "recall": AverageMetric(words.recall),
            "f1": AverageMetric(words.f1),
        }
        metrics |= {name: bleu(guess, labels, int(name[-1])) for name in sorted(self.wanted & _GROUPS["bleu"])}
        if self.wanted & _GROUPS["rouge"]:
            overlaps = rouge(guess, labels)
            wanted = [n for n in overlaps if f"rouge-{n}" in self.wanted]
            metrics |= {f"rouge_{n}": AverageMetric(overlaps[n].recall) for n in wanted}
        for name in sorted(self.wanted & _GROUPS["distinct"]):
            metrics[name] = (inter_distinct if name.startswith("inter") else intra_distinct)(guess, int(name[-1]))
        return metrics


def _own_metrics(metrics: object) -> dict[str, Metric]:
    if metrics is not None and not isinstance(metrics, Mapping):
        raise DialogueError(f"the metrics of a reply must be numbers by name, not {metrics!r}")
    own: dict[str, Metric] = {}
    for name, figure in (metrics or {}).items():
        if not isinstance(figure, Metric | Real | None):
            raise DialogueError(f"the metric {name} of a reply must be a number or a Metric, not {figure!r}")
        if figure is not None:
            key = f"USER_{name}" if name in _OWN_NAMES else str(name)
            own[key] = figure if isinstance(figure, Metric) else AverageMetric(float(figure))
    return own


def bleu(guess: str, answers: Sequence[str], order: int = 4) -> AverageMetric:
    """Return BLEU-`order` against all answers, from 0 to 1; 0 if no word matches (Papineni et al. 2002, smoothed by
    method 1 of Chen and Cherry 2014). A text with fewer words than `order` scores almost 0, even if it is right.
    """
    words = normalize_answer(guess).split(" ")
    references = [normalize_answer(answer).split(" ") for answer in answers]
    matches = [_matches(words, references, length) for length in range(1, order + 1)]
    if not references or not matches[0]:
        return AverageMetric(0.0)
    totals = [max(1, len(words) - length + 1) for length in range(1, order + 1)]
    mean = fsum(log((same or _NO_MATCH) / total) for same, total in zip(matches, totals, strict=True)) / order
    # a guess is penalised if it is shorter than the answer with the nearest length; of two, the shorter one counts
    nearest = min((len(reference) for reference in references), key=lambda length: (abs(length - len(words)), length))
    return AverageMetric(exp(mean + min(0.0, 1 - nearest / len(words))))


def rouge(guess: str, answers: Iterable[str]) -> dict[str, Overlap]:
    """Return the overlaps `1`, `2` and `L` of the guess with the best answer; plain ROUGE is their recall. As in Lin's
    Perl script (2004), words are ASCII letters and digits, with Porter's original stems, in the first 665 characters;
    unlike there, irregular forms ("went") are not looked up in WordNet.
    """
    words = _stems(guess)
    references = [_stems(answer) for answer in answers]
    shared = [(_longest_common(words, reference), len(words), len(reference)) for reference in references]
    pairs = {n: [(_ngrams(words, n), _ngrams(reference, n)) for reference in references] for n in (1, 2)}
    overlaps = {str(n): Overlap.best([Overlap.of_bags(*bags) for bags in each]) for n, each in pairs.items()}
    return {**overlaps, "L": Overlap.best([Overlap.of(*counts) for counts in shared])}


NgramCounts: TypeAlias = Counter[str]
"""The number of occurrences of each n-gram, given as words separated by spaces."""


@dataclass(frozen=True)
class InterDistinctMetric(Metric):
    """The share of distinct n-grams across all texts (Li et al. 2016); 1e-7 if there are none. The counts of texts are
    kept apart until the value is needed, so that adding a text does not copy all earlier counts.
    """

    texts: tuple[NgramCounts, ...]

    def value(self) -> float:
        counts = NgramCounts()
        for text in self.texts:
            counts.update(text)
        return max(len(counts), _NO_DISTINCT) / max(counts.total(), _NO_NGRAMS)

    def _plus(self, other: Self) -> Self:
        return type(self)(self.texts + other.texts)


def inter_distinct(text: str, length: int) -> InterDistinctMetric:
    """Return the metric for the n-grams of the given length in the text; metrics of several texts can be added."""
    return InterDistinctMetric((_ngrams(normalize_answer(text).split(), length),))


def intra_distinct(text: str, length: int) -> AverageMetric:
    """Return the share of distinct n-grams among all n-grams of the text; 1e-7 if it has none."""
    return AverageMetric(inter_distinct(text, length).value())


def ranking_metrics(candidates: Iterable[str], labels: Iterable[str]) -> dict[str, AverageMetric]:
    """Return hits@1, 5, 10 and 100, and `mrr`, the reciprocal rank of the best candidate that equals a label after
    normalisation; 0 if no candidate does. The candidates must be ordered best first.
    """
    wanted = {normalize_answer(label) for label in labels}
    places = (place for place, text in enumerate(candidates, start=1) if normalize_answer(text) in wanted)
    place = next(places, float("inf"))
    return {**{f"hits@{k}": AverageMetric(float(place <= k)) for k in _HITS_AT}, "mrr": AverageMetric(1 / place)}


def scored_metrics(scores: Sequence[float], label: int, top: int | None = None) -> dict[str, AverageMetric]:
    """Return `rank` and `mrr` for an agent that ranks by scores, if the candidate with the index `label` is right.
    Candidates with equal scores rank in the order given. A label that is not among the `top` ranks after all others.
    """
    own = scores[label]
    rank = 1 + sum(score > own or (score == own and index < label) for index, score in enumerate(scores))
    if top is not None and rank > top:
        rank = len(scores) + 1
    return {"rank": AverageMetric(rank), "mrr": AverageMetric(1 / rank)}


def in_batch_metrics(scores: Sequence[float], label: int) -> dict[str, AverageMetric]:
    """Return `train_accuracy`, `rank` and `mrr` for one row of a batch, in which the labels of the other rows are the
    wrong candidates. Equal scores share a rank, and the first of the highest is the guess. As in ParlAI's training, the
    reciprocal rank is 1 / (rank + 0.00001).
    """
    rank = 1 + sum(score > scores[label] for score in scores)
    right = AverageMetric(float(scores.index(max(scores)) == label))
    mrr = AverageMetric(1 / (rank + _KEEPS_IN_BATCH_BELOW_1))
    return {"train_accuracy": right, "rank": AverageMetric(rank), "mrr": mrr}


def _ngrams(words: Sequence[str], length: int) -> NgramCounts:
    return Counter(" ".join(words[start : start + length]) for start in range(len(words) - length + 1))


def _matches(words: Sequence[str], references: Sequence[Sequence[str]], length: int) -> int:
    """Return how many n-grams of the guess occur in the answers, at most as often as in one answer."""
    allowed = NgramCounts()
    for reference in references:
        allowed |= _ngrams(reference, length)
    return (_ngrams(words, length) & allowed).total()


def _stems(text: str) -> list[str]:
    words = _NO_WORD.sub(" ", normalize_answer(text)[:_LONGEST_TEXT]).split()
    split = " ".join(_SPLIT_BY_TREEBANK.get(word, word) for word in words).split()
    return [porter_stem(word) if len(word) > _LONGEST_UNSTEMMED else word for word in split]


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    row = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for place, other in enumerate(second, start=1):
            above = row[place]
            row[place] = diagonal + 1 if word == other else max(above, row[place - 1])
            diagonal = above
    return row[-1]
