"""Writes a large folder of generated text and indexes it, so that `ingest.py --memory` can measure the memory.

python benchmarks/memory_load.py write FOLDER OUT --chunks N      text files, from the words of FOLDER's text files
python benchmarks/memory_load.py index OUT WORKSPACE [--vectors]  the index, with word counts in place of vectors
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from investigator.documents.chunks import ChunkSettings
from investigator.engines.base import Vectors
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.embedding.minilm import DIMENSIONS
from investigator.engines.scripted import ScriptedEmbedder
from investigator.investigator import Investigator

_FILES = 400
_WORDS_OF_SENTENCE = (8, 25)
_SENTENCES_OF_PARAGRAPH = (2, 4)
_FEWEST_WORDS = 2000
_TEXT_FILES = {".txt", ".md", ".rst"}


class CountingEmbedder(ScriptedEmbedder):
    """Counts words like its base class, in rows as long as those of the model, which stays in memory unused."""

    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._model: SentenceTransformerEmbedder | None = None

    @property
    def name(self) -> str:
        """Return `counted-words`."""
        return "counted-words"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors of shape (texts, 384)."""
        if self._model is None:
            self._model = SentenceTransformerEmbedder()
            self._model.embed(["so that the model is loaded and has its working memory " * 20] * 8)
        return np.ascontiguousarray(super().embed(texts))


def write(folder: Path, out: Path, chunks: int, seed: int = 0) -> None:
    """Write text files with about `chunks` chunks, using the words of a folder's text files with their frequencies.

    Raises ValueError if they contain too few words.
    """
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in _TEXT_FILES and file.is_file()]
    words = [word for file in files for word in file.read_text("utf-8", "replace").split()]
    if len(words) < _FEWEST_WORDS:
        raise ValueError(f"{folder} contains {len(words)} words of text, but at least {_FEWEST_WORDS} are needed")
    draw = random.Random(seed)
    characters = chunks * ChunkSettings().target * 3 // 4 // _FILES  # measured for paragraphs of this length
    out.mkdir(parents=True)
    for number in range(_FILES):
        parts: list[str] = []
        while sum(map(len, parts)) < characters:
            parts.append(_paragraph(draw, words))
        (out / f"text_{number:03}.txt").write_text("\n\n".join(parts) + "\n", "utf-8")


def _paragraph(draw: random.Random, words: Sequence[str]) -> str:
    sentences = []
    for _ in range(draw.randint(*_SENTENCES_OF_PARAGRAPH)):
        sentences.append(" ".join(draw.choices(words, k=draw.randint(*_WORDS_OF_SENTENCE))).capitalize() + ".")
    return " ".join(sentences)


def index(folder: Path, workspace: Path, vectors: bool) -> None:
    """Build the index with word counts, and print the seconds."""
    began = time.monotonic()
    for _ in Investigator(folder, workspace=workspace, embedder=CountingEmbedder()).index(vectors=vectors):
        pass
    print(f"{time.monotonic() - began:.1f}")


def main() -> None:
    """Parse the arguments, and write the folder or build the index."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("out", type=Path)
    writing.add_argument("--chunks", type=int, default=100_000)
    indexing = commands.add_parser("index")
    indexing.add_argument("folder", type=Path)
    indexing.add_argument("workspace", type=Path)
    indexing.add_argument("--vectors", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments.folder, arguments.out, arguments.chunks)
    else:
        index(arguments.folder, arguments.workspace, arguments.vectors)


if __name__ == "__main__":
    main()
