"""Questions and folders that are hard to search: each ends with a result or a clear error."""

from __future__ import annotations

from pathlib import Path

import pytest
from power_plants import outcome

from investigator import Investigator, RunOptions, ScriptedEmbedder, load_settings
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.records import AnswerStatus, Notice

STORY = "The mill at Leer burned down in the spring of 1911. The miller, Hinrich Goldt, built it up again in two years."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "mill.txt").write_text(STORY, encoding="utf-8")
    (made / "boat.txt").write_text("Anna Berg owns a red boat. It lies at the quay all summer.", encoding="utf-8")
    return made


def test_every_question_gets_an_answer_or_a_word_that_there_is_none(folder: Path) -> None:
    questions = (
        "mill",
        "the of and",
        'mill" OR boat NEAR(mill, 3) AND NOT * ^quay -red :',
        "Wann brannte die Mühle in Leer ab?",
        "磨坊什么时候烧毁的？",
        "متى احترقت الطاحونة؟",
        "\u0000\u0007 mill \u200b\u202e",
        "when did the mill burn down " + " ".join(f"word{i}" for i in range(1_000)),
    )
    with Investigator(folder, embedder=ScriptedEmbedder()).opened() as ask:
        for question in questions:
            answer = outcome(ask(question, RunOptions())).answer
            assert answer is not None, question
            assert answer.status in AnswerStatus
            assert answer.coverage.total == 2
            for quote in answer.citations:
                assert quote.text in (folder / quote.document_id).read_text(encoding="utf-8")


def test_a_question_in_another_language_finds_the_names_and_years_it_shares(folder: Path) -> None:
    with Investigator(folder, embedder=ScriptedEmbedder()).library() as library:
        assert library.cards(("Wer war Hinrich Goldt?",))[0].document_id == "mill.txt"


def test_other_words_in_a_small_folder_show_the_passage_and_another_subject_does_not(tmp_path: Path) -> None:
    rules = (
        "# Rules\n\nAmendments of these rules need two thirds of the members present.\n\nThe treasurer reports in May."
    )
    (tmp_path / "rules.md").write_text(rules, encoding="utf-8")
    (tmp_path / "boathouse.txt").write_text("The boathouse is locked at nine in the evening.", encoding="utf-8")
    investigator = Investigator(tmp_path)
    result = investigator.ask("What majority is needed to change the rules?")
    assert result.status is AnswerStatus.PASSAGES_FOUND
    assert "two thirds" in result.citations[0].text
    assert investigator.ask("What is the capital of Mongolia?").status is AnswerStatus.NOT_FOUND_SO_FAR


def test_a_document_of_one_character_and_one_without_a_full_stop_do_no_harm(folder: Path) -> None:
    (folder / "x.txt").write_text("x", encoding="utf-8")
    (folder / "flow.txt").write_text("water flows on and on over the weir " * 140_000, encoding="utf-8")  # 5 MB
    answer = Investigator(folder, embedder=ScriptedEmbedder()).ask("When did the mill at Leer burn down?")
    assert answer.citations[0].document_id == "mill.txt"
    assert answer.coverage.total == 4


def test_what_stands_in_two_files_alike_is_said_once(folder: Path) -> None:
    (folder / "copy of mill.txt").write_text(STORY, encoding="utf-8")
    answer = Investigator(folder, embedder=SentenceTransformerEmbedder()).ask("When did the mill at Leer burn down?")
    texts = [statement.text for statement in answer.statements]
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert len(texts) == len(set(texts))
    assert sum("spring of 1911" in text for text in texts) == 1


def test_vectors_of_another_embedder_are_never_mixed_in(folder: Path) -> None:
    class Other(ScriptedEmbedder):
        name = "other"

    list(Investigator(folder, embedder=ScriptedEmbedder()).index(vectors=True))
    other = Investigator(folder, embedder=Other())
    assert other.status().without_vectors == 2
    events = list(other.investigate("When did the mill at Leer burn down?"))
    assert other.status().without_vectors == 0
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert [text for text in notices if "changed from scripted-words to other" in text] == notices
    assert len(notices) == 1
    assert Investigator(folder, embedder=ScriptedEmbedder()).status().without_vectors == 0


def test_a_short_sentence_in_chinese_is_quoted(folder: Path) -> None:
    (folder / "river.txt").write_text("长江是中国最长的河流。", encoding="utf-8")
    settings = load_settings(None, ["research.threshold=1"])  # an English model is never sure of Chinese
    answer = Investigator(folder, embedder=ScriptedEmbedder(), settings=settings).ask("中国最长的河流是什么？")
    assert answer.citations[0].text == "长江是中国最长的河流。"


def test_one_document_among_a_thousand_is_found(tmp_path: Path) -> None:
    for number in range(1_000):
        text = f"Parish {number} sold {number * 7 % 97} sacks of grain to mill {number * 13 % 89}."
        (tmp_path / f"{number:04}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "story.txt").write_text(STORY, encoding="utf-8")
    answer = Investigator(tmp_path, embedder=ScriptedEmbedder()).ask("When did the mill at Leer burn down?")
    assert answer.citations[0].document_id == "story.txt"
    assert answer.coverage.total == 1_001
    assert len(answer.coverage.read) < 20
