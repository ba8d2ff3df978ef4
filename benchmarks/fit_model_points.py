"""Fits the rule that combines a language model's point with the search's point: data/model_points.json.

    python benchmarks/fit_model_points.py MODEL SET_DIR [SET_DIR ...] --samples FILE.jsonl [--questions N] [--set K=V]
        [--write] [--json] [--workspaces DIR]

MODEL is `provider:name` as in `investigator ask --model`. Each SET_DIR contains `questions.dev.jsonl` and `docs_dev`.
For each question, the benchmark asks the likeliest document, the third likeliest and, if neither is right, a right one.
A reply is right if its document is in the `doc_ids` of an answerable question, and its passages contain a piece of the
`evidence`. Samples are stored in FILE, so that a stopped run can resume. Figures come from five-fold cross-validation
over questions.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fitting import calibration_error, logistic
from sklearn.metrics import roc_auc_score

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.base import Engine
from investigator.engines.catalogue import open_engine
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.factories import EngineOptions
from investigator.engines.roles import Role
from investigator.evaluation.evidence_match import holds
from investigator.evidence.quotes import Sources
from investigator.investigator import Investigator
from investigator.records import QuestionVariables, Record
from investigator.research.critical_thinking import own_words
from investigator.research.method_settings import DEFAULT_MISSION
from investigator.research.query import DocumentQuery
from investigator.retrieval.library import Library
from investigator.scoring.calibration import Logistic
from investigator.scoring.model_points import PointFeatures, PointRule, default_rules
from investigator.settings import load_settings
from investigator.store.in_memory import InMemoryJournal

DATA = Path(__file__).parents[1] / "data/model_points.json"
FEATURES = ("model_odds", "search_odds", "proven")
FOLDS = 5


class Sample(Record):
    """One reply: the question, the document, both points, and whether the reply is right."""

    set: str
    question: str
    document_id: str
    model: int | None
    search: int
    proven: bool
    right: bool

    @property
    def features(self) -> PointFeatures:
        """Return the input of the rule; a point that could not be read counts as 50."""
        model = 50 if self.model is None else self.model
        return PointFeatures(model=model / 100, search=self.search / 100, proven=self.proven)


@dataclass(frozen=True)
class Asking:
    """The components needed to ask a document of a folder."""

    library: Library
    client: EngineClient
    prompts: Prompts

    def sample(self, name: str, row: Mapping[str, object], document_id: str) -> Sample:
        """Ask one document, and return the sample."""
        question = str(row["question"])
        sources = Sources(self.library.document)
        query = DocumentQuery(question, DEFAULT_MISSION, own_words(question), self.client, self.library, sources)
        variables = QuestionVariables(document_id=document_id, purpose=question, perspectives="")
        wording = self.prompts.render(self.prompts.path("tactical_planning/question"), variables)
        finding = query.examine(document_id, wording)
        passages = self.library.passages((question, wording), document_id)
        evidence = [str(piece) for piece in row.get("evidence") or ()]  # type: ignore[attr-defined]
        is_right = bool(row["answerable"]) and document_id in row["doc_ids"]  # type: ignore[operator]
        held = is_right and (not evidence or any(holds(p.text, piece) for p in passages for piece in evidence))
        return Sample(
            set=name,
            question=question,
            document_id=document_id,
            model=finding.model_point,
            search=finding.search_point or 0,
            proven=bool(finding.quotes) and not finding.quoted_by_search,
            right=held,
        )


def asked(
    engine: Engine, folder: Path, questions: int, workspaces: Path, known: set[tuple[str, str]]
) -> Iterator[Sample]:
    """Yield the samples of a set that are not yet known."""
    lines = (folder / "questions.dev.jsonl").read_text("utf-8").splitlines()
    embedder = SentenceTransformerEmbedder()
    second = ExtractiveEngine(CachedEmbedder(embedder))
    prompts = Prompts()
    client = EngineClient({role: engine for role in Role}, prompts, InMemoryJournal(), time.monotonic, second=second)
    with Investigator(folder / "docs_dev", workspace=workspaces / folder.name, embedder=embedder).library() as library:
        asking = Asking(library, client, prompts)
        for line in lines[:: max(1, len(lines) // questions)][:questions]:
            row = json.loads(line)
            ranked = [entry.document_id for entry in library.standings(row["question"])]
            chosen = [*ranked[:1], *ranked[2:3]]
            chosen += [i for i in row["doc_ids"] if row["answerable"] and i in ranked and i not in chosen][:1]
            for document_id in chosen:
                if (row["question"], document_id) not in known:
                    yield asking.sample(folder.name, row, document_id)


def chances(samples: list[Sample]) -> np.ndarray:  # type: ignore[type-arg]
    """Return the combined probability of each sample, from models fitted to the questions of the other folds."""
    fold_of = {question: i % FOLDS for i, question in enumerate(sorted({s.question for s in samples}))}
    found = np.zeros(len(samples))
    for fold in range(FOLDS):
        model = fitted([s for s in samples if fold_of[s.question] != fold])
        for i, sample in enumerate(samples):
            if fold_of[sample.question] == fold:
                found[i] = model.chance(sample.features)
    return found


def fitted(samples: list[Sample]) -> Logistic:
    """Return the rule fitted to some samples."""
    x = np.array([[float(getattr(s.features, name)) for name in FEATURES] for s in samples])
    fit = logistic(x, np.array([float(s.right) for s in samples]), np.ones(len(samples)))
    weights = {name: round(float(weight), 3) for name, weight in zip(FEATURES, fit.weights, strict=True)}
    return Logistic(bias=round(fit.bias, 3), weights=weights)


def table(samples: list[Sample]) -> list[dict[str, object]]:
    """Return ROC AUC and the calibration error of the model's, the search's and the combined point."""
    right = np.array([float(s.right) for s in samples])
    points = {
        "model alone": np.array([s.features.model for s in samples]),
        "search alone": np.array([s.features.search for s in samples]),
        "combined": chances(samples),
    }
    return [
        {"point": name, "roc": float(roc_auc_score(right, value)), "calibration_error": calibration_error(value, right)}
        for name, value in points.items()
    ]


def write(rule: PointRule) -> None:
    """Add a rule to the shipped rules."""
    rules = default_rules()
    others = tuple(old for old in rules.measured if old.models != rule.models)
    rules = rules.changed(measured=(*others, rule))
    DATA.write_text(rules.model_dump_json(indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Parse the arguments, ask, fit the rule, and print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--samples", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=25, help="number of questions from each set")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    arguments = parser.parse_args()
    settings = load_settings(None, arguments.overrides)
    embedder = SentenceTransformerEmbedder()
    options = EngineOptions(lambda: ExtractiveEngine(embedder), chat=settings.chat, gguf=settings.gguf, on_notice=print)
    engine = open_engine(arguments.model, options)
    lines = arguments.samples.read_text("utf-8").splitlines() if arguments.samples.exists() else []
    samples = [Sample.model_validate_json(line) for line in lines]
    with arguments.samples.open("a", encoding="utf-8") as file:
        for folder in arguments.sets:
            known = {(s.question, s.document_id) for s in samples}
            for sample in asked(engine, folder, arguments.questions, arguments.workspaces, known):
                samples.append(sample)
                print(sample.model_dump_json(), file=file, flush=True)
    rows = table(samples)
    rule = PointRule(
        models=f"{engine.name.partition('@')[0].rpartition('.')[0] or engine.name.partition('@')[0]}*",
        apart=0,
        logistic=fitted(samples),
        fitted_on=f"{engine.name}: {len(samples)} replies to {len({s.question for s in samples})} questions",
    )
    if arguments.json:
        print(json.dumps({"rows": rows, "rule": rule.model_dump(mode="json")}, indent=2))
    else:
        right, unread = sum(s.right for s in samples), sum(s.model is None for s in samples)
        print(f"{len(samples)} replies, {right} right, {unread} unread")
        for row in rows:
            print(f"{row['point']:14} ROC {row['roc']:.3f}  calibration error {row['calibration_error']:.3f}")
        print(rule.model_dump_json())
    if arguments.write:
        write(rule)


if __name__ == "__main__":
    main()
