"""Keep everything that search and engine see of the questions of a set, so that readers are measured without them.

    python benchmarks/reader/keep.py SET_DIR OUT.pkl --near-misses FILE [--workspaces DIR] [--every N]

SET_DIR is one of those of `fit_points.py`. The near misses over its folder come first, then every Nth of its questions.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
from pathlib import Path
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
    parser.add_argument("--near-misses", type=Path, required=True)
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    name = arguments.folder.name
    own = [json.loads(line) for line in (arguments.folder / "questions.dev.jsonl").read_text("utf-8").splitlines()]
    near = [json.loads(line) for line in arguments.near_misses.read_text("utf-8").splitlines()]
    embedder = SentenceTransformerEmbedder()
    cached = CachedEmbedder(embedder)
    investigator = Investigator(arguments.folder / "docs_dev", workspace=arguments.workspaces / name, embedder=embedder)
    for _ in investigator.index(vectors=True):
        pass
    with investigator.library() as library:
        kept = [
            (row, question_of(f"{name}, near misses" if "twin" in row else name, row, library, cached))
            for row in (*(row for row in near if row["set"] == name), *own[:: arguments.every])
        ]
    arguments.out.write_bytes(pickle.dumps(kept))


if __name__ == "__main__":
    main()
