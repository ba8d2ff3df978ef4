"""Measures the error of the probabilities in small folders, which determined the weight `few` of the calibration.

    python benchmarks/folder_size.py SETS_DIR [--documents N ...] [--questions N] [--without-few]

Creates folders of N short files by rule from the evidence of development questions (clapnq, multihop, trials) and of
their near misses. Each file contains the evidence of some questions, one sentence per line; the evidence of some other
questions is omitted. For each size, it prints the following, excluding near misses: the median number of passages in a
folder, the shift in log odds at which the mean probability equals the share of right replies, and the share of
questions with and without an answer that reach the threshold. `--without-few` scores as if every folder were large.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from fit_samples import Question, question_of
from scipy.optimize import brentq
from scipy.special import expit

from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.investigator import Investigator
from investigator.scoring.calibration import RelevanceModels, default_calibration

SETS = ("clapnq", "multihop", "trials")
QUESTIONS_OF_A_FILE, KEPT, LONGEST = {3: 2, 8: 3}, 0.6, 600
USUAL_QUESTIONS = 6  # of a file, in larger folders

Row = dict  # type: ignore[type-arg]


def rows_of(sets: Path, name: str, chance: random.Random) -> list[tuple[Row, Row | None]]:
    """Return development questions with short evidence, and pairs with a near miss, in random order."""
    lines = (sets / "near_miss" / "near_miss.dev.jsonl").read_text("utf-8").splitlines()
    near = {row["id"]: row for row in map(json.loads, lines) if row["set"] == name}
    pairs = [(row, near[row["twin"]]) for row in near.values() if row["answerable"] and row["twin"] in near]
    plain = map(json.loads, (sets / name / "questions.dev.jsonl").read_text("utf-8").splitlines())
    short = [(row, None) for row in plain if row["answerable"] and 0 < len(" ".join(row["evidence"][:2])) < LONGEST]
    found = [*((row, twin) for row, twin in pairs if row["evidence"]), *short]
    chance.shuffle(found)
    return found


def folder_of(
    group: Sequence[tuple[Row, Row | None]], documents: int, directory: Path, chance: random.Random
) -> list[tuple[str, Row]]:
    """Write the files of a folder and return its questions, each with "near" if it is one of a pair."""
    lines: list[list[str]] = [[] for _ in range(documents)]
    asked: list[tuple[str, Row]] = []
    for place, (row, twin) in enumerate(group):
        file, evidence = place % documents, row["evidence"][:2]
        kept = twin is not None or chance.random() < KEPT
        own = {
            "answerable": kept,
            "doc_ids": [f"note_{file}.txt"] if kept else [],
            "evidence": evidence if kept else [],
        }
        asked.append(("near" if twin else "", {**row, **own}))
        lines[file] += evidence if kept else []
        if twin is not None:
            lines[file] += [text for text in [twin["meta"].get("near_text")] if text and text not in lines[file]]
            asked.append(("near", twin))
    directory.mkdir(parents=True)
    for file, texts in enumerate(lines):
        chance.shuffle(texts)
        (directory / f"note_{file}.txt").write_text("\n".join(" ".join(text.split()) for text in texts) + "\n", "utf-8")
    return asked


def sampled(sets: Path, documents: int, most: int) -> Iterator[tuple[str, int, Question]]:
    """Ask about folders of `documents` files; yield "near" or "", the folder's passage count, and the question."""
    chance, embedder = random.Random(5), SentenceTransformerEmbedder()
    size = documents * QUESTIONS_OF_A_FILE.get(documents, USUAL_QUESTIONS)
    for name in SETS:
        rows = rows_of(sets, name, chance)[:most]
        for start in range(0, len(rows) - size + 1, size):
            with tempfile.TemporaryDirectory() as directory:
                folder = Path(directory) / "folder"
                asked = folder_of(rows[start : start + size], documents, folder, chance)
                investigator = Investigator(folder, workspace=Path(directory) / "workspace", embedder=embedder)
                for _ in investigator.index(vectors=True):
                    pass
                with investigator.library() as library:
                    passages = investigator.status().chunks
                    for near, row in asked:
                        yield near, passages, question_of(name, row, library, CachedEmbedder(embedder))


def line(documents: int, found: Sequence[tuple[str, int, Question]], models: RelevanceModels) -> str:
    """Return a table row."""
    plain = [(passages, q) for near, passages, q in found if not near]
    chances = [[models.reply.chance(features) for features, _ in q.replies(models)] for _, q in plain]
    flat = np.array([each for own in chances for each in own])
    right = np.array([held for _, q in plain for _, held in q.replies(models)])
    odds = np.log(flat / (1 - flat))
    shift = brentq(lambda by: expit(odds + by).mean() - right.mean(), -10, 10)
    bar = default_calibration().threshold / 100
    shown = {
        kind: np.mean(
            [max(own, default=0) >= bar for own, (_, q) in zip(chances, plain, strict=True) if q.answerable is kind]
        )
        for kind in (True, False)
    }
    passages = int(np.median([passages for passages, _ in plain]))
    return f"| {documents} | {passages} | {len(plain)} | {shift:+.2f} | {shown[True]:.2f} | {shown[False]:.2f} |"


def main() -> None:
    """Parse the arguments, create the folders, ask, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--documents", nargs="+", type=int, default=[3, 8, 16])
    parser.add_argument("--questions", type=int, default=96, help="maximum number of questions from each set")
    parser.add_argument("--without-few", action="store_true")
    arguments = parser.parse_args()
    models = default_calibration().english
    if arguments.without_few:
        weights = {**models.document.weights, "few": 0.0}
        models = models.changed(document=models.document.changed(weights=weights))
    print("| files | passages | questions | shift | shown, answerable | shown, others |\n| --: " + "| --: " * 5 + "|")
    for documents in arguments.documents:
        print(line(documents, list(sampled(arguments.sets, documents, arguments.questions)), models), flush=True)


if __name__ == "__main__":
    main()
