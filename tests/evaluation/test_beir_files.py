"""Reading a test collection, and errors about invalid ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from investigator.errors import DataError
from investigator.evaluation.beir import Collection, read_collection

CORPUS = [
    {"_id": "d1", "title": "Mills", "text": "The mill burned down.", "metadata": {"url": "x"}},
    {"_id": "d2", "title": "", "text": "The ferry ran until 1950."},
]
QUERIES = [{"_id": "q1", "text": "fire"}, {"_id": "q2", "text": "ferry"}, {"_id": "q3", "text": "not judged"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td2\t1\n"


def collection(
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
    read = collection(tmp_path)
    assert [row.content for row in read.documents] == ["Mills\nThe mill burned down.", "The ferry ran until 1950."]
    assert [row.id for row in read.queries] == ["q1", "q2"]
    assert read.judgements == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}


def test_a_limit_takes_the_first_judged_queries(tmp_path: Path) -> None:
    queries = [{"_id": "q3", "text": "not judged"}, *QUERIES[:2]]
    read = collection(tmp_path, queries=queries, limit=1)
    assert [row.id for row in read.queries] == ["q1"]
    assert read.judgements.keys() == {"q1"}


@pytest.mark.parametrize(
    "qrels",
    ["q1\td1\t2\nq1\td2\t0\nq2\td2\t1", "q1 0 d1 2\nq1 0 d2 0\r\n\nq2 0 d2 1\n", QRELS + "q1\td1\t2\n"],
    ids=["without a heading", "TREC", "said twice"],
)
def test_judgements_come_in_several_forms(tmp_path: Path, qrels: str) -> None:
    assert collection(tmp_path, qrels=qrels).judgements == {"q1": {"d1": 2, "d2": 0}, "q2": {"d2": 1}}


def test_numbers_may_be_ids(tmp_path: Path) -> None:
    read = collection(tmp_path, corpus=[{"_id": 7, "text": "x"}], queries=[{"_id": 8, "text": "x"}], qrels="8\t7\t1")
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
        collection(tmp_path, **wrong)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.jsonl cannot be read"):
        read_collection(tmp_path / "nowhere.jsonl", tmp_path, tmp_path)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(b'{"_id": "d1", "text": "\xff\xfe"}\n')
    with pytest.raises(DataError, match="not UTF-8"):
        read_collection(tmp_path / "corpus.jsonl", tmp_path, tmp_path)


def test_a_fingerprint_goes_by_ids_and_words(tmp_path: Path) -> None:
    before = collection(tmp_path).fingerprint()
    assert collection(tmp_path, corpus=CORPUS[::-1]).fingerprint() == before
    assert collection(tmp_path, corpus=[{**CORPUS[0], "text": "It burned."}, CORPUS[1]]).fingerprint() != before
    renamed = [{**CORPUS[0], "_id": "d3"}, CORPUS[1]]
    assert collection(tmp_path, corpus=renamed, qrels="q2\td2\t1").fingerprint() != before
