"""Reading a test collection, errors about invalid ones, and ranking a small one with the real store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.base import Vectors
from investigator.errors import DataError, SettingsError
from investigator.evaluation.beir import Collection, CorpusRow, QueryRow, read_collection
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


CORPUS = [
    {"_id": "d1", "title": "Mills", "text": "The mill burned down.", "metadata": {"url": "x"}},
    {"_id": "d2", "title": "", "text": "The ferry ran until 1950."},
]
QUERIES = [{"_id": "q1", "text": "fire"}, {"_id": "q2", "text": "ferry"}, {"_id": "q3", "text": "not judged"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"


def read_files(
    place: Path,
    corpus: list[dict[str, object]] | str = CORPUS,
    queries: list[dict[str, object]] | str = QUERIES,
    qrels: str = QRELS,
    limit: int | None = None,
) -> Collection:
    names = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
    for name, content in zip(names, (corpus, queries, qrels), strict=True):
        text = content if isinstance(content, str) else "".join(json.dumps(row) + "\n" for row in content)
        (place / name).write_text(text, encoding="utf-8")
    return read_collection(*(place / name for name in names), limit)


def test_title_and_text_are_one_and_queries_without_judgements_do_not_count(tmp_path: Path) -> None:
    read = read_files(tmp_path)
    assert [row.content for row in read.documents] == ["Mills\nThe mill burned down.", "The ferry ran until 1950."]
    assert [row.id for row in read.queries] == ["q1", "q2"]
    assert read.judgements == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}


def test_a_limit_takes_the_first_judged_queries(tmp_path: Path) -> None:
    queries = [{"_id": "q3", "text": "not judged"}, *QUERIES[:2]]
    read = read_files(tmp_path, queries=queries, limit=1)
    assert [row.id for row in read.queries] == ["q1"]
    assert read.judgements.keys() == {"q1"}


@pytest.mark.parametrize(
    "qrels",
    ["q1\td1\t2\nq1\td2\t0\nq2\td2\t1", "q1 0 d1 2\nq1 0 d2 0\r\n\nq2 0 d2 1\n", QRELS + "q1\td1\t2\n"],
    ids=["without a heading", "TREC", "said twice"],
)
def test_judgements_come_in_several_forms(tmp_path: Path, qrels: str) -> None:
    assert read_files(tmp_path, qrels=qrels).judgements == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}


def test_numbers_may_be_ids(tmp_path: Path) -> None:
    read = read_files(tmp_path, corpus=[{"_id": 7, "text": "x"}], queries=[{"_id": 8, "text": "x"}], qrels="8\t7\t1")
    assert read.judgements == {"8": {"7": 1}}


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"corpus": '{"_id": "d1", "text": "x"}\n{"_id": "d2"\n'}, r"corpus\.jsonl, line 2: "),
        ({"corpus": [{"_id": "d1", "title": "no text"}]}, r"corpus\.jsonl, line 1: text"),
        ({"corpus": [*CORPUS, CORPUS[0]]}, r"line 3 of .*corpus\.jsonl: the id d1"),
        ({"queries": [QUERIES[0], QUERIES[0]]}, r"line 2 of .*queries\.jsonl: the id q1"),
        ({"corpus": "\n"}, "contains no documents"),
        ({"queries": ""}, "contains no queries"),
        ({"qrels": "query-id\tcorpus-id\tscore\n"}, "contains no judgements"),
        ({"qrels": "q1\td1\t0\n"}, "has no query with a relevant document"),
        ({"qrels": "q1\td1\t1\nq1\td2\n"}, r"line 2 of .*qrels\.tsv"),
        ({"qrels": "q1\td1\t1\nq1\td2\thigh\n"}, r"line 2 of .*qrels\.tsv"),
        ({"qrels": "q1\td1\t1\nq1\td1\t0\n"}, "contradicts an earlier line"),
        ({"qrels": "q1\td1\t1\nq1\td8\t1\nq1\td9\t1\nq2\td8\t1\n"}, "2 unknown documents; the first is d8"),
        ({"qrels": "q1\td1\t1\nq9\td1\t1\n"}, "1 unknown queries; the first is q9"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, wrong: dict[str, str], problem: str) -> None:
    with pytest.raises(DataError, match=problem):
        read_files(tmp_path, **wrong)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl cannot be read"):
        read_collection(tmp_path / "nowhere.jsonl", tmp_path, tmp_path)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(b'{"_id": "d1", "text": "\xff\xfe"}\n')
    with pytest.raises(DataError, match="not UTF-8"):
        read_collection(tmp_path / "corpus.jsonl", tmp_path, tmp_path)


def test_a_fingerprint_goes_by_ids_and_words(tmp_path: Path) -> None:
    before = read_files(tmp_path).fingerprint()
    assert read_files(tmp_path, corpus=CORPUS[::-1]).fingerprint() == before
    assert read_files(tmp_path, corpus=[{**CORPUS[0], "text": "It burned."}, CORPUS[1]]).fingerprint() != before
    renamed = [{**CORPUS[0], "_id": "d3"}, CORPUS[1]]
    assert read_files(tmp_path, corpus=renamed, qrels="q2\td2\t1").fingerprint() != before
