"""`eval --claims` measures a check on statements that are known to be true or false."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from commands import command

from investigator import ScriptedEngine
from investigator.asking.budget import BudgetSettings
from investigator.engines.embedding.verifiers import CrossEncoderEngine, entailment
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.evaluation.claims import ClaimRow, ClaimsEvaluation, ClaimsReport, read_claims, variables_of
from investigator.records import CheckVariables, Notice, Prompt, Support
from investigator.services.parts import Parts
from investigator.settings import load_settings

AROUND = "In 1911 the mill burned down. It was rebuilt."


def row(name: str, statement: str, *, true: bool, kind: str = "") -> ClaimRow:
    evidence = [{"quote": "the mill burned down.", "around": AROUND}]
    return ClaimRow.model_validate(
        {"id": name, "statement": statement, "evidence": evidence, "true": true, "kind": kind}
    )


ROWS = (
    row("1", "the mill burned down.", true=True, kind="verbatim"),
    row("2", "Fire destroyed the mill.", true=True, kind="reworded"),
    row("3", "The mill did not burn.", true=False, kind="negation"),
    row("4", "The barn burned down.", true=False, kind="entity"),
)


def checking(support: Callable[[str], str]) -> ScriptedEngine:
    """Return an engine whose verdict on a statement is a function of its text."""

    def reply(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, CheckVariables)
        verdicts = [{"number": claim.number, "support": support(claim.text)} for claim in prompt.variables.statements]
        return json.dumps({"statements": verdicts})

    return ScriptedEngine(reply, name="checker")


def measured(engine: object, rows: tuple[ClaimRow, ...] = ROWS, calls: int | None = None) -> ClaimsReport:
    parts = Parts(load_settings())
    client = parts.client(dict.fromkeys(Role, engine), parts.memory_journal(), budget=BudgetSettings(calls=calls))  # type: ignore[arg-type]
    evaluation = ClaimsEvaluation(rows, client)
    events = list(evaluation.run())
    assert any(isinstance(event, Notice) for event in events) is (calls is not None)
    return evaluation.report()


def test_lies_accepted_and_truths_refused_are_counted_and_named() -> None:
    verdicts = {"1": "supported", "2": "unsupported", "3": "supported", "4": "in_part"}
    by_text = {claim.statement: verdicts[claim.id] for claim in ROWS}
    report = measured(checking(by_text.__getitem__))
    counts = report.everything
    assert counts.truths == {Support.SUPPORTED: 1, Support.UNSUPPORTED: 1}
    assert counts.lies == {Support.SUPPORTED: 1, Support.IN_PART: 1}
    assert [(claim.id, claim.support) for claim in report.wrong] == [
        ("2", Support.UNSUPPORTED),
        ("3", Support.SUPPORTED),
    ]
    assert [claim.kind for claim in report.kinds] == ["verbatim", "reworded", "negation", "entity"]
    assert (report.checker, report.usage.calls) == ("checker", 1)


def test_twenty_statements_go_into_a_call_and_a_limit_ends_the_measurement() -> None:
    many = tuple(row(str(number), f"The mill has {number} floors.", true=False) for number in range(45))
    engine = checking(lambda _: "unsupported")
    assert measured(engine, many).everything.lies == {Support.UNSUPPORTED: 45}
    assert [len(prompt.variables.statements) for prompt in engine.asked] == [20, 20, 5]  # type: ignore[attr-defined]
    assert measured(checking(lambda _: "unsupported"), many, calls=2).everything.lies == {Support.UNSUPPORTED: 40}


def test_the_check_sees_each_quote_marked_in_its_surroundings_and_the_notes_of_the_program() -> None:
    variables = variables_of((row("a", "It burned in 1905.", true=False), ROWS[0]))
    first, second = variables.documents
    assert [(span.text, span.id) for span in first.passages[0].spans] == [
        ("In 1911 ", ""),
        ("the mill burned down.", "E1"),
        (" It was rebuilt.", ""),
    ]
    assert second.ids == ("E2",)
    assert [(claim.evidence, claim.verbatim) for claim in variables.statements] == [(("E1",), False), (("E2",), True)]
    assert "1905" in variables.statements[0].notes[0]
    assert variables.question == ""


def test_the_command_without_a_model_leaves_statements_unchecked(tmp_path: Path) -> None:
    file = tmp_path / "statements.jsonl"
    file.write_text("".join(f"{claim.model_dump_json(by_alias=True)}\n" for claim in ROWS), encoding="utf-8")
    assert read_claims(file) == ROWS
    shown = command("eval", "--claims", file)
    assert shown.exit_code == 0, shown.output
    assert "checked by extractive:" in shown.stdout
    wire = json.loads(command("eval", "--claims", file, "--json").stdout)
    assert set(wire["everything"]["lies"]) == {"unchecked"}
    file.write_text('{"id": "1", "statement": "x"}\n', encoding="utf-8")
    assert command("eval", "--claims", file).exit_code == 2


def test_a_cross_encoder_checks_in_place_of_a_model(tmp_path: Path) -> None:
    def labels(_: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        assert {text for text, _ in pairs} == {"the mill burned down."}
        return [0.9 if claim in (ROWS[0].statement, ROWS[1].statement) else 0.1 for _, claim in pairs]

    report = measured(CrossEncoderEngine("knowing", 0.5, labels))
    assert (report.checker, report.wrong) == ("cross-encoder:knowing", ())
    strict = measured(CrossEncoderEngine("knowing", 0.95, labels))
    assert strict.everything.truths == {Support.UNSUPPORTED: 2}


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
    file = tmp_path / "statements.jsonl"
    file.write_text("".join(f"{claim.model_dump_json(by_alias=True)}\n" for claim in ROWS), encoding="utf-8")
    wire = json.loads(command("eval", "--claims", file, "--set", f"check.model={model}", "--json").stdout)
    assert wire["checker"] == f"cross-encoder:{model}"
    assert "unchecked" not in {**wire["everything"]["truths"], **wire["everything"]["lies"]}


def test_a_model_without_such_a_label_is_refused_by_name(tmp_path: Path) -> None:
    model = tiny_nli(tmp_path, {0: "sport", 1: "politics", 2: "weather"})
    with pytest.raises(EngineError, match="no label for entailment"):
        entailment(str(model), [("the mill", "the barn")])
