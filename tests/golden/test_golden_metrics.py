"""Metrics have the recorded values."""

from __future__ import annotations

from typing import Any

from golden_rows import golden_test

from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import TeacherMetrics, aggregate_named_reports, aggregate_unnamed_reports, values
from investigator.dialogue.metrics.teacher_metrics import (
    bleu,
    in_batch_metrics,
    inter_distinct,
    intra_distinct,
    named_metrics,
    ranking_metrics,
    rouge,
    scored_metrics,
)
from investigator.dialogue.metrics.values import Metrics
from investigator.evaluation.answer_text import PARLAI, exact_match, normalize_answer, word_overlap

KINDS = {
    "avg": values.AverageMetric,
    "sum": values.SumMetric,
    "fixed": values.FixedMetric,
}


def text_pair(given: Any) -> Any:
    guess, answers = given["guess"], given["answers"]
    words = word_overlap(guess, answers, PARLAI)
    scores = {
        "accuracy": float(exact_match(guess, answers, PARLAI)),
        "precision": words.precision,
        "recall": words.recall,
        "f1": words.f1,
    }
    scores |= {f"bleu-{order}": bleu(guess, answers, order).value() for order in (1, 2, 3, 4)}
    for name, overlap in rouge(guess, answers).items():
        scores |= {f"rouge_{name}(r)": overlap.recall, f"rouge_{name}(f)": overlap.f1}
        scores[f"rouge_{name}(p)"] = overlap.precision
    scores |= distinct_corpus({"texts": [guess]})
    return {name: round(figure, 10) for name, figure in scores.items()}  # recorded with ten decimals


def distinct_corpus(given: Any) -> Any:
    metrics = Metrics()
    for text in given["texts"]:
        for length in (1, 2):
            metrics.add(f"interdistinct-{length}", inter_distinct(text, length))
            metrics.add(f"intradistinct-{length}", intra_distinct(text, length))
    return figures(metrics.report())


def ranking(given: Any) -> Any:
    scores = figures(ranking_metrics(given["text_candidates"], given["labels"]))
    return {name: figure for name, figure in scores.items() if name.startswith("hits")}


def mrr_batch_train(given: Any) -> Any:
    rows = [in_batch_metrics(scores, row) for row, scores in enumerate(given["scores"])]
    return {name: [row[name].value() for row in rows] for name in ("train_accuracy", "rank", "mrr")}


def mrr_eval(given: Any) -> Any:
    top = given["rank_top_k"] if given["rank_top_k"] > 0 else None
    labels = zip(given["scores"], given["label_inds"], strict=True)
    rows = [scored_metrics(scores, label, top) for scores, label in labels]
    return {name: [row[name].value() for row in rows] for name in ("rank", "mrr")}


def metric(given: Any) -> values.Metric:
    kind = KINDS[given["type"].removeprefix("g")]
    figures = [given[key] for key in ("n", "d") if key in given]
    return kind(*figures, is_global=given["type"].startswith("g"))


def report(given: Any) -> values.Report:
    return {name: metric(figure) for name, figure in given.items()}


def figures(scores: values.Report) -> dict[str, float]:
    return {name: figure.value() for name, figure in scores.items()}


def aggregate_named(given: Any) -> Any:
    reports = {task: report(recorded) for task, recorded in given["reports"].items()}
    return {"ok": figures(aggregate_named_reports(reports, given["micro_average"]))}


def average_metric(given: Any) -> Any:
    average = values.AverageMetric(given["numer"], given["denom"])
    return {"value": average.value(), "str": str(average)}


def teacher_metrics(given: Any) -> Any:
    metrics, recent = TeacherMetrics(given["metrics"]), []
    for turn in given["turns"]:
        metrics.clear_recent()
        metrics.evaluate_response(Message(turn["response"]), turn["labels"])
        recent.append(figures(metrics.report_recent()))
    return {"recent": recent, "report": figures(metrics.report())}


ADAPTERS = {
    "normalize_answer": lambda given: {"text": normalize_answer(given["text"])},
    "text_pair": text_pair,
    "distinct_corpus": distinct_corpus,
    "ranking": ranking,
    "mrr_batch_train": mrr_batch_train,
    "mrr_eval": mrr_eval,
    "aggregate_named": aggregate_named,
    "aggregate_unnamed": lambda given: {
        "ok": figures(aggregate_unnamed_reports([report(recorded) for recorded in given["reports"]]))
    },
    "average_metric": average_metric,
    "teacher_metrics": teacher_metrics,
    "metrics_list": lambda given: {"metrics": sorted(named_metrics(given["arg"]))},
}


test_metrics_give_the_figures_recorded = golden_test("metrics", ADAPTERS)
