"""Fits and judges the built-in engine, which finds passages: data/calibration.json.

    python benchmarks/finder.py SET_DIR [SET_DIR ...] [--near-misses FILE] [--limit N] [--json] [--workspaces DIR]
                                [--write] [--similarity S]

Each SET_DIR contains `questions.dev.jsonl` (rows: id, question, answerable, doc_ids, evidence) and a folder `docs_dev`,
or several folders with these (benchmarks/everyday). Printed are:

shown       how often evidence stands in the first, the first three and the first six passages that `ask` shows without
            a model, and that `search` shows
ranking     how often the first, one of the first three and of the first six sentences is evidence: by the shipped
            model, by one fitted to every set, and by one fitted without the set (of several folders: without the
            folder)
documents   how well the probability of the likeliest document, and the similarity of the nearest sentence, tell
            answerable questions from others (area under ROC)
thresholds  for several similarities of the nearest sentence: the share of questions that get passages, of answerable
            ones, near misses, and questions about another set or folder

`--write` stores the fitted model of sentences, and the threshold if it is given by `--similarity`.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from finder_samples import FEATURES, FIRST, Array, Folder, Row
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.scoring.calibration import Logistic, default_calibration

DATA = Path(__file__).parents[1] / "data/calibration.json"
SIMILARITIES = (0.36, 0.38, 0.39, 0.40, 0.42, 0.44)
_OTHERS = 30

Table = list[dict[str, object]]


def collected(arguments: argparse.Namespace) -> list[Row]:
    """Return the rows of every set, the near misses about its folder, and questions about other folders."""
    embedder = SentenceTransformerEmbedder()
    parts = [part for folder in arguments.sets for part in folders_of(folder)]
    folders = [Folder(part, arguments.workspaces, embedder) for part in parts]
    near = arguments.near_misses.read_text("utf-8").splitlines() if arguments.near_misses else []
    rows: list[Row] = []
    for folder in folders:
        own = folder.questions[: arguments.limit]
        rows += folder.rows(own)
        twins = [twin for twin in map(json.loads, near) if twin["set"] == folder.name][: arguments.limit]
        rows += [replaced(row, f"near {folder.set}") for row in folder.rows(twins)]
        others = [q for other in folders if other is not folder for q in other.questions if q["answerable"]]
        rows += folder.rows(random.Random(folder.name).sample(others, min(_OTHERS, len(others))), foreign=True)
    return rows


def replaced(row: Row, name: str) -> Row:
    """Return a row that belongs to another set."""
    return Row(**{**row.__dict__, "set": name})


def folders_of(directory: Path) -> list[Path]:
    """Return the folder of a set, or its several folders."""
    if (directory / "questions.dev.jsonl").exists():
        return [directory]
    return [part for part in sorted(directory.iterdir()) if (part / "questions.dev.jsonl").exists()]


def groups(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    """Return rows by a key, in order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def listwise(lists: Sequence[tuple[Array, Array, float]], penalty: float = 0.05) -> Array:
    """Return weights (0 or more) that rank the right rows of each list first; entries are (rows, labels, share).

    This is conditional logistic regression: only differences within a list count, whatever its length and difficulty.
    """

    def loss(b: Array) -> tuple[float, Array]:
        value, slope = penalty * (b**2).sum() / 2, penalty * b
        for x, y, share in lists:
            t = x @ b
            e = np.exp(t - t.max())
            right = (e * y).sum()
            value -= share * np.log(right / e.sum())
            slope = slope - share * ((e * y) @ x / right - e @ x / e.sum())
        return float(value), slope

    columns = lists[0][0].shape[1]
    found: Array = minimize(loss, np.zeros(columns), jac=True, bounds=[(0, None)] * columns).x
    return found


def sentence_model(rows: Sequence[Row]) -> Logistic:
    """Return the model that ranks sentences, fitted to lists with evidence; every set has the same weight."""
    telling = [row for row in rows if 0 < row.labels.sum() < len(row.labels)]
    share = {name: 100 / len(own) for name, own in groups(telling, lambda row: row.set).items()}
    weights = listwise([(row.sentences, row.labels, share[row.set]) for row in telling])
    return Logistic(bias=0.0, weights=dict(zip(FEATURES, np.round(weights, 2).tolist(), strict=True)))


