"""Defines TeacherMetrics, which grades replies for a teacher."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real

from investigator.dialogue.messages import Message, texts_of
from investigator.dialogue.metrics.text import HITS_AT, bleu, inter_distinct, intra_distinct, ranking_metrics, rouge
from investigator.dialogue.metrics.values import AverageMetric, Metric, Metrics, SumMetric
from investigator.errors import DialogueError
from investigator.evaluation.answer_text import PARLAI, exact_match, word_overlap

_GROUPS = {
    "default": {"accuracy", "bleu-4", "f1"},
    "rouge": {"rouge-1", "rouge-2", "rouge-L"},
    "bleu": {"bleu-1", "bleu-2", "bleu-3", "bleu-4"},
    "distinct": {"interdistinct-1", "interdistinct-2", "intradistinct-1", "intradistinct-2"},
}
_GROUPS["all"] = set().union(*_GROUPS.values())

AUTOMATIC_METRICS = frozenset({"exs", "precision", "recall", "mrr", *(f"hits@{k}" for k in HITS_AT)})
"""Metrics that are reported whether or not they are requested."""

_OWN_NAMES = _GROUPS["all"] | AUTOMATIC_METRICS | {"rouge_1", "rouge_2", "rouge_L"}


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
    return {
        f"USER_{name}" if name in _OWN_NAMES else str(name): _as_metric(str(name), figure)
        for name, figure in (metrics or {}).items()
        if figure is not None
    }


def _as_metric(name: str, figure: object) -> Metric:
    if isinstance(figure, Metric):
        return figure
    if isinstance(figure, Real):
        return AverageMetric(float(figure))
    raise DialogueError(f"the metric {name} of a reply must be a number or a Metric, not {figure!r}")
