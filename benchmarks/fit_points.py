"""Fits the models for the probabilities and points of the search and the built-in engine: data/calibration.json.

    python benchmarks/fit_points.py SET_DIR SET_DIR [SET_DIR ...] [--near-misses FILE] [--limit N] [--json]
                                    [--workspaces DIR] [--write] [--threshold POINT]

Each SET_DIR contains `questions.dev.jsonl` (rows: id, question, answerable, doc_ids, evidence) and a folder `docs_dev`,
or several folders with these (benchmarks/everyday).
Three models are fitted, with the same weight for each set:

document  the probability that a document contains the answer, estimated before its passages are read, for the documents
          that a search ranks; right are the documents in the `doc_ids` of an answerable question.
sentence  the probability that a sentence is evidence, for the sentences in the passages of right documents; right are
          those that overlap with `evidence`.
reply     the point, for the replies of the four likeliest documents; a reply is right if its document is in the
          `doc_ids` of an answerable question and its passages contain a piece of the `evidence`, if the row has any.

Questions in languages other than English have separate models, fitted only to such questions. All figures come from
five-fold cross-validation over questions, in which all three models are fitted again in each fold. The last table
leaves out one set at a time, together with the near misses about its folder (--near-misses). A question and its twin
are in the same fold.

The printed threshold is the point below which "not in the documents" is decided best (mean F1 over the sets that have
unanswerable questions). It is not written automatically, because it depends on the results of whole runs on near
misses: the shipped value is kept unless --threshold changes it. `--write` stores the models and prints the changes.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from fit_samples import Question, samples
from fitting import Array, Fit, calibration_error, listwise, logistic, reliability
from sklearn.metrics import roc_auc_score

from investigator.engines.extractive.candidates import SentenceFit
from investigator.language.terms import is_english
from investigator.scoring.calibration import Calibration, Logistic, RelevanceModels, default_calibration

DATA = Path(__file__).parents[1] / "data/calibration.json"
DOCUMENT = ("gap", "near_and_overlapping", "named", "names", "period", "age", "naming", "stands_out")
FOREIGN = ("gap", "near_and_overlapping", "overlap", "named", "names")
TAKEN_OVER = ("period", "age")  # questions in other languages that ask for them are not in the sets
FEW = default_calibration().english.document.weights["few"]  # by folder_size.py: the sets are of one size
SENTENCE = tuple(SentenceFit.model_fields)
REPLY = ("match_odds", "sentence_odds")
FOLDS = 5
_NEAR = 5  # points: a few questions of luck must not move the threshold


def rows(records: list, names: tuple[str, ...]) -> Array:  # type: ignore[type-arg]
    """Return an array with a row for each record and a column for each feature."""
    return np.array([[float(getattr(record, name)) for name in names] for record in records]).reshape(-1, len(names))


def shares(questions: list[Question]) -> dict[str, float]:
    """Return the weight of a question in each set; all sets have the same total weight."""
    return {name: 1 / sum(q.set == name for q in questions) for name in {q.set for q in questions}}


def fitted(questions: list[Question]) -> Calibration:
    """Return the calibration with models fitted to the questions, those for other languages only to such questions."""
    foreign = [q for q in questions if not is_english(q.asked.question)]
    english = with_few(models(questions, DOCUMENT))
    other = with_few(models(foreign, FOREIGN)) if any(q.answerable for q in foreign) else english
    taken = {name: english.document.weights[name] for name in TAKEN_OVER}
    document = other.document.changed(weights={**other.document.weights, **taken})
    other = other.changed(document=document)
    return default_calibration().changed(english=english, foreign=other)


def with_few(kept: RelevanceModels) -> RelevanceModels:
    """Return the models with the weight of the folder size, which is not fitted here."""
    return kept.changed(document=kept.document.changed(weights={**kept.document.weights, "few": FEW}))


def models(questions: list[Question], names: tuple[str, ...]) -> RelevanceModels:
    """Return the three models; `names` are the features of documents."""
    share = shares(questions)
    sentence = sentence_model(questions, share)
    kept = RelevanceModels(document=document_model(questions, names, share), sentence=sentence, reply=sentence)
    replies = [(features, right, share[q.set]) for q in questions for features, right in q.replies(kept)]
    reply = logistic(
        rows([features for features, _, _ in replies], REPLY),
        np.array([float(right) for _, right, _ in replies]),
        np.array([weight for _, _, weight in replies]),
    )
    return kept.changed(reply=model(reply, REPLY))


def document_model(questions: list[Question], names: tuple[str, ...], share: dict[str, float]) -> Logistic:
    """Return the document model, which is applied before passages are read."""
    outside = [(entry, q) for q in questions for entry in q.standings]
    fit = logistic(
        rows([entry.standing for entry, _ in outside], names),
        np.array([float(entry.right) for entry, _ in outside]),
        np.array([share[q.set] / len(q.standings) for _, q in outside]),
    )
    return model(fit, names)


def sentence_model(questions: list[Question], share: dict[str, float]) -> Logistic:
    """Return the model of sentences, fitted to the lists of sentences in right documents."""
    lists = [
        (rows([sentence.fit for sentence in sentences], SENTENCE), np.array(labels, dtype=float), 100 * share[q.set])
        for q in questions
        for sentences, labels in q.evidence_lists()
    ]
    return ranking(lists, SENTENCE)


def ranking(lists: list[tuple[Array, Array, float]], names: tuple[str, ...]) -> Logistic:
    """Fit the weights by lists, then a bias and a scale that calibrate the probabilities of all sentences.

    Columns after those of `names` are fitted, too, but not returned.
    """
    lists = [(x, y, weight) for x, y, weight in lists if 0 < y.sum() < len(y)]
    weights = listwise(lists)[: len(names)]
    scores = np.concatenate([x[:, : len(names)] @ weights for x, _, _ in lists])[:, None]
    labels = np.concatenate([y for _, y, _ in lists])
    counts = np.concatenate([np.full(len(y), weight / len(y)) for _, y, weight in lists])
    scale = logistic(scores, labels, counts)
    return model(Fit(scale.bias, weights * scale.weights[0]), names)


def model(fit: Fit, names: tuple[str, ...]) -> Logistic:
    """Return the model in its shipped form, rounded for readability."""
    return Logistic(
        bias=round(fit.bias, 3),
        weights={name: round(float(weight), 3) for name, weight in zip(names, fit.weights, strict=True)},
    )


def judged(questions: list[Question], calibration: Calibration) -> list[tuple[Question, list[float], list[bool]]]:
    """Return each question with the probabilities of its replies, and whether they are right."""
    result = []
    for q in questions:
        own = calibration.of(q.asked.question)
        pairs = q.replies(own)
        result.append((q, [own.reply.chance(f) for f, _ in pairs], [right for _, right in pairs]))
    return result


def no_answer_f1(outcomes: list[tuple[Question, list[float], list[bool]]], threshold: float) -> float:
    """Return F1 of "not in the documents", which is the answer if no reply reaches the threshold."""
    said = [max(chances, default=0.0) < threshold for _, chances, _ in outcomes]
    hit = sum(no and not q.answerable for no, (q, _, _) in zip(said, outcomes, strict=True))
    return 2 * hit / max(1, sum(said) + sum(not q.answerable for q, _, _ in outcomes))


def table(outcomes: list[tuple[Question, list[float], list[bool]]], threshold: float) -> list[dict[str, object]]:
    """Return a row for each set, and a row for all sets."""
    names = sorted({q.set for q, _, _ in outcomes})
    found: list[dict[str, object]] = []
    for name in (*names, "all"):
        own = [entry for entry in outcomes if name in (entry[0].set, "all")]
        chances = np.concatenate([entry[1] for entry in own])
        right = np.concatenate([entry[2] for entry in own]).astype(float)
        answerable = [q.answerable for q, _, _ in own]
        best = [max(chances, default=0.0) for _, chances, _ in own]
        found.append(
            {
                "set": name,
                "questions": len(own),
                "replies": len(right),
                "right": float(right.mean()),
                "reply_roc": float(roc_auc_score(right, chances)),
                "calibration_error": calibration_error(chances, right),
                "answerable_roc": float(roc_auc_score(answerable, best)) if len(set(answerable)) == 2 else None,
                "no_answer_f1": no_answer_f1(own, threshold),
                "best_no_answer_f1": max(no_answer_f1(own, t / 100) for t in range(1, 100)),
            }
        )
    return found


def best_threshold(outcomes: list[tuple[Question, list[float], list[bool]]]) -> int:
    """Return the point below which "not in the documents" is decided best, averaged over the sets."""
    names = sorted({q.set for q, _, _ in outcomes})

    def mean(point: int) -> float:
        return float(np.mean([no_answer_f1([o for o in outcomes if o[0].set == name], point / 100) for name in names]))

    curve = [mean(point) for point in range(101)]
    smooth = {point: np.mean(curve[point - _NEAR : point + _NEAR + 1]) for point in range(_NEAR, 101 - _NEAR)}
    return max(smooth, key=lambda point: smooth[point])


def left_out(questions: list[Question], parts: list[list[Question]]) -> list[tuple[Question, list[float], list[bool]]]:
    """Evaluate each part with models fitted to the other parts."""
    found = []
    for part in parts:
        others = [q for q in questions if not any(q is other for other in part)]
        found += judged(part, fitted(others))
    return found


def folds(questions: list[Question]) -> list[list[Question]]:
    """Return five parts of about the same size; a question and its twin are in the same part."""
    names = [q.pair or f"{place}" for place, q in enumerate(questions)]
    pairs = list(dict.fromkeys(names))
    order = np.random.default_rng(0).permutation(len(pairs))
    fold = {pairs[place]: number % FOLDS for number, place in enumerate(order)}
    return [[q for q, name in zip(questions, names, strict=True) if fold[name] == n] for n in range(FOLDS)]


def folder_of(question: Question) -> str:
    """Return the name of the set whose folder a question is about."""
    return question.set.partition(",")[0]


def changes(old: Calibration, new: Calibration) -> str:
    """Return the values that a new calibration changes, one per line."""
    before, after = dict(_values(old.model_dump())), dict(_values(new.model_dump()))
    lines = [f"{name}: {before.get(name)} -> {value}" for name, value in after.items() if before.get(name) != value]
    return "\n".join(lines) or "nothing changed"


def _values(tree: dict[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _values(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def main() -> None:
    """Parse the arguments, fit the models, and print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--threshold", type=int, metavar="POINT", default=default_calibration().threshold)
    parser.add_argument("--near-misses", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if len(arguments.sets) < 2:
        parser.error("at least two sets are needed, because the last table leaves one out")
    near, limit = arguments.near_misses, arguments.limit
    questions = [q for folder in arguments.sets for q in samples(folder, limit, arguments.workspaces, near)]
    outcomes = left_out(questions, folds(questions))
    best = best_threshold(outcomes)
    parts = [[q for q in questions if folder_of(q) == f.name] for f in arguments.sets]
    others = left_out(questions, parts)
    shipped = fitted(questions).changed(threshold=arguments.threshold)
    every = np.concatenate([entry[1] for entry in outcomes])
    right = np.concatenate([entry[2] for entry in outcomes]).astype(float)
    report = {
        "best_threshold": best,
        "cross_validated": table(outcomes, arguments.threshold / 100),
        "set_left_out": table(others, arguments.threshold / 100),
        "reliability": reliability(every, right),
        "calibration": shipped.model_dump(),
    }
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    if arguments.write:
        print(changes(default_calibration(), shipped))
        DATA.write_text(shipped.model_dump_json(indent=2) + "\n", encoding="utf-8")


def show(report: dict) -> None:  # type: ignore[type-arg]
    """Print the tables."""
    print(f"best threshold {report['best_threshold']}")
    for part in ("cross_validated", "set_left_out"):
        print(f"\n{part}\n" + "  ".join(report[part][0]))
        for line in report[part]:
            print("  ".join(f"{value:.3f}" if isinstance(value, float) else str(value) for value in line.values()))
    print("\nreliability: mean chance, frequency, replies")
    for chance, frequency, count in report["reliability"]:
        print(f"  {chance:.2f} {frequency:.2f} {count:5} {'#' * round(40 * frequency)}")
    print(json.dumps(report["calibration"]))


if __name__ == "__main__":
    main()
