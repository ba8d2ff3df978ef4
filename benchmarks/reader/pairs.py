"""Write what a trained reader is measured on as pairs: near misses, questions of the development sets, claims.

    python benchmarks/reader/pairs.py OUT.npz TOKENIZER.json [--given FILE ... --sets DIR] [--kept FILE ...]
                                      [--claims FILE ...]

Near misses and their twins, and look-ups in tables, stand beside the passage that answers or tempts, as windows of one,
three and five sentences ("given", "table"; --sets is the folder of the sets that they name). So do questions of other
sets whose answer stands in their evidence: for them the span alone counts ("span"). Questions in files of `keep.py`
stand beside the sentences that a search puts first in the likeliest documents ("found"). Claims are rows for
`investigator eval claims`; each piece of a long text is a pair. `read.py` reads the pairs, on any machine, and
`figures.py` says what came of it.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from keep import Kept
from rows import Row, Span, as_tokens, stems
from tokenizers import Tokenizer

from investigator.documents.readers.base import ReaderSettings, SourceFile
from investigator.documents.readers.registry import read
from investigator.engines.base import Embedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive.asking import best_first
from investigator.engines.extractive.candidates import compared_spans
from investigator.evaluation.evidence_match import holds
from investigator.scoring.calibration import default_calibration

Pair = tuple[dict[str, Any], Row]
"""What a pair belongs to, and the pair."""

SIZES = (1, 3, 5)
_SEARCHED = 3  # sentences around one that a search has found
_PER_DOCUMENT = 2
_LONGEST = 1200  # characters
_PIECE = 800  # characters of the text of a claim
_LONG = 0.2  # what a word of a sentence counts that is not in the piece that is looked for


def main() -> None:
    """Read the arguments, write the pairs as tokens, and beside them what each belongs to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("--given", type=Path, nargs="*", default=[])
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--kept", type=Path, nargs="*", default=[])
    parser.add_argument("--claims", type=Path, nargs="*", default=[])
    arguments = parser.parse_args()
    embedder = SentenceTransformerEmbedder()
    found = [pair for path in arguments.given for pair in given(path, arguments.sets, embedder)]
    found += [pair for path in arguments.kept for pair in searched(path)]
    found += [pair for path in arguments.claims for pair in claimed(path)]
    np.savez_compressed(
        arguments.out, **as_tokens([row for _, row in found], Tokenizer.from_file(str(arguments.tokenizer)))
    )
    arguments.out.with_suffix(".json").write_text(json.dumps([about for about, _ in found]), encoding="utf-8")
    print(f"{len(found)} pairs")


def given(path: Path, sets: Path, embedder: Embedder) -> Iterator[Pair]:
    """Yield questions beside the passage that answers or tempts."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        kind = "given" if "twin" in row else "table" if row["kind"].startswith("table") else "span"
        names, piece = _answering(row, kind) if row["answerable"] else _tempting(row["meta"], kind)
        if not piece:
            continue
        own = row.get("set") or path.parent.name
        read_of = [text_of(sets / own / "docs_dev" / name) for name in names]
        text, title = next((one for one in read_of if holds(one[0], piece)), read_of[0])
        for size in SIZES:
            passage = around(text, piece, size)
            about = {
                "kind": kind,
                "set": own,
                "way": row["kind"],
                "id": row["id"],
                "pair": row["id"] if row["answerable"] else row.get("twin", row["id"]),
                "size": size,
                "label": row["answerable"],
                **_plain(row["question"], passage, embedder),
            }
            yield about, _pair(row["question"], f"{title}. {passage}", row["answers"] if row["answerable"] else ())


def _answering(row: dict[str, Any], kind: str) -> tuple[list[str], str]:
    """The documents that answer and the first piece of evidence; where the span alone counts, one with the answer."""
    pieces = [piece for piece in row["evidence"] if kind != "span" or _within(piece, row["answers"])]
    return row["doc_ids"], pieces[0] if pieces else ""


def _tempting(meta: dict[str, Any], kind: str) -> tuple[list[str], str]:
    """The document that tempts and its piece; none where only the span counts."""
    if kind == "span":
        return [], ""
    return (
        ([meta["near_doc"]], meta["near_text"]) if kind == "given" else ([meta["near_miss_doc"]], meta["near_miss_row"])
    )


def searched(path: Path) -> Iterator[Pair]:
    """Yield questions beside the likeliest sentences of the likeliest documents."""
    kept: list[Kept] = pickle.loads(path.read_bytes())
    for row, question in kept:
        models = default_calibration().of(row["question"])
        for number, reading in enumerate(question.readings):
            ranked = best_first(reading.sentences, models.sentence) if reading.likely else []
            for sentence, chance in ranked[:_PER_DOCUMENT]:
                passage = reading.passages[sentence.passage]
                about = {
                    "kind": "found",
                    "set": question.set,
                    "id": row["id"],
                    "pair": question.pair or row["id"],
                    "document": number,
                    "label": row["answerable"],
                    "right": reading.right,
                    "match": models.document.chance(reading.standing),
                    "sentence": chance,
                }
                title = passage.document_id.rsplit(".", 1)[0].replace("_", " ")
                yield about, _pair(row["question"], f"{title}. {around(passage.text, sentence.text, _SEARCHED)}")


def claimed(path: Path) -> Iterator[Pair]:
    """Yield claims beside their quotes, or beside the pieces of a long one, each of which overlaps the next by half."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        text = " ".join(row["quotes"])
        for start in range(0, max(1, len(text)), _PIECE // 2 if len(text) > _PIECE else _PIECE):
            about = {"kind": "claim", "set": path.stem, "id": row["id"], "label": row["label"]}
            yield about, _pair(row["claim"], text[start : start + _PIECE])


@cache
def text_of(file: Path) -> tuple[str, str]:
    """Return the text and the title of a file."""
    found = read(SourceFile(file.read_bytes(), file.name), file.name, "", ReaderSettings()).documents[0]
    return found.text, found.title or file.stem.replace("_", " ")


def around(text: str, piece: str, size: int) -> str:
    """Return the sentence that is nearest to a piece of a text with its neighbours, `size` in all."""
    wanted = stems(piece)
    spans = compared_spans(text)
    if not spans:
        return piece
    said = [stems(text[start:end]) for start, end in spans]
    best = max(range(len(spans)), key=lambda n: len(wanted & said[n]) / (len(wanted) + _LONG * len(said[n])))
    start = spans[max(0, best - size // 2)][0]
    return text[start : min(spans[min(len(spans) - 1, best + size // 2)][1], start + _LONGEST)]


def _plain(question: str, passage: str, embedder: Embedder) -> dict[str, float]:
    """Return what is known without reading: cosine and shared words."""
    near = embedder.embed([question, passage])
    asked = stems(question)
    return {"cosine": float(near[0] @ near[1]), "shared": len(asked & stems(passage)) / max(1, len(asked))}


def _within(text: str, answers: Sequence[str]) -> Span | None:
    """The first of some answers that stands in a text, whole words only."""
    found = (re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE) for one in answers)
    return next((match.span() for match in found if match), None)


def _pair(query: str, text: str, answers: Sequence[str] = ()) -> Row:
    return Row("-", "-", False, query, text, -1, -1, _within(text, answers))


if __name__ == "__main__":
    main()
