"""Collects what the finder sees and shows for questions with known answers, to fit and to judge it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.extractive.candidates import SentenceFit, candidates
from investigator.engines.extractive.engine import stretches
from investigator.evaluation.answer_text import holds, overlaps
from investigator.investigator import Investigator
from investigator.records import AnswerStatus, AskVariables, Prompt, Reply, Standing

Array = npt.NDArray[np.float64]
FEATURES = tuple(SentenceFit.model_fields)
FIRST = (1, 3, 6)
_RANKED = 20


@dataclass(frozen=True)
class Row:
    """A question of a set: the features of each sentence that the finder compared and whether it is evidence, the
    documents that the search ranked, and what was shown.

    `shown` says for each statement of the answer whether evidence stands in it, `searched` for each hit of the search.
    """

    set: str
    folder: str
    question: str
    answerable: bool
    sentences: Array
    labels: Array
    standings: tuple[Standing, ...]
    shown: tuple[bool, ...]
    searched: tuple[bool, ...]
    status: AnswerStatus

    @property
    def nearest(self) -> float:
        """Return the highest similarity of a sentence to the question."""
        return float(self.sentences[:, FEATURES.index("similarity")].max(initial=0.0))


class Watched(ExtractiveEngine):
    """The finder, which also keeps the variables of its prompts."""

    def reply(self, prompt: Prompt) -> Reply:
        if isinstance(prompt.variables, AskVariables):
            self.asked.append(prompt.variables)
        return super().reply(prompt)

    @property
    def asked(self) -> list[AskVariables]:
        """Return the variables that were kept."""
        return self.__dict__.setdefault("_asked", [])


class Folder:
    """An indexed folder with its questions: a set of its own, or one of several folders of a set."""

    def __init__(self, directory: Path, workspaces: Path, embedder: SentenceTransformerEmbedder) -> None:
        self.set = directory.parent.name if directory.parent.name == "everyday" else directory.name
        self.name = directory.name
        self._embedder = CachedEmbedder(embedder)
        self._engine = Watched(self._embedder)
        lines = (directory / "questions.dev.jsonl").read_text("utf-8").splitlines()
        self.questions = [json.loads(line) for line in lines]
        self._investigator = Investigator(
            directory / "docs_dev",
            workspace=workspaces / directory.name,
            embedder=self._embedder,
            model=self._engine,
        )
        for _ in self._investigator.index(vectors=True):
            pass

    def rows(self, questions: Sequence[dict], foreign: bool = False) -> Iterator[Row]:  # type: ignore[type-arg]
        """Yield what is found for questions; those that are `foreign` are about another folder."""
        with self._investigator.library() as library:
            standings = {q["question"]: library.standings(q["question"])[:_RANKED] for q in questions}
        for asked in questions:
            self._engine.asked.clear()
            text = asked["question"]
            answer = self._investigator.ask(text, fresh=True, cache=False)
            evidence = () if foreign else tuple(asked.get("evidence") or ())
            right = frozenset() if foreign or not asked["answerable"] else frozenset(asked.get("doc_ids") or ())
            sentences, labels = self._sentences(text, evidence, right)
            hits = [hit.passage for hit in self._investigator.search(text, limit=max(FIRST))]
            yield Row(
                set=f"off {self.set}" if foreign else self.set,
                folder=self.name,
                question=text,
                answerable=bool(right),
                sentences=sentences,
                labels=labels,
                standings=tuple(entry.standing for entry in standings[text]),
                shown=tuple(
                    any(_stands(quote.text, evidence) and quote.document_id in right for quote in statement.quotes)
                    for statement in answer.statements
                ),
                searched=tuple(_stands(hit.text, evidence) and hit.document_id in right for hit in hits),
                status=answer.status,
            )

    def _sentences(self, text: str, evidence: Sequence[str], right: frozenset[str]) -> tuple[Array, Array]:
        shown = {d.document_id: d for variables in self._engine.asked for d in variables.documents}
        every = [(name, stretch) for name, document in shown.items() for stretch in stretches(document)]
        found = candidates([stretch for _, stretch in every], text, self._embedder)
        rows = [[getattr(candidate.fit, name) for name in FEATURES] for candidate in found]
        labels = [
            every[c.stretch][0] in right
            and any(overlaps(every[c.stretch][1].text[slice(*c.span)], piece) for piece in evidence)
            for c in found
        ]
        return np.array(rows, dtype=float).reshape(-1, len(FEATURES)), np.array(labels, dtype=float)


def _stands(text: str, evidence: Sequence[str]) -> bool:
    return any(holds(text, piece) or overlaps(text, piece) for piece in evidence)
