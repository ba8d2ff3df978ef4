"""Keep everything that search and engine see of the questions of a set, so that readers are measured without them.

    python benchmarks/reader/keep.py SET_DIR OUT.pkl --more FILE ... [--workspaces DIR] [--seconds N]

SET_DIR is one of those of `fit_points.py`. Near misses and look-ups in tables over its folder (--more) come first, then
its questions in an order of chance, so that a run that is stopped after some seconds has seen a fair part of them. The
same command goes on with what is missing.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from fit_samples import Question, question_of

from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.investigator import Investigator

Kept = tuple[dict[str, Any], Question]
"""A row of a set, and what was seen of it."""


def main() -> None:
    """Read the arguments, search, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--more", type=Path, nargs="*", default=[])
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    arguments = parser.parse_args()
    name = arguments.folder.name
    own = _lines(arguments.folder / "questions.dev.jsonl")
    Random(0).shuffle(own)
    more = [row for path in arguments.more for row in _lines(path) if row["set"] == name]
    rows = [(f"{name}, near misses", row) for row in more if "twin" in row]
    rows += [("look-ups in tables", row) for row in more if row["kind"].startswith("table")]
    rows += [(name, row) for row in own]
    embedder = SentenceTransformerEmbedder()
    cached = CachedEmbedder(embedder)
    investigator = Investigator(arguments.folder / "docs_dev", workspace=arguments.workspaces / name, embedder=embedder)
    for _ in investigator.index(vectors=True):
        pass
    kept: list[Kept] = pickle.loads(arguments.out.read_bytes()) if arguments.out.exists() else []
    known = {row["id"] for row, _ in kept}
    began = time.monotonic()
    with investigator.library() as library:
        for label, row in rows:
            if row["id"] not in known and time.monotonic() - began < arguments.seconds:
                kept.append((row, question_of(label, row, library, cached)))
    arguments.out.write_bytes(pickle.dumps(kept))
    print(f"{len(kept)} of {len(rows)} questions")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
