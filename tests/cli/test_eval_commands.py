"""The command `eval`: answers about a folder, and the search of a collection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import command

from investigator.evaluation.folder import FolderEvaluation
from investigator.records import Event
from investigator.store.locations import default_workspace

QUESTIONS = [
    {"id": "rent", "question": "What is the annual rent?", "answerable": True, "doc_ids": ["lease.txt"]},
    {"id": "wine", "question": "Which wine grows in Patagonia?", "answerable": False},
]


def write_rows(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "lease.txt").write_text("The annual rent is EUR 48,000.\n", encoding="utf-8")
    (made / "mill.md").write_text("# The mill\n\nThe mill burned down in 1911.\n", encoding="utf-8")
    return made


@pytest.fixture
def collection(tmp_path: Path) -> tuple[str, ...]:
    """Return the option for a collection of two documents."""
    documents = [{"_id": "d1", "text": "The mill burned down."}, {"_id": "d2", "text": "The rent was raised."}]
    write_rows(tmp_path / "corpus.jsonl", documents)
    write_rows(tmp_path / "queries.jsonl", [{"_id": "q1", "text": "fire at the mill"}])
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    return ("--retrieval", str(tmp_path))


def test_eval_retrieval_prints_one_record_and_keeps_what_it_made(collection: tuple[str, ...], tmp_path: Path) -> None:
    kept, scores = tmp_path / "kept", tmp_path / "scores.jsonl"
    options = (*collection, "--workspace", kept, "--out", scores, "--json", "-v")
    first, again = (command("eval", *options) for _ in range(2))
    assert (first.exit_code, again.exit_code) == (0, 0)
    report = json.loads(first.stdout)
    assert {half["half"]: half["measures"]["nDCG@10"]["value"] for half in report["halves"]} == {
        "words": 1.0,
        "vectors": 1.0,
        "both": 1.0,
    }
    assert "searching 3/3" in first.stderr
    assert "already contains this corpus" in again.stderr
    assert [json.loads(row)["first"][0] for row in scores.read_text(encoding="utf-8").splitlines()] == ["d1"] * 3


def test_eval_retrieval_prints_a_table(collection: tuple[str, ...]) -> None:
    table = command("eval", *collection).stdout.splitlines()
    assert table[0].startswith("2 documents, 1 query, all-MiniLM-L6-v2")
    assert table[1].split()[:2] == ["search", "nDCG@10"]
    assert [line.split()[:2] for line in table[2:5]] == [["words", "1.0000"], ["vectors", "1.0000"], ["both", "1.0000"]]
    assert "+0.0000 (0.0000 to 0.0000)" in table[2]


def test_a_broken_collection_is_wrong_use_and_told(collection: tuple[str, ...]) -> None:
    (Path(collection[1]) / "corpus.jsonl").write_text('{"_id": "d1"\n', encoding="utf-8")
    result = command("eval", *collection)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "corpus.jsonl, line 1: " in result.stderr
    assert "hint: " in result.stderr


def test_scores_that_could_not_be_written_are_told_before_anything_is_done(collection: tuple[str, ...]) -> None:
    result = command("eval", *collection, "--out", "nowhere/scores.jsonl")
    assert result.exit_code == 2
    assert "no folder nowhere" in result.stderr


def test_eval_folder_asks_measures_and_goes_on(folder: Path, tmp_path: Path) -> None:
    questions = write_rows(tmp_path / "questions.jsonl", QUESTIONS)
    words = ("eval", folder, "--questions", questions, "--workspace", tmp_path / "space")
    first, again = command(*words, "--json", "-v"), command(*words)
    assert (first.exit_code, again.exit_code) == (0, 0)
    report = json.loads(first.stdout)
    values = {name: one["value"] for name, one in report["everything"]["measures"].items()}
    assert (values["cited_hit"], values["proven"]) == (1.0, 1.0)
    assert "questions 2/2: answered 0, passages found 1, not found 1" in first.stderr
    assert "2 of 2 outcomes already exist" in again.stderr
    table = again.stdout.splitlines()
    assert table[0].startswith("2 questions, extractive:")
    assert next(line for line in table if line.startswith("a cited document")).split()[-1] == "1"
    assert "quotes that are in the documents" in again.stdout


def test_what_does_not_apply_is_refused_by_name(collection: tuple[str, ...], folder: Path) -> None:
    for words, problem in (
        ([folder], "expected one thing to measure"),
        (["--questions", "q.jsonl"], "expected one thing to measure"),
        ([folder, *collection], "expected one thing to measure"),
        ([*collection, "--fresh"], "--fresh does not apply to --retrieval"),
        (["--claims", "c.jsonl", "--out", "o.jsonl"], "--out does not apply to --claims"),
    ):
        refused = command("eval", *words)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert problem in refused.stderr


def test_questions_inside_the_folder_are_refused(folder: Path) -> None:
    questions = write_rows(folder / "questions.jsonl", QUESTIONS)
    result = command("eval", folder, "--questions", questions)
    assert result.exit_code == 2
    assert "would be read as one" in result.stderr
    assert not default_workspace(folder).exists()


def test_a_stopped_evaluation_says_how_to_go_on(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = FolderEvaluation.run

    def stopped(evaluation: FolderEvaluation) -> Iterator[Event]:
        for event in whole(evaluation):
            yield event
            if evaluation.outcomes:
                raise KeyboardInterrupt

    questions = write_rows(tmp_path / "questions.jsonl", QUESTIONS)
    words = ("eval", folder, "--questions", questions, "--out", tmp_path / "out.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(FolderEvaluation, "run", stopped)
        first = command(*words)
    assert (first.exit_code, first.stdout) == (130, "")
    assert f"1 outcomes are kept in {tmp_path / 'out.jsonl'}; run the same command again to resume." in first.stderr
    assert "1 of 2 outcomes already exist" in command(*words).stderr
