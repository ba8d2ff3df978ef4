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
documents   how well the probability of the likeliest document tells answerable questions from others (area under ROC)
thresholds  for several similarities of the nearest sentence: the share of questions that get passages, of answerable
            ones, near misses, and questions about another set or folder

`--write` stores the models, and the threshold if it is given by `--similarity`. The weight `few` is kept: all sets are
of one size.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from finder_samples import FEATURES, FIRST, Folder, Row
from fitting import Array, listwise, logistic
from sklearn.metrics import roc_auc_score

from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.language.terms import is_english
from investigator.scoring.calibration import Calibration, Logistic, default_calibration

DATA = Path(__file__).parents[1] / "data/calibration.json"
DOCUMENT = ("gap", "near_and_overlapping", "named", "names", "period", "age", "naming", "stands_out")
FOREIGN = ("gap", "near_and_overlapping", "overlap", "named", "names")
TAKEN_OVER = ("period", "age", "few")  # the sets have no such questions in other languages, and folders of one size
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


def sentence_model(rows: Sequence[Row]) -> Logistic:
    """Return the model that ranks sentences, fitted to lists with evidence; every set has the same weight."""
    telling = [row for row in rows if 0 < row.labels.sum() < len(row.labels)]
    share = {name: 100 / len(own) for name, own in groups(telling, lambda row: row.set).items()}
    weights = listwise([(row.sentences, row.labels, share[row.set]) for row in telling])
    return Logistic(bias=0.0, weights=dict(zip(FEATURES, np.round(weights, 2).tolist(), strict=True)))


def document_model(rows: Sequence[Row], names: Sequence[str]) -> Logistic:
    """Return the model of the documents that a search ranks; every set has the same weight."""
    telling = [row for row in rows if row.standings]
    count = {name: len(own) for name, own in groups(telling, lambda row: row.set).items()}
    pairs = [(row, standing, right) for row in telling for standing, right in row.standings]
    fit = logistic(
        np.array([[float(getattr(standing, name)) for name in names] for _, standing, _ in pairs]),
        np.array([float(right) for _, _, right in pairs]),
        np.array([1 / count[row.set] / len(row.standings) for row, _, _ in pairs]),
    )
    return Logistic(
        bias=round(fit.bias, 3),
        weights={name: round(float(weight), 3) for name, weight in zip(names, fit.weights, strict=True)},
    )


def fitted(rows: Sequence[Row], similarity: float) -> Calibration:
    """Return the calibration fitted to rows; the model for other languages only to such questions."""
    own = [row for row in rows if not row.set.startswith("off ")]
    shipped = default_calibration()
    english = with_weights(document_model(own, DOCUMENT), shipped.english, ("few",))
    foreign = [row for row in own if not is_english(row.question)]
    other = with_weights(document_model(foreign, FOREIGN), english, TAKEN_OVER) if foreign else shipped.foreign
    return Calibration(english=english, foreign=other, sentence=sentence_model(own), similarity=similarity)


def with_weights(model: Logistic, other: Logistic, names: Sequence[str]) -> Logistic:
    """Return a model with some weights of another one."""
    return model.changed(weights={**model.weights, **{name: other.weights[name] for name in names}})


def places(rows: Iterable[Row], model: Logistic) -> list[tuple[bool, ...]]:
    """Return for each row whether one of the first sentences by a model is evidence."""
    found = []
    for row in rows:
        scores = row.sentences @ np.array([model.weights[name] for name in FEATURES])
        order = np.argsort(-scores, kind="stable")
        found.append(tuple(bool(row.labels[order[:most]].any()) for most in FIRST))
    return found


def ranking(rows: Sequence[Row], calibration: Calibration) -> Table:
    """Return how often the first sentences are evidence, for each set and model."""
    telling = [row for row in rows if row.answerable and len(row.labels) and row.shown is not None]
    own = [row for row in telling if row.labels.sum() or row.searched]
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
                "fitted": means(places(group, calibration.sentence)),
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
    """Return the area under ROC of the likeliest document's probability, shipped and fitted without the set."""
    table: Table = []
    sets = groups([row for row in rows if not row.set.startswith("off ")], lambda row: row.set)
    for name, own in sets.items() if len(sets) > 1 else ():
        labels = [row.answerable for row in own]
        if len(set(labels)) == 2:
            others = fitted([row for row in rows if row.set != name], 0.0)
            judged = {"shipped": default_calibration(), "left out": others}
            areas = {key: float(roc_auc_score(labels, likeliest(own, model))) for key, model in judged.items()}
            table.append({"set": name, "questions": len(own), **areas})
    return table


def likeliest(rows: Iterable[Row], calibration: Calibration) -> list[float]:
    """Return the probability of the likeliest document of each row."""
    return [
        max((calibration.of(row.question).chance(standing) for standing, _ in row.standings), default=0.0)
        for row in rows
    ]


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
    rows = collected(arguments); import pickle; pickle.dump(rows, open("/tmp/fin/rows.pkl","wb"))
    calibration = fitted(rows, arguments.similarity)
    report = {
        "shown": shown(rows),
        "ranking": ranking(rows, calibration),
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
