"""Collects the samples for fitting the calibration by asking search and engine questions with known answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from investigator.engines.base import Embedder
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive.asking import ReplyFeatures, best_first, reply_features
from investigator.engines.extractive.candidates import Asked, Candidate, asked, candidates, measured
from investigator.evaluation.evidence_match import holds, overlaps
from investigator.investigator import Investigator
from investigator.records import Standing
from investigator.retrieval.documents_first import RankedDocument
from investigator.retrieval.library import Library
from investigator.scoring.calibration import RelevanceModels

RANKED = 20
ASKED = 4


@dataclass(frozen=True)
class Outside:
    """A document as the search sees it, and whether it contains the answer."""

    standing: Standing
    right: bool


@dataclass(frozen=True)
class Reading:
    """The passages that were read in a document, their sentences, and whether they contain the answer."""

    standing: Standing
    texts: list[str]
    places: list[tuple[float, float]]
    sentences: list[Candidate]
    labels: list[bool]
    right: bool
    likely: bool


@dataclass
class Question:
    """A question of a set with everything found for it."""

    set: str
    answerable: bool
    asked: Asked
    pair: str = ""
    """An id that a question shares with its near miss; empty if it has none."""
    standings: list[Outside] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)

    def evidence_lists(self) -> Iterator[tuple[list[Candidate], list[bool]]]:
        """Yield the sentences of each right document, and which are evidence."""
        for reading in self.readings:
            if reading.right:
                yield reading.sentences, reading.labels

    def replies(self, models: RelevanceModels) -> list[tuple[ReplyFeatures, bool]]:
        """Return the features of the likeliest documents' replies, and whether each reply is right."""
        found = []
        for reading in self.readings:
            if reading.likely and reading.sentences:
                match = models.document.chance(reading.standing)
                ranked = best_first(reading.sentences, models.sentence)
                features = reply_features(reading.texts, reading.places, self.asked, ranked, match)
                found.append((features, reading.right))
        return found


def samples(folder: Path, limit: int | None, workspaces: Path, near_misses: Path | None = None) -> Iterator[Question]:
    """Yield the questions of a set, and those of a file of near misses about its folder, up to `limit` of each. A set
    may also consist of several folders with separate questions.
    """
    embedder = SentenceTransformerEmbedder()
    parts = (
        [folder] if (folder / "questions.dev.jsonl").exists() else [p for p in sorted(folder.iterdir()) if p.is_dir()]
    )
    for part in parts:
        lines = (part / "questions.dev.jsonl").read_text("utf-8").splitlines()
        twins = [json.loads(line) for line in near_misses.read_text("utf-8").splitlines()] if near_misses else []
        twins = [row for row in twins if row["set"] == part.name]
        investigator = Investigator(part / "docs_dev", workspace=workspaces / part.name, embedder=embedder)
        for _ in investigator.index(vectors=True):  # the points are fitted to a search with all vectors
            pass
        with investigator.library() as library:
            for line in lines[:limit]:
                yield question_of(folder.name, json.loads(line), library, CachedEmbedder(embedder))
            for row in twins[:limit]:
                yield question_of(f"{folder.name}, near misses", row, library, CachedEmbedder(embedder))


def question_of(name: str, row: dict, library: Library, embedder: Embedder) -> Question:  # type: ignore[type-arg]
    text = row["question"]
    pair = "/".join(sorted((row["id"], row["twin"]))) if row.get("twin") else ""
    question = Question(name, row["answerable"], asked(text), pair)
    right = set(row["doc_ids"]) if row["answerable"] else set()
    ranked = library.standings(text)[:RANKED]
    question.standings += [Outside(entry.standing, entry.document_id in right) for entry in ranked]
    likely = [entry.document_id for entry in ranked[:ASKED]]
    by_id: dict[str, RankedDocument] = {entry.document_id: entry for entry in ranked}
    for document_id in dict.fromkeys((*likely, *(i for i in row.get("doc_ids", ()) if i in by_id))):
        texts = [passage.text for passage in library.passages((text,), document_id)]
        places = measured(texts, question.asked, embedder)
        sentences = candidates(texts, places, question.asked, embedder)
        evidence: Sequence[str] = row.get("evidence") or ()
        is_right = document_id in right
        held = is_right and (not evidence or any(holds(each, piece) for each in texts for piece in evidence))
        labels = [is_right and any(overlaps(s.text, piece) for piece in evidence) for s in sentences]
        question.readings.append(
            Reading(
                standing=by_id[document_id].standing,
                texts=texts,
                places=places,
                sentences=sentences,
                labels=labels,
                right=held,
                likely=document_id in likely,
            )
        )
    return question
