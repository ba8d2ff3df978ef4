"""A claim that the rules can neither prove nor refute is judged by the verifier in the settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from power_plant import claims

from investigator import Answer, Investigator, ScriptedEmbedder, ScriptedEngine, load_settings
from investigator.errors import EmbedderError
from investigator.records import AnswerStatus, ClaimStatus
from investigator.reports.html import html_report
from investigator.reports.terminal import investigation_text

QUESTION = "How much power does the Emsland plant make?"
PROVEN, FREE, FALSE = "It makes 42 MW of power.", "Its power output amounts to 42 MW.", "It makes 43 MW of power."


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder with random weights, whose scores are neither 0 nor 1."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder = tmp_path_factory.mktemp("verifier")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "it", "makes", "mw", "of", "power", "."]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    model = BertForSequenceClassification(BertConfig(vocab_size=len(words), num_labels=1, **size))
    model.save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


Make = Callable[..., tuple[Investigator, ScriptedEngine]]


@pytest.fixture
def ask(investigator: Make, verifier: Path) -> Callable[..., Answer]:
    """Ask with a verifier that supports everything (threshold 0) or nothing (threshold 1)."""

    def asked(*said: str, threshold: float) -> Answer:
        settings = load_settings(None, [f"verify.model={verifier}", f"verify.threshold={threshold}"])
        made, _ = investigator(settings, answer__answer=claims(*((text, "E1") for text in said)))
        return made.ask(QUESTION)

    return asked


def test_what_the_verifier_supports_stands_under_its_name_and_answers_nothing(
    ask: Callable[..., Answer], verifier: Path
) -> None:
    answer = ask(FREE, threshold=0)
    (claim,) = answer.claims
    assert (claim.text, claim.status, claim.supported_by) == (FREE, ClaimStatus.SUPPORTED, str(verifier))
    assert claim.quotes[0].text == PROVEN
    assert answer.status is AnswerStatus.PASSAGES_FOUND
    assert f"supported by {verifier}, not proven" in answer.text
    assert f"1 statement supported by {verifier}, not proven" in answer.reason


def test_what_the_verifier_does_not_support_gives_way_to_its_quote(ask: Callable[..., Answer]) -> None:
    (claim,) = ask(FREE, threshold=1).claims
    assert (claim.text, claim.status, claim.readings) == (PROVEN, ClaimStatus.REPLACED, (FREE,))


def test_what_the_rules_withhold_stays_withheld_whatever_the_verifier_says(ask: Callable[..., Answer]) -> None:
    answer = ask(PROVEN, FALSE, threshold=0)
    assert [claim.text for claim in answer.claims] == [PROVEN]
    assert [claim.text for claim in answer.unproven] == [FALSE]
    assert answer.status is AnswerStatus.ANSWERED


def test_a_proven_claim_answers_beside_a_supported_one(ask: Callable[..., Answer]) -> None:
    answer = ask(FREE, PROVEN, threshold=0)
    assert answer.status is AnswerStatus.ANSWERED
    assert answer.reason.startswith("1 statement proven by quotes from 1 document; 1 statement supported by ")
    assert [claim.status for claim in answer.claims] == [ClaimStatus.PROVEN, ClaimStatus.SUPPORTED]


def test_a_kept_run_is_used_again_with_the_same_verifier_alone(investigator: Make, verifier: Path) -> None:
    def run(*settings: str) -> tuple[str, int]:
        made, engine = investigator(load_settings(None, settings), answer__answer=claims((FREE, "E1")))
        made.ask(QUESTION)
        return made.runs()[0].id, len(engine.asked)

    named = f"verify.model={verifier}"
    first, _ = run(named, "verify.threshold=0")
    assert run(named, "verify.threshold=0") == (first, 0)
    assert run(named, "verify.threshold=1")[0] != first
    assert len({first, run()[0], run(named)[0]}) == 3


def test_a_replay_asks_the_verifier_of_the_run_anew(folder: Path, investigator: Make, verifier: Path) -> None:
    settings = load_settings(None, [f"verify.model={verifier}", "verify.threshold=0"])
    made, _ = investigator(settings, answer__answer=claims((FREE, "E1")))
    made.ask(QUESTION)
    replayed = Investigator(folder, embedder=ScriptedEmbedder()).replay(made.runs()[0].id)
    assert replayed.same, replayed.differences
    told = replayed.investigation
    assert f"{FREE} (supported by {verifier}, not proven)" in " ".join(investigation_text(told).plain.split())
    assert "supported by" in html_report(told)
    assert f'"supported_by":"{verifier}"' in told.model_dump_json()


def test_a_verifier_that_cannot_be_loaded_is_named_before_anything_is_asked(investigator: Make, tmp_path: Path) -> None:
    made, engine = investigator(load_settings(None, [f"verify.model={tmp_path / 'none'}"]))
    with pytest.raises(EmbedderError, match="none"):
        made.ask(QUESTION)
    assert engine.asked == []
