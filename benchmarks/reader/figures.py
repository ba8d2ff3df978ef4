"""Print what a trained reader is worth: beside what is known without it, in five folds, a question with its twin.

    python benchmarks/reader/figures.py PAIRS.npz READ.npz [READ.npz ...]

PAIRS is what `pairs.py` wrote, with the JSON file beside it; each READ what `read.py` made of it. ROC everywhere.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from train import Rows, roc

sys.path.append(str(Path(__file__).parents[1]))

from fitting import logistic

from investigator.scoring.calibration import log_odds

Array = npt.NDArray[Any]
Pairs = list[tuple[dict[str, Any], float, float]]
"""What a pair belongs to, and what the reader says: that the text answers, that the claim follows."""

_GIVEN = ("given", "table")
_FOLDS = 5
_DRAWS = 1000
_KINDS_OF_FEATURES = (("today", [0, 1]), ("reader", [2]), ("together", [0, 1, 2]))


def main() -> None:
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("read", type=Path, nargs="+")
    arguments = parser.parse_args()
    known = json.loads(arguments.pairs.with_suffix(".json").read_text("utf-8"))
    for path in arguments.read:
        said = dict(np.load(path))
        every = list(zip(known, said["answers"].tolist(), said["follows"].tolist(), strict=True))
        print(f"== {path.stem}")
        for kind, size in sorted({(about["kind"], about["size"]) for about in known if about["kind"] in _GIVEN}):
            show_given(kind, size, [pair for pair in every if (pair[0]["kind"], pair[0].get("size")) == (kind, size)])
        show_spans(known, Rows(dict(np.load(arguments.pairs)), np.arange(len(known))), said["span"])
        show_found([pair for pair in every if pair[0]["kind"] == "found"])
        for name in dict.fromkeys(about["set"] for about in known if about["kind"] == "claim"):
            show_claims(name, [pair for pair in every if pair[0]["kind"] == "claim" and pair[0]["set"] == name])


def show_given(kind: str, size: int, pairs: Pairs) -> None:
    """Print the figures of questions whose passage is given."""
    labels = np.array([int(about["label"]) for about, _, _ in pairs])
    x = np.array([[about["cosine"], about["shared"], said] for about, said, _ in pairs])
    twins = [about["pair"] for about, _, _ in pairs]
    line = [f"{name} {roc(labels, x[:, place]):.3f}" for place, name in enumerate(("cosine", "shared words", "reader"))]
    even = np.ones(len(labels))
    line += [
        f"{name} {roc(labels, crossed(x[:, of], labels, even, twins)):.3f}" for name, of in _KINDS_OF_FEATURES[::2]
    ]
    print(f"{kind}, {size} sentences ({len(pairs)}): {', '.join(line)}")
    for key in ("set", "way"):
        of = np.array([about[key] for about, _, _ in pairs])
        print(
            "   " + ", ".join(f"{name} {roc(labels[of == name], x[of == name, 2]):.2f}" for name in dict.fromkeys(of))
        )


def show_spans(known: list[dict[str, Any]], rows: Rows, said: Array) -> None:
    """Print for each set the F1 of the tokens of the span, and of the whole text, against those of the answer."""
    gold = rows.arrays["span"]
    by: dict[tuple[str, str, int], list[tuple[float, float]]] = defaultdict(list)
    for place in np.flatnonzero(gold[:, 0] >= 0):
        _, text = rows.tokens(place)
        right = text[gold[place, 0] : gold[place, 1] + 1]
        about = known[place]
        by[about["kind"], about["set"], about["size"]].append(
            (_shared(text[said[place, 0] : said[place, 1] + 1], right), _shared(text, right))
        )
    for (kind, name, size), found in sorted(by.items()):
        span, whole = np.mean(found, axis=0)
        print(f"span of {kind}, {name}, {size} sentences ({len(found)}): F1 {span:.3f}, whole text {whole:.3f}")


def _shared(said: Array, right: Array) -> float:
    both = (Counter(said.tolist()) & Counter(right.tolist())).total()
    return 2 * both / max(1, len(said) + len(right))


def show_found(pairs: Pairs) -> None:
    """Print for each set how well replies, and questions by their likeliest reply, are told apart; fitted over all."""
    if not pairs:
        return
    by: dict[tuple[str, str, int], list[tuple[dict[str, Any], float]]] = defaultdict(list)
    for about, said, _ in pairs:
        by[about["set"], about["id"], about["document"]].append((about, said))
    replies = [(pieces[0][0], max(said for _, said in pieces)) for pieces in by.values()]
    x = np.array([[log_odds(about["match"]), log_odds(about["sentence"]), said] for about, said in replies])
    right = np.array([int(about["right"] and about["label"]) for about, _ in replies])
    names = np.array([about["set"] for about, _ in replies])
    weights = np.array([1 / (names == name).sum() for name in names])
    twins = [about["pair"] for about, _ in replies]
    chances = {name: crossed(x[:, of], right, weights, twins) for name, of in _KINDS_OF_FEATURES}
    groups = {name: names == name for name in dict.fromkeys(names)}
    groups["near misses, all"] = np.array(["near" in name for name in names])
    for name, part in groups.items():
        if part.any() and len(set(right[part])) == 2:
            best = {kind: _likeliest(replies, chances[kind], part) for kind in chances}
            line = [f"{kind} {roc(right[part], chances[kind][part]):.3f}/{roc(*best[kind]):.3f}" for kind in chances]
            low, high = _interval(replies, chances, part)
            print(
                f"{name} ({len(best['today'][0])}), reply/question: {', '.join(line)}; gain {low:+.3f} to {high:+.3f}"
            )


def _likeliest(replies: Sequence[tuple[dict[str, Any], float]], chances: Array, part: Array) -> tuple[Array, Array]:
    """Whether each question has an answer, and the chance of its likeliest reply."""
    best: dict[str, float] = defaultdict(float)
    labels: dict[str, int] = {}
    for place in np.flatnonzero(part):
        about = replies[place][0]
        labels[about["id"]] = int(about["label"])
        best[about["id"]] = max(best[about["id"]], chances[place])
    return np.array(list(labels.values())), np.array([best[name] for name in labels])


def _interval(
    replies: Sequence[tuple[dict[str, Any], float]], chances: dict[str, Array], part: Array
) -> tuple[float, float]:
    """The middle 95 % of what is gained over questions, under draws of twins with replacement."""
    labels, before = _likeliest(replies, chances["today"], part)
    _, after = _likeliest(replies, chances["together"], part)
    twin: dict[str, str] = {replies[place][0]["id"]: replies[place][0]["pair"] for place in np.flatnonzero(part)}
    names = np.array(list(twin.values()))
    groups = [np.flatnonzero(names == name) for name in dict.fromkeys(names)]
    random = np.random.default_rng(0)
    gains = []
    for _ in range(_DRAWS):
        drawn = np.concatenate([groups[place] for place in random.integers(0, len(groups), len(groups))])
        gains.append(roc(labels[drawn], after[drawn]) - roc(labels[drawn], before[drawn]))
    return float(np.nanquantile(gains, 0.025)), float(np.nanquantile(gains, 0.975))


def show_claims(name: str, pairs: Pairs) -> None:
    """Print how well claims are told apart; of the pieces of a text the best counts."""
    best: dict[str, float] = {}
    labels: dict[str, int] = {}
    for about, _, said in pairs:
        labels[about["id"]] = int(about["label"])
        best[about["id"]] = max(best.get(about["id"], said), said)
    label, said = np.array(list(labels.values())), np.array([best[one] for one in labels])
    accepted, refused = float((said[label == 1] >= 0).mean()), float((said[label == 0] < 0).mean())
    bar = np.quantile(said[label == 1], 0.05)
    tight = float((said[label == 0] < bar).mean())
    print(
        f"claims of {name} ({len(label)}): ROC {roc(label, said):.3f}, balanced accuracy "
        f"{(accepted + refused) / 2:.3f} (true accepted {accepted:.3f}, false refused {refused:.3f});"
        f" with 95 % of the true accepted {tight:.3f} refused"
    )


def crossed(x: Array, labels: Array, weights: Array, twins: Sequence[str]) -> Array:
    """Return the chance of each row under a model fitted to the other folds; twins are in one fold."""
    names = list(dict.fromkeys(twins))
    fold = dict(zip(names, np.random.default_rng(0).permutation(len(names)) % _FOLDS, strict=True))
    of = np.array([fold[name] for name in twins])
    chances = np.zeros(len(labels))
    for number in range(_FOLDS):
        train = of != number
        fit = logistic(x[train], labels[train].astype(float), weights[train])
        chances[of == number] = fit.chances(x[of == number])
    return chances


if __name__ == "__main__":
    main()
