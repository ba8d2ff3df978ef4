"""Recorded metrics from which ours deviate on purpose, with the reasons; tests in tests/dialogue show them, too."""

from __future__ import annotations

import re
from typing import Any

from golden_rows import Deviation, Ground, Row

IRREGULAR = {
    ("children", "child"), ("feet", "foot"), ("teeth", "tooth"), ("said", "say"), ("told", "tell"), ("found", "find"),
    ("went", "go"), ("gone", "go"), ("knew", "know"), ("known", "know"), ("made", "make"), ("came", "come"),
    ("took", "take"), ("taken", "take"), ("given", "give"), ("gave", "give"), ("bought", "buy"), ("brought", "bring"),
    ("thought", "think"), ("wrote", "write"), ("written", "write"), ("spoke", "speak"), ("were", "be"), ("been", "be"),
    ("done", "do"), ("felt", "feel"), ("kept", "keep"), ("sent", "send"), ("sold", "sell"), ("held", "hold"),
    ("stood", "stand"), ("lost", "lose"), ("paid", "pay"), ("built", "build"), ("began", "begin"),
}  # fmt: skip
NAMES_OF_OURS = {"exs", "precision", "recall", "rouge_1", "rouge_2", "rouge_L", "mrr"}
NAMES_OF_OURS |= {f"hits@{k}" for k in (1, 5, 10, 100)}


def _irregular_forms_meet(row: Row) -> bool:
    """Return True if the guess or the only answer has an irregular form, and the other one its base."""
    answers = row.input["answers"]
    guess, answer = (set(re.findall("[a-z]+", text.lower())) for text in (row.input["guess"], " ".join(answers)))
    pairs = [pair for form, base in IRREGULAR for pair in ((form, base), (base, form))]
    return len(answers) == 1 and any(one in guess - answer and other in answer - guess for one, other in pairs)


def _some_turn(row: Row, deviates: Any) -> bool:
    return any(deviates(turn["response"], turn.get("labels")) for turn in row.input["turns"])


DEVIATIONS: tuple[Deviation, ...] = (
    Deviation(
        "metrics",
        "text_pair",
        "irregular forms count as separate words in ROUGE: WordNet's lists are not shipped",
        _irregular_forms_meet,
        Ground.SHIPPED,
    ),
    Deviation(
        "metrics",
        "teacher_metrics",
        "without labels, no reply counts as wrong",
        lambda row: _some_turn(row, lambda r, labels: not labels and {"text", "text_candidates"} & set(r)),
    ),
    Deviation(
        "metrics",
        "teacher_metrics",
        "the evaluator also computes MRR for ranked candidates",
        lambda row: _some_turn(row, lambda r, labels: r.get("text_candidates") is not None),
        Ground.ASKED,
    ),
    Deviation(
        "metrics",
        "teacher_metrics",
        "a reply's own metric whose name the evaluator uses gets the prefix USER_, so that they are not mixed",
        lambda row: _some_turn(row, lambda r, labels: NAMES_OF_OURS & set(r.get("metrics") or {})),
    ),
    Deviation(
        "metrics",
        "metrics_list",
        "spaces around names, and empty names, are ignored",
        lambda row: any(name != name.strip() or not name for name in row.input["arg"].split(",")),
    ),
)