def places(rows: Iterable[Row], model: Logistic) -> list[tuple[bool, ...]]:
    """Return for each row whether one of the first sentences by a model is evidence."""
    found = []
    for row in rows:
        scores = row.sentences @ np.array([model.weights.get(name, 0.0) for name in FEATURES])
        order = np.argsort(-scores, kind="stable")
        found.append(tuple(bool(row.labels[order[:most]].any()) for most in FIRST))
    return found


def ranking(rows: Sequence[Row], fitted: Logistic) -> Table:
    """Return how often the first sentences are evidence, for each set and model."""
    own = [row for row in rows if row.answerable]
    left_out = {
        name: sentence_model([row for row in own if row.folder != name]) for name in {row.folder for row in own}
    }
    table: Table = []
    for name, group in groups(own, lambda row: row.set).items():
        table.append(
            {
                "set": name,
                "questions": len(group),
                "shipped": means(places(group, default_calibration().sentence)),
                "fitted": means(places(group, fitted)),
                "left out": means([place for row in group for place in places([row], left_out[row.folder])]),
            }
        )
    return table


def shown(rows: Sequence[Row]) -> Table:
    """Return how often evidence is shown among the first passages, by `ask` and by `search`."""
    return [
        {
            "set": name,
            "questions": len(own),
            "ask": means([tuple(any(row.shown[:most]) for most in FIRST) for row in own]),
            "search": means([tuple(any(row.searched[:most]) for most in FIRST) for row in own]),
        }
        for name, own in groups([row for row in rows if row.answerable], lambda row: row.set).items()
    ]


def documents(rows: Sequence[Row]) -> Table:
    """Return the area under ROC of the likeliest document's probability and of the nearest sentence."""
    table: Table = []
    sets = groups([row for row in rows if not row.set.startswith("off ")], lambda row: row.set)
    for name, own in sets.items():
        labels = [row.answerable for row in own]
        if len(set(labels)) == 2:
            scores = {"likeliest document": likeliest(own), "nearest sentence": [row.nearest for row in own]}
            areas = {key: float(roc_auc_score(labels, values)) for key, values in scores.items()}
            table.append({"set": name, "questions": len(own), **areas})
    return table


def likeliest(rows: Iterable[Row]) -> list[float]:
    """Return the probability of the likeliest document of each row."""
    known = default_calibration()
    return [max((known.of(row.question).chance(standing) for standing in row.standings), default=0.0) for row in rows]


def thresholds(rows: Sequence[Row]) -> Table:
    """Return the share of questions that get passages at several thresholds."""
    table: Table = []
    for name, own in groups(rows, lambda row: f"{row.set}, {'answerable' if row.answerable else 'not'}").items():
        shares = {f"{s:.2f}": float(np.mean([row.nearest >= s for row in own])) for s in SIMILARITIES}
        table.append({"set": name, "questions": len(own), **shares})
    return table


def means(outcomes: Sequence[tuple[bool, ...]]) -> str:
    """Return the means of the columns in one text."""
    columns: Array = np.array(outcomes, dtype=float).mean(0)
    return " ".join(f"{value:.3f}" for value in columns)


def main() -> None:
    """Parse the arguments, measure, and print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--near-misses", type=Path, metavar="FILE")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--similarity", type=float, metavar="S", default=default_calibration().similarity)
    arguments = parser.parse_args()
    rows = collected(arguments)
    sentence = sentence_model([row for row in rows if not row.set.startswith("off ")])
    calibration = default_calibration().changed(sentence=sentence, similarity=arguments.similarity)
    report = {
        "shown": shown(rows),
        "ranking": ranking(rows, sentence),
        "documents": documents(rows),
        "thresholds": thresholds(rows),
        "calibration": calibration.model_dump(),
    }
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    if arguments.write:
        DATA.write_text(json.dumps(calibration.model_dump(mode="json"), indent=2) + "\n", encoding="utf-8")


def show(report: dict[str, object]) -> None:
    """Print the tables in Markdown, and the fitted models."""
    for part, table in report.items():
        if isinstance(table, list) and table:
            print(f"\n{part}\n\n| {' | '.join(table[0])} |\n|{' --- |' * len(table[0])}")
            for line in table:
                cells = (f"{value:.3f}" if isinstance(value, float) else str(value) for value in line.values())
                print(f"| {' | '.join(cells)} |")
    print(f"\n{json.dumps(report['calibration'])}")


if __name__ == "__main__":
    main()
