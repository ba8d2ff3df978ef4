"""`eval claims` measures the rules and any verifier on claims known to be true or false."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from commands import command

from investigator.engines.embedding.verifiers import CrossEncoderVerifier
from investigator.errors import EmbedderError
from investigator.evaluation.claims import ClaimRow, measure_claims

ROWS = (
    ClaimRow(id="1", claim="The mill burned down.", quotes=("The mill burned down.",), label=True, kind="verbatim"),
    ClaimRow(id="2", claim="Fire destroyed the mill.", quotes=("The mill burned down.",), label=True, kind="reworded"),
    ClaimRow(id="3", claim="The mill did not burn.", quotes=("The mill burned down.",), label=False, kind="negation"),
    ClaimRow(id="4", claim="The barn burned down.", quotes=("The mill burned down.",), label=False, kind="entity"),
)


class Knowing:
    """A verifier that knows the labels."""

    name = "knowing"

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        return [0.9 if claim in (ROWS[0].claim, ROWS[1].claim) else 0.1 for _, claim in pairs]


def test_the_better_judge_is_named() -> None:
    report = measure_claims(ROWS, Knowing(), 0.5)
    assert (report.rules.true_accepted, report.rules.false_refused) == (0.5, 1.0)
    assert report.rules.balanced_accuracy == 0.75
    assert report.verifier is not None
    assert report.verifier.balanced_accuracy == 1.0
    assert report.better == "knowing"
    assert measure_claims(ROWS, None, 0.5).better == "rules"
    assert measure_claims(ROWS, Knowing(), 0.95).better == "rules"  # it accepts nothing then: chance


def test_the_command_reads_rows_and_prints_both(tmp_path: Path) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text("".join(f"{row.model_dump_json()}\n" for row in ROWS), encoding="utf-8")
    shown = command("eval", "claims", file)
    assert shown.exit_code == 0
    assert "Better on these claims: rules." in shown.stdout
    wire = json.loads(command("eval", "claims", file, "--json").stdout)
    assert wire["rules"]["claims"] == 4
    file.write_text('{"id": "1", "claim": "x"}\n', encoding="utf-8")
    assert command("eval", "claims", file).exit_code == 2


def tiny_nli(folder: Path, labels: dict[int, str]) -> Path:
    """Create a model with random weights and these labels."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "mill", "barn", "burned", "down", "."]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(3)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    names = {name: place for place, name in labels.items()}
    config = BertConfig(vocab_size=len(words), num_labels=len(labels), id2label=labels, label2id=names, **size)
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def test_a_model_of_sentence_transformers_verifies_by_its_entailment(tmp_path: Path) -> None:
    model = tiny_nli(tmp_path, {0: "contradiction", 1: "entailment", 2: "neutral"})
    report = measure_claims(ROWS, CrossEncoderVerifier(str(model)), 0.5)
    assert report.verifier is not None
    assert report.verifier.claims == 4
    scores = CrossEncoderVerifier(str(model)).scores([("the mill burned down", "the barn burned down")])
    assert 0.0 < scores[0] < 1.0


def test_a_model_without_such_a_label_is_refused_by_name(tmp_path: Path) -> None:
    model = tiny_nli(tmp_path, {0: "sport", 1: "politics", 2: "weather"})
    with pytest.raises(EmbedderError, match="no label for entailment"):
        CrossEncoderVerifier(str(model)).scores([("the mill", "the barn")])
