"""Fits the weights that decide, without a language model, whether a chat turn needs a search or a memory.

    python benchmarks/fit_decisions.py --search FILE [FILE ...] [--memory FILE ...] [--check-memory FILE ...]
                                       [--write] [--json]

Rows of the search files (JSON lines) are either `{"text", "label": "search" | "do not search"}` or
`{"conversation": [{"text"}, ...], "search": true | false}`, in which the label applies to the last turn. Rows of the
memory files are `{"memories": [...], "text", "label": "access memory" | "do not access memory"}`; the default is the
small set written for this project, `benchmarks/memory_decisions.jsonl`.

Each model is a logistic regression in which all files have the same weight. F1 and the area under the ROC curve come
from five-fold cross-validation, repeated five times; rows with the same text are in the same fold. Files to check are
not used for fitting; their figures come from the model fitted to the other files. `--write` stores the shipped weights.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

from investigator.bb3.extractive.deciding import (
    DecisionModel,
    Decisions,
    MemoryFeatures,
    SearchFeatures,
    memory_features,
    search_features,
)
from investigator.bb3.extractive.turn_kinds import TurnKinds
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.language.terms import words
from investigator.records import Record

WEIGHTS = Path(__file__).parents[1] / "investigator/bb3/extractive/decisions.json"
OWN_MEMORY_SET = Path(__file__).with_name("memory_decisions.jsonl")
REPEATS = 5
FOLDS = 5
SEARCH_STRENGTH = 10.0
MEMORY_STRENGTH = 1.0
"""Inverse strengths of regularisation, C of scikit-learn; the memory set is small, so its weights are held small."""

F = TypeVar("F", bound=Record)


@dataclass(frozen=True)
class Sample:
    """A turn of a file: its features, and whether it needs the action that the model decides on."""

    source: str
    text: str
    features: Record
    needed: bool


def rows(file: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSON lines file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def search_samples(file: Path, kinds: TurnKinds) -> list[Sample]:
    """Return the turns of a file with search decisions, in either form."""
    found = []
    for row in rows(file):
        text = row["text"] if "text" in row else row["conversation"][-1]["text"]
        needed = row["search"] if "search" in row else row["label"] == "search"
        found.append(Sample(file.name, text, search_features(text, kinds), needed))
    return found


def memory_samples(file: Path, kinds: TurnKinds) -> list[Sample]:
    """Return the turns of a file with memory decisions."""
    return [
        Sample(
            file.name,
            row["text"],
            memory_features(row["text"], row["memories"], kinds),
            row["label"] == "access memory",
        )
        for row in rows(file)
    ]


def fit(samples: Sequence[Sample], kind: type[F], strength: float) -> tuple[F, float, list[dict[str, float | str]]]:
    """Return the weights, the bias, and a table of cross-validated figures by file."""
    names = list(kind.model_fields)
    x = np.array([[getattr(sample.features, name) for name in names] for sample in samples])
    y = np.array([sample.needed for sample in samples], dtype=int)
    sources = np.array([sample.source for sample in samples])
    groups = np.array([" ".join(words(sample.text)) for sample in samples])
    share = {name: len(samples) / (sources == name).sum() / len(set(sources)) for name in set(sources)}
    weight = np.array([share[name] for name in sources])
    model = LogisticRegression(C=strength, max_iter=2000)
    chances = [
        cross_val_predict(
            model,
            x,
            y,
            groups=groups,
            cv=StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed),
            method="predict_proba",
            params={"sample_weight": weight},
        )[:, 1]
        for seed in range(REPEATS)
    ]
    table = [figures(name, y[sources == name], [run[sources == name] for run in chances]) for name in sorted(share)]
    table.append(figures("all", y, chances))
    model.fit(x, y, sample_weight=weight)
    weights = {name: round(float(value), 3) for name, value in zip(names, model.coef_[0], strict=True)}
    return kind.model_validate(weights), round(float(model.intercept_[0]), 3), table


def figures(name: str, needed: np.ndarray, chances: Sequence[np.ndarray]) -> dict[str, float | str]:
    """Return F1 and the area under the ROC curve, averaged over the repetitions of the cross-validation."""
    return {
        "set": name,
        "turns": len(needed),
        "needed": float(needed.mean()),
        "f1": float(np.mean([f1_score(needed, run >= 0.5) for run in chances])),
        "roc_auc": float(np.mean([roc_auc_score(needed, run) for run in chances])),
    }


def checked(samples: Sequence[Sample], weights: Record, bias: float) -> list[dict[str, float | str]]:
    """Return the figures of a fitted model on rows that were not used for fitting, by file."""
    table = []
    for source in sorted({sample.source for sample in samples}):
        rows_of = [sample for sample in samples if sample.source == source]
        totals = [bias + sum(getattr(weights, name) * value for name, value in row.features) for row in rows_of]
        chances = 1 / (1 + np.exp(-np.array(totals)))
        table.append(figures(f"{source} (not fitted)", np.array([row.needed for row in rows_of], dtype=int), [chances]))
    return table


def gathered(files: Sequence[Path], read: Callable[[Path, TurnKinds], list[Sample]], kinds: TurnKinds) -> list[Sample]:
    """Return the samples of all files."""
    return [sample for file in files for sample in read(file, kinds)]


def show(title: str, model: Record, table: Sequence[Mapping[str, float | str]]) -> None:
    """Print the table and the weights of one model."""
    print(title)
    for line in table:
        print("  " + "  ".join(f"{key} {v:.3f}" if isinstance(v, float) else f"{v}" for key, v in line.items()))
    print("  " + model.model_dump_json())


def main() -> None:
    """Parse the arguments, fit the models, and print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", nargs="+", type=Path, required=True)
    parser.add_argument("--memory", nargs="+", type=Path, default=[OWN_MEMORY_SET])
    parser.add_argument("--check-memory", nargs="*", type=Path, default=[])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    kinds = TurnKinds(SentenceTransformerEmbedder())
    searches = gathered(arguments.search, search_samples, kinds)
    memories = gathered(arguments.memory, memory_samples, kinds)
    search_weights, search_bias, search_table = fit(searches, SearchFeatures, SEARCH_STRENGTH)
    memory_weights, memory_bias, memory_table = fit(memories, MemoryFeatures, MEMORY_STRENGTH)
    memory_table += checked(gathered(arguments.check_memory, memory_samples, kinds), memory_weights, memory_bias)
    decisions = Decisions(
        search=DecisionModel(bias=search_bias, weights=search_weights),
        memory=DecisionModel(bias=memory_bias, weights=memory_weights),
    )
    if arguments.json:
        tables = {"search": search_table, "memory": memory_table}
        print(json.dumps({"decisions": decisions.model_dump(), "tables": tables}, indent=2))
    else:
        show("search", decisions.search, search_table)
        show("memory", decisions.memory, memory_table)
    if arguments.write:
        WEIGHTS.write_text(decisions.model_dump_json(indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
