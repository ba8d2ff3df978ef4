"""Ranking a small collection with the real store; the scripted embedder knows the words of the full-text search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.base import Vectors
from investigator.errors import SettingsError
from investigator.evaluation.beir import Collection, CorpusRow, QueryRow
from investigator.evaluation.retrieval import MEASURES, RetrievalEvaluation, ranking_scores
from investigator.records import Event, Notice, Progressed
from investigator.retrieval.library import Half
from investigator.retrieval.retrieval_settings import RetrievalSettings

TEXTS = {
    "mill": "The mill by the river burned down in 1911.",
    "ferry": "The ferry crossed the lake until 1950.",
    "train": "The train reached the village in 1890 and left it in 1960.",
    "empty": "",
}


class Meaning(ScriptedEmbedder):
    """An embedder that knows one synonym."""

    texts: int = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        return super().embed([text.replace("railway", "train") for text in texts])


def collection(**changes: str) -> Collection:
    documents = tuple(CorpusRow(id=name, text=text) for name, text in (TEXTS | changes).items())
    queries = (QueryRow(id="q1", text="when did the mill burn"), QueryRow(id="q2", text="railway"))
    return Collection(documents, queries, {"q1": {"mill": 1}, "q2": {"train": 1}})


def evaluated(directory: Path, changes: dict[str, str] | None = None) -> tuple[RetrievalEvaluation, list[Event], int]:
    embedder = Meaning()
    evaluation = RetrievalEvaluation(collection(**changes or {}), directory, embedder, RetrievalSettings())
    return evaluation, list(evaluation.run()), embedder.texts


def test_each_half_finds_what_it_can(tmp_path: Path) -> None:
    evaluation, events, _ = evaluated(tmp_path)
    firsts = {(result.half, result.query_id): result.first[:1] for result in evaluation.results}
    assert firsts == {
        (Half.WORDS, "q1"): ("mill",),
        (Half.WORDS, "q2"): (),  # no document holds the word
        (Half.VECTORS, "q1"): ("mill",),
        (Half.VECTORS, "q2"): ("train",),
        (Half.BOTH, "q1"): ("mill",),
        (Half.BOTH, "q2"): ("train",),
    }
    report = evaluation.report()
    assert (report.documents, report.queries, report.embedder) == (4, 2, "scripted-words")
    assert [half.measures["nDCG@10"].value for half in report.halves] == [0.5, 1.0, 1.0]
    assert [half.measures["R@100"].value for half in report.halves] == [0.5, 1.0, 1.0]
    assert all(half.seconds_per_query > 0 for half in report.halves)
    words, vectors = (half.gain for half in report.halves[:2])
    assert words is not None
    assert vectors is not None
    assert (words.value, vectors.low, vectors.high) == (0.5, 0.0, 0.0)
    assert Progressed(phase="searching", done=6, total=6) in events


def test_vectors_are_kept_for_the_same_corpus_and_that_is_said(tmp_path: Path) -> None:
    first, events, embedded = evaluated(tmp_path)
    assert embedded > len(TEXTS)
    assert not any(isinstance(event, Notice) for event in events)
    second, events, embedded = evaluated(tmp_path)
    assert embedded <= 2 * len(Half)  # queries only
    assert any(isinstance(event, Notice) and "already contains this corpus" in event.text for event in events)
    assert [each.first for each in second.results] == [each.first for each in first.results]


def test_another_corpus_and_the_workspace_of_a_folder_are_left_alone(tmp_path: Path) -> None:
    evaluated(tmp_path / "corpus")
    with pytest.raises(SettingsError, match="documents other than"):
        evaluated(tmp_path / "corpus", {"ferry": "The ferry crossed the sea."})
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("A folder's document.", encoding="utf-8")
    list(Investigator(tmp_path / "folder", workspace=tmp_path / "space", embedder=Meaning()).index())
    with pytest.raises(SettingsError, match="documents other than"):
        evaluated(tmp_path / "space")


def test_what_was_stopped_goes_on(tmp_path: Path) -> None:
    embedder = Meaning()
    stopped = RetrievalEvaluation(collection(), tmp_path, embedder, RetrievalSettings()).run()
    assert isinstance(next(stopped), Progressed)  # documents are kept, nothing is embedded
    stopped.close()  # type: ignore[attr-defined]
    evaluation, _, _ = evaluated(tmp_path)
    assert evaluation.report().halves[1].measures["nDCG@10"].value == 1.0


def test_measures_of_a_worked_example() -> None:
    rankings = {"a": ["x", "right", "y"], "b": [], "c": [*(f"w{n}" for n in range(10)), "late"], "e": ["a", "z"]}
    judged = {"a": {"right": 1, "x": 0}, "b": {"z": 1}, "c": {"late": 1, "never": 1}, "d": {"z": 1}, "e": {"z": 1}}
    scores = ranking_scores(rankings, judged)
    assert scores["a"]["nDCG@10"] == pytest.approx(0.63093, abs=1e-5)  # 1 / log2(3)
    assert (scores["a"]["RR@10"], scores["a"]["R@10"]) == (0.5, 1.0)
    assert scores["b"] == scores["d"] == dict.fromkeys(MEASURES, 0.0)
    assert scores["c"] == dict.fromkeys(MEASURES, 0.0) | {"R@100": 0.5}
    # the order of a ranking counts and not the names in it
    assert (scores["e"]["RR@10"], ranking_scores({"e": ["z", "a"]}, judged)["e"]["RR@10"]) == (0.5, 1.0)
