"""Fits the models for small folders, `small_folders.subject` and `nearness` in data/calibration.json.

    python benchmarks/fit_small_folders.py SET_DIR SET_DIR [SET_DIR ...] [--others N] [--shown-from CHANCE] [--write]

Each SET_DIR contains `questions.dev.jsonl` and a small folder `docs_dev`. Each folder is also asked N questions about
the other folders, which none of its documents answers. The program prints how well the probability of the best document
separates the questions about a folder from those about other folders, where each folder is judged by a model fitted to
the others; then, for several bars, the share of questions of each kind that fall below. `nearness` ranks the sentences
of all documents that were read for a question; how likely their document is to contain the answer is fitted with it.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from fit_points import DATA, model, ranking, rows
from fit_samples import Question, question_of
from fitting import logistic
from sklearn.metrics import roc_auc_score

from investigator import Investigator
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive.candidates import Nearness
from investigator.scoring.calibration import Logistic, default_calibration, log_odds

FEATURES = ("similarity", "overlap")
BARS = (0.01, 0.015, 0.02, 0.025, 0.03)
OWN, NEAR, OTHER = "own", "own without an answer", "of other folders"
Asked = list[tuple[str, Question]]


def asked(folder: Path, others: Sequence[Path], many: int) -> Asked:
    """Return the folder's questions and some about other folders, each with its kind."""
    elsewhere = [row for other in others for row in questions(other) if row["answerable"]]
    chosen = random.Random(folder.name).sample(elsewhere, min(many, len(elsewhere)))
    every = [(OWN if row["answerable"] else NEAR, row) for row in questions(folder)]
    every += [(OTHER, {**row, "answerable": False, "doc_ids": []}) for row in chosen]
    embedder = SentenceTransformerEmbedder()
    with tempfile.TemporaryDirectory() as workspace:
        investigator = Investigator(folder / "docs_dev", workspace=workspace, embedder=embedder)
        for _ in investigator.index(vectors=True):
            pass
        with investigator.library() as library:
            held = CachedEmbedder(embedder)
            return [(kind, question_of(folder.name, row, library, held)) for kind, row in every]


def questions(folder: Path) -> list[dict]:  # type: ignore[type-arg]
    lines = (folder / "questions.dev.jsonl").read_text("utf-8").splitlines()
    return [{"doc_ids": [], **json.loads(line)} for line in lines]


def fitted(entries: Asked) -> Logistic:
    """Return the model of the subject, fitted to all documents; each question has the same weight."""
    every = [(one, 1 / len(question.standings)) for _, question in entries for one in question.standings]
    x = rows([one.standing for one, _ in every], FEATURES)
    right = np.array([float(one.right) for one, _ in every])
    return model(logistic(x, right, np.array([share for _, share in every])), FEATURES)


def nearness(entries: Asked) -> Logistic:
    """Return the model of nearness, fitted to the sentences of all documents that were read for each question."""
    document, lists = default_calibration().english.document, []
    for _, question in entries:
        fits = [
            [*rows([sentence.fit], tuple(Nearness.model_fields))[0], log_odds(document.chance(reading.standing))]
            for reading in question.readings
            for sentence in reading.sentences
        ]
        labels = [label for reading in question.readings for label in reading.labels]
        lists.append((np.array(fits), np.array(labels, dtype=float), 100 / len(entries)))
    return ranking(lists, tuple(Nearness.model_fields))


def main() -> None:
    """Fit the model, print the results, and write them if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--others", type=int, default=20)
    parser.add_argument("--shown-from", type=float, default=default_calibration().small_folders.shown_from)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    sets = {one.name: asked(one, [o for o in arguments.sets if o != one], arguments.others) for one in arguments.sets}
    best: dict[str, list[float]] = {OWN: [], NEAR: [], OTHER: []}
    for left_out, entries in sets.items():
        judge = fitted([entry for name, some in sets.items() if name != left_out for entry in some])
        for kind, question in entries:
            best[kind].append(max((judge.chance(one.standing) for one in question.standings), default=0.0))
    labels = [True] * len(best[OWN]) + [False] * len(best[OTHER])
    print(f"ROC {roc_auc_score(labels, best[OWN] + best[OTHER]):.3f}, {len(sets)} folders, each left out in turn")
    for bar in BARS:
        below = ", ".join(f"{kind} {np.mean(np.array(chances) < bar):.3f}" for kind, chances in best.items())
        print(f"below {bar}: {below}")
    every = [entry for entries in sets.values() for entry in entries]
    subject, near = fitted(every), nearness([entry for entry in every if entry[0] == OWN])
    print(subject.model_dump_json(), near.model_dump_json())
    if arguments.write:
        known = default_calibration()
        small = known.small_folders.changed(subject=subject, shown_from=arguments.shown_from)
        DATA.write_text(
            known.changed(small_folders=small, nearness=near).model_dump_json(indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
