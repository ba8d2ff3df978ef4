"""Fit the weights that turn features of an extractive reply into its point.

    python benchmarks/fit_points.py SET_DIR [SET_DIR ...] [--write] [--limit N] [--json]

Each SET_DIR holds `questions.dev.jsonl` (rows with id, question, answerable, doc_ids) and the folder `docs_dev`.
For each question the three likeliest documents are asked by the extractive engine; a reply counts as right when the
question is answerable and the document is one of its `doc_ids`. The weights are a logistic regression; discrimination
(area under the ROC curve) and calibration (expected calibration error, ten bins) are those of five-fold
cross-validation over questions. `--write` stores the weights that ship.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from investigator.build import Investigator
from investigator.engines.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive.asking import features_of
from investigator.engines.extractive.calibration import Features, Weights
from investigator.engines.extractive.thinking import think
from investigator.records import AskVariables, ThinkVariables

WEIGHTS = Path(__file__).parents[1] / "investigator/engines/extractive/weights.json"
DOCUMENTS = 3


def samples(folder: Path, limit: int | None, workspaces: Path) -> list[tuple[str, Features, bool]]:
    """(question id, features, right) for the likeliest documents of each question of a set."""
    rows = [json.loads(line) for line in (folder / "questions.dev.jsonl").read_text("utf-8").splitlines()][:limit]
    embedder = SentenceTransformerEmbedder()
    found = []
    investigator = Investigator(folder / "docs_dev", workspace=workspaces / folder.name, embedder=embedder)
    for _ in investigator.index(vectors=True):  # the points are fitted to the search over everything
        pass
    with investigator.library() as library:
        for row in rows:
            question = row["question"]
            cards = library.cards((question,))
            thought = ThinkVariables(
                question=question,
                mission="-",
                strategy="-",
                documents=(),
                document_count=len(cards),
                term_frequencies=library.term_frequencies(question),
            )
            needs = think(thought).needs
            for card in cards[:DOCUMENTS]:
                variables = AskVariables(
                    main_question=question,
                    mission="-",
                    sub_question=question,
                    document_id=card.document_id,
                    document_title=card.title,
                    needs=needs,
                    passages=library.passages((question,), card.document_id),
                )
                right = row["answerable"] and card.document_id in row["doc_ids"]
                found.append((f"{folder.name}/{row['id']}", features_of(variables, embedder), right))
    return found


def calibration_error(chances: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """Expected calibration error: how far chances are from frequencies, averaged over bins of equal width."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = [abs(chances[place == b].mean() - right[place == b].mean()) * (place == b).sum() for b in set(place)]
    return float(sum(gaps) / len(chances))


def main() -> None:
    """Read the arguments, fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    arguments = parser.parse_args()
    names = list(Features.model_fields)
    rows = [row for folder in arguments.sets for row in samples(folder, arguments.limit, arguments.workspaces)]
    groups = np.array([group for group, _, _ in rows])
    sets = np.array([group.split("/")[0] for group in groups])
    x = np.array([[getattr(features, name) for name in names] for _, features, _ in rows])
    y = np.array([right for _, _, right in rows], dtype=int)
    share = {name: 1 / (sets == name).sum() for name in set(sets)}
    weight = np.array([share[name] for name in sets]) * len(sets) / len(share)
    model = LogisticRegression(C=10.0, max_iter=1000)
    chances = cross_val_predict(
        model, x, y, groups=groups, cv=GroupKFold(5), method="predict_proba", params={"sample_weight": weight}
    )[:, 1]
    model.fit(x, y, sample_weight=weight)
    fitted = {"bias": model.intercept_[0], **dict(zip(names, model.coef_[0], strict=True))}
    weights = Weights.model_validate({name: round(float(value), 3) for name, value in fitted.items()})
    table = [
        {
            "set": name,
            "replies": int((sets == name).sum()),
            "right": float(y[sets == name].mean()),
            "roc_auc": float(roc_auc_score(y[sets == name], chances[sets == name])),
            "calibration_error": calibration_error(chances[sets == name], y[sets == name]),
        }
        for name in sorted(share)
    ]
    table.append(
        {
            "set": "all",
            "replies": len(y),
            "right": float(y.mean()),
            "roc_auc": float(roc_auc_score(y, chances)),
            "calibration_error": calibration_error(chances, y),
        }
    )
    if arguments.json:
        print(json.dumps({"weights": weights.model_dump(), "table": table}, indent=2))
    else:
        for line in table:
            print("  ".join(f"{value:.3f}" if isinstance(value, float) else str(value) for value in line.values()))
        print(weights.model_dump_json())
    if arguments.write:
        WEIGHTS.write_text(weights.model_dump_json(indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
