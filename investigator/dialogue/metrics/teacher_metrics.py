"""Defines TeacherMetrics, which grades replies for a teacher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.ranking import HITS_AT, ranking_metrics
from investigator.dialogue.metrics.reports import Metrics
from investigator.dialogue.metrics.text import bleu, inter_distinct, intra_distinct, rouge
from investigator.dialogue.metrics.values import AverageMetric, Metric, SumMetric
from investigator.errors import DialogueError
from investigator.evaluation.answer_text import PARLAI, exact_match, word_overlap

_BLEU_ORDERS = (1, 2, 3, 4)
_DISTINCT_LENGTHS = (1, 2)

DEFAULT_METRICS = frozenset({"accuracy", "bleu-4", "f1"})
ROUGE_METRICS = frozenset({"rouge-1", "rouge-2", "rouge-L"})
BLEU_METRICS = frozenset(f"bleu-{order}" for order in _BLEU_ORDERS)
DISTINCT_METRICS = frozenset(f"{kind}distinct-{length}" for kind in ("inter", "intra") for length in _DISTINCT_LENGTHS)
_GROUPS = {
    "default": DEFAULT_METRICS,
    "rouge": ROUGE_METRICS,
    "bleu": BLEU_METRICS,
    "distinct": DISTINCT_METRICS,
    "all": DEFAULT_METRICS | ROUGE_METRICS | BLEU_METRICS | DISTINCT_METRICS,
}
_OWN_NAMES = frozenset(
    {*_GROUPS["all"], "exs", "precision", "recall", "rouge_1", "rouge_2", "rouge_L", "mrr"}
    | {f"hits@{k}" for k in HITS_AT}
)


def named_metrics(metrics_list: str) -> frozenset[str]:
    """Return the metrics in a comma-separated list of names and groups.

    Groups are `default` (accuracy, f1, bleu-4), `rouge`, `bleu`, `distinct` and `all`; other names are kept, so that a
    custom teacher can check whether its metric is requested.
    """
    names = (name.strip() for name in metrics_list.split(","))
    return frozenset(metric for name in names if name for metric in _GROUPS.get(name, (name,)))


class TeacherMetrics(Metrics):
    """Grades replies against labels and adds up the metrics. `metrics_list` selects the metrics (see `named_metrics`);
    accuracy, precision, recall and f1 are always included.
    """

    def __init__(self, metrics_list: str = "default", shared: Mapping[str, object] | None = None) -> None:
        super().__init__(shared)
        self.wanted = named_metrics(metrics_list)

    def evaluate_response(self, observation: Message, labels: Sequence[str]) -> None:
        """Grade one reply: count it as an example (`exs`), and add the applicable metrics.

        The reply's text is graded against each label, and the best grade counts. `text_candidates`, which must be best
        first, are graded by hits@k and mrr. The reply's own `metrics` are added, with numbers as averages; if one has
        the name of a built-in metric, it is renamed to `USER_name`. Without labels a reply cannot be graded, so only
        its own metrics are added. Raises DialogueError if candidates are not a list, or the reply's metrics are not a
        mapping of names to numbers.
        """
        right = (labels,) if isinstance(labels, str) else tuple(labels)
        found: dict[str, Metric] = {"exs": SumMetric(1)}
        text = observation.get("text")
        if text is not None and right:
            found |= self._text_metrics(str(text), right)
        candidates = observation.get("text_candidates")
        if candidates is not None and right:
            found |= ranking_metrics(_texts(candidates), right)
        found |= _own_metrics(observation.get("metrics"))
        self.add_all(found)

    def _text_metrics(self, guess: str, labels: Sequence[str]) -> dict[str, Metric]:
        words = word_overlap(guess, labels, PARLAI)
        found: dict[str, Metric] = {
            "accuracy": AverageMetric(float(exact_match(guess, labels, PARLAI))),
            "precision": AverageMetric(words.precision),
            "recall": AverageMetric(words.recall),
            "f1": AverageMetric(words.f1),
        }
        for order in _BLEU_ORDERS:
            if f"bleu-{order}" in self.wanted:
                found[f"bleu-{order}"] = bleu(guess, labels, order)
        if self.wanted & ROUGE_METRICS:
            scores = rouge(guess, labels)
            recalls = {"1": scores.one.recall, "2": scores.two.recall, "L": scores.longest.recall}
            found |= {f"rouge_{n}": AverageMetric(r) for n, r in recalls.items() if f"rouge-{n}" in self.wanted}
        for length in _DISTINCT_LENGTHS:
            if f"interdistinct-{length}" in self.wanted:
                found[f"interdistinct-{length}"] = inter_distinct(guess, length)
            if f"intradistinct-{length}" in self.wanted:
                found[f"intradistinct-{length}"] = intra_distinct(guess, length)
        return found


def _texts(candidates: object) -> list[str]:
    if isinstance(candidates, str) or not isinstance(candidates, Sequence):
        raise DialogueError(
            f"text_candidates must be a list of strings, not {candidates!r}",
            hint="Pass them as a list, the best first.",
        )
    return [str(candidate) for candidate in candidates]


def _own_metrics(metrics: object) -> dict[str, Metric]:
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise DialogueError(f"the metrics of a reply must be numbers by name, not {metrics!r}")
    return {
        f"USER_{name}" if name in _OWN_NAMES else str(name): _as_metric(str(name), figure)
        for name, figure in metrics.items()
        if figure is not None
    }


def _as_metric(name: str, figure: object) -> Metric:
    if isinstance(figure, Metric):
        return figure
    if isinstance(figure, Real):
        return AverageMetric(float(figure))
    raise DialogueError(f"the metric {name} of a reply must be a number or a Metric, not {figure!r}")
