"""Measures how well the first passages found for questions cover the documents and sentences that answer them."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DEPTH = 10
"""Passages that are looked at."""

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    }
)


@dataclass(frozen=True)
class Question:
    """A question, the documents that answer it, and their sentences that do, if known."""

    text: str
    documents: frozenset[str]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """A found passage."""

    document: str
    text: str


@dataclass(frozen=True)
class Quality:
    """Means over questions, based on the first ten passages for each.

    hit_k: a right document is among those of the first k passages; recall_10: the share of right documents found in the
    first ten; mrr: one divided by the rank of the first passage of a right document; evidence_10: a passage contains
    one of the known sentences completely, for questions with such sentences; characters: total length of the passages.
    """

    questions: int
    hit_1: float
    hit_3: float
    hit_10: float
    recall_10: float
    mrr: float
    evidence_10: float | None
    characters: float


def read_questions(file: Path, documents: frozenset[str]) -> tuple[Question, ...]:
    """Return the questions of a JSONL file (rows with question, answerable, doc_ids, evidence) that a folder answers.

    Questions whose right documents are not all among `documents` are omitted.
    """
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    questions = [
        Question(row["question"], frozenset(row["doc_ids"]), tuple(row.get("evidence") or ()))
        for row in rows
        if row["answerable"]
    ]
    return tuple(q for q in questions if q.documents and q.documents <= documents)


def quality(questions: Sequence[Question], found: Sequence[Sequence[Found]]) -> Quality:
    """Evaluate the passages found for each question, best first. Raises ValueError if the lengths differ."""
    total = len(questions)
    pairs = [(q, passages[:DEPTH]) for q, passages in zip(questions, found, strict=True)]
    ranks = [_rank(question, passages) for question, passages in pairs]
    with_evidence = [(q, passages) for q, passages in pairs if q.evidence]
    return Quality(
        questions=total,
        hit_1=sum(rank <= 1 for rank in ranks) / total,
        hit_3=sum(rank <= 3 for rank in ranks) / total,
        hit_10=sum(rank <= DEPTH for rank in ranks) / total,
        recall_10=sum(len(q.documents & {f.document for f in p}) / len(q.documents) for q, p in pairs) / total,
        mrr=sum(1 / rank for rank in ranks) / total,
        evidence_10=sum(_holds(*pair) for pair in with_evidence) / len(with_evidence) if with_evidence else None,
        characters=sum(len(f.text) for _, p in pairs for f in p) / total,
    )


def _rank(question: Question, passages: Sequence[Found]) -> float:
    """Return the rank of the first passage of a right document; infinity if there is none."""
    return next((i for i, f in enumerate(passages, start=1) if f.document in question.documents), float("inf"))


def _holds(question: Question, passages: Sequence[Found]) -> bool:
    texts = [_plain(found.text) for found in passages]
    return any(_plain(sentence) in text for sentence in question.evidence for text in texts)


def _plain(text: str) -> str:
    """Return a text with uniform typography: Unicode NFKC, plain quotes and dashes, single spaces, lower case."""
    return " ".join(unicodedata.normalize("NFKC", text.translate(_ALIKE)).split()).lower()
