"""Measures the cost of finding the nearest vectors by comparing all of them, and with Chroma.

    python benchmarks/nearest.py [SIZE ...] [--queries N] [--without-chroma] [--json]

For each size (in chunks; by default 1000, 10000 and 100000), a workspace is filled once with artificial vectors of 384
numbers in clusters; then each search method opens it in a separate process. Prints, in Markdown: the seconds to build
the index, the seconds from the start of Python to the first hits, the milliseconds for each later query (median wall
time and processor time), the peak memory of the process with its children, and the share of the nearest ten that were
found.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from investigator.engines.base import Vectors
from investigator.records import Chunk, Document, FileRecord, FileStatus, SplitDocument
from investigator.store.corpus import Corpus
from investigator.store.vectors import ExactIndex, VectorTable
from investigator.store.workspace import Workspace

DIMENSIONS, CLUSTERS, IN_DOCUMENT, NEAREST = 384, 300, 500, 10
SPREAD = 1.0  # of a vector around its cluster's middle: similarities like those of texts about one subject
SIDES = ("exact", "chroma")


def filled(directory: Path, size: int) -> None:
    """Create a workspace with `size` chunks and their vectors."""
    chance = np.random.default_rng(size)
    middles = chance.standard_normal((CLUSTERS, DIMENSIONS))
    with Workspace(directory, write=True) as workspace:
        corpus, table = Corpus(workspace.index), VectorTable(workspace.index, "made-up")
        for start in range(0, size, IN_DOCUMENT):
            count = min(IN_DOCUMENT, size - start)
            name = f"{start:08}.txt"
            document = Document(id=name, title=name, media_type="text/plain", content_hash=name, text="a " * count)
            chunks = tuple(Chunk(document_id=name, start=2 * i, end=2 * i + 1) for i in range(count))
            file = FileRecord(path=name, content_hash=name, status=FileStatus.INDEXED, characters=2 * count)
            corpus.put([file], [SplitDocument(document=document, chunks=chunks)])
            table.put(list(corpus.chunks_of(name)), around(middles, count, chance))


def around(middles: Vectors, count: int, chance: np.random.Generator) -> Vectors:
    """Return unit vectors, each near one of the given centres."""
    rows = middles[chance.integers(len(middles), size=count)]
    rows = rows + SPREAD * chance.standard_normal(rows.shape)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def searched(directory: Path, side: str, queries: int) -> dict[str, object]:
    """Open the index and search; the time includes imports, as for a question."""
    from investigator.store.chroma import ChromaIndex

    began = time.perf_counter()
    with Workspace(directory, write=True) as workspace:
        table = VectorTable(workspace.index, "made-up")
        index = ExactIndex(table) if side == "exact" else ChromaIndex(directory / "chroma", "", table, sys.exit)
        built = time.perf_counter() - began
        chance = np.random.default_rng(7)
        first = np.concatenate([block.rows for block in table.blocks(DIMENSIONS)][:1])
        vectors = around(first[:: max(1, len(first) // 50)], queries, chance)
        seconds, processor, found = [], [], []
        for vector in vectors:
            began, spent = time.perf_counter(), time.process_time()
            found.append([match.chunk_id for match in index.nearest(vector, NEAREST)])
            seconds.append(time.perf_counter() - began)
            processor.append(time.process_time() - spent)
    return {
        "opened": built,
        "first": built + seconds[0],
        "later": 1000 * float(np.median(seconds[1:])),
        "processor": 1000 * float(np.median(processor[1:])),
        "found": found,
    }


def measured(directory: Path, side: str, queries: int) -> dict[str, object]:
    """Search in a separate process."""
    began = time.perf_counter()
    command = [sys.executable, __file__, "--inside", str(directory), "--side", side, "--queries", str(queries)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {**json.loads(done.stdout), "whole": time.perf_counter() - began}


def peak_memory() -> float:
    """Return the peak memory of this process and of its largest child in MB."""
    import resource

    return sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024


def compared(size: int, queries: int, sides: Sequence[str]) -> list[dict[str, object]]:
    """Return the figures of the search methods at one size."""
    with tempfile.TemporaryDirectory() as directory:
        filled(Path(directory), size)
        built = measured(Path(directory), "chroma", 2)["opened"] if "chroma" in sides else 0.0  # builds it
        results = {side: measured(Path(directory), side, queries) for side in sides}
    truth = results["exact"]["found"]
    rows = []
    for side, result in results.items():
        alike = sum(len({*a} & {*b}) for a, b in zip(truth, result.pop("found"), strict=True))
        recall = alike / (NEAREST * queries)
        rows.append(
            {"size": size, "side": side, **result, "built": built if side == "chroma" else 0.0, "recall": recall}
        )
    return rows


def main() -> None:
    """Parse the arguments, measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--without-chroma", action="store_true", help="measure exact search only")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside is not None:
        result = searched(arguments.inside, arguments.side, arguments.queries)
        print(json.dumps({**result, "memory": peak_memory()}))
        return
    sides = SIDES[:1] if arguments.without_chroma else SIDES
    rows = [row for size in arguments.sizes for row in compared(size, arguments.queries, sides)]
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    print("| chunks | search | built, s | first hits, s | later, ms | processor, ms | memory, MB | recall@10 |")
    print("| --: | --- | --: | --: | --: | --: | --: | --: |")
    for row in rows:
        name = "every vector compared" if row["side"] == "exact" else "Chroma"
        print(
            f"| {row['size']:,} | {name} | {row['built']:.1f} | {row['first']:.2f} | {row['later']:.2f} "
            f"| {row['processor']:.2f} | {row['memory']:.0f} | {row['recall']:.3f} |"
        )


if __name__ == "__main__":
    main()
