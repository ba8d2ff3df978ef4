"""Fits `nearness` in data/calibration.json to small folders, in which questions use other words than the documents.

    python benchmarks/fit_small_folders.py SET_DIR [SET_DIR ...] [--write]

Each SET_DIR contains `questions.dev.jsonl` and a small folder `docs_dev`, as in benchmarks/everyday. `nearness` ranks
the sentences of all documents that were read for a question; how likely their document is to contain the answer is
fitted with it. The program prints how often the first and one of the first three sentences is evidence, for the shipped
model and for one fitted to the other folders.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from fit_points import DATA, ranking, rows
from fit_samples import Question, question_of

from investigator import Investigator
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive.asking import best_first
from investigator.engines.extractive.candidates import Nearness
from investigator.scoring.calibration import Logistic, default_calibration, log_odds

FEATURES = tuple(Nearness.model_fields)
_FIRST = 3


def asked(folder: Path) -> list[Question]:
    """Return the answerable questions of a folder with the sentences of the documents that were read for them."""
    lines = (folder / "questions.dev.jsonl").read_text("utf-8").splitlines()
    answerable = [row for row in map(json.loads, lines) if row["answerable"]]
    embedder = SentenceTransformerEmbedder()
    with tempfile.TemporaryDirectory() as workspace:
        investigator = Investigator(folder / "docs_dev", workspace=workspace, embedder=embedder)
        for _ in investigator.index(vectors=True):
            pass
        with investigator.library() as library:
            held = CachedEmbedder(embedder)
            return [question_of(folder.name, row, library, held) for row in answerable]


def nearness(questions: list[Question]) -> Logistic:
    """Return the model of nearness, fitted to the sentences of all documents that were read for each question."""
    document, lists = default_calibration().english.document, []
    for question in questions:
        fits = [
            [*rows([sentence.fit], FEATURES)[0], log_odds(document.chance(reading.standing))]
            for reading in question.readings
            for sentence in reading.sentences
        ]
        labels = [label for reading in question.readings for label in reading.labels]
        lists.append((np.array(fits), np.array(labels, dtype=float), 100 / len(questions)))
    return ranking(lists, FEATURES)


def hits(questions: Iterable[Question], model: Logistic) -> list[tuple[bool, bool]]:
    """Return for each question whether the first, and one of the first three sentences by a model is evidence."""
    result = []
    for question in questions:
        labels = {id(s): label for r in question.readings for s, label in zip(r.sentences, r.labels, strict=True)}
        ranked = best_first([sentence for reading in question.readings for sentence in reading.sentences], model)
        first = [labels[id(sentence)] for sentence, _ in ranked[:_FIRST]]
        result.append((any(first[:1]), any(first)))
    return result


def main() -> None:
    """Fit the model, print the results, and write them if requested."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    sets = [asked(folder) for folder in arguments.sets]
    every = [question for own in sets for question in own]
    known = default_calibration()
    judged = {"shipped": hits(every, known.nearness)}
    if len(sets) > 1:
        others = [(own, nearness([q for other in sets if other is not own for q in other])) for own in sets]
        judged["fitted to the other folders"] = [hit for own, model in others for hit in hits(own, model)]
    for name, outcomes in judged.items():
        first, three = np.mean(outcomes, axis=0)
        print(f"{name}: first {first:.3f}, first {_FIRST} {three:.3f}, of {len(outcomes)} questions")
    fitted = nearness(every)
    print(fitted.model_dump_json())
    if arguments.write:
        DATA.write_text(known.changed(nearness=fitted).model_dump_json(indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
