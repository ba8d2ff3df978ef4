"""Plans a tuning run: determines its data and its maximum cost, without paid calls."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from investigator.engines.base import traits_of
from investigator.engines.roles import Role
from investigator.evaluation.evidence_match import plain
from investigator.evaluation.folder import FolderEvaluation
from investigator.evaluation.questions import Question
from investigator.evaluation.rightness import grounds_of
from investigator.records import Record, Usage, together
from investigator.store.corpus import Corpus
from investigator.store.workspace import Workspace
from investigator.tuning.racing import race_trials
from investigator.tuning.records import TuningPlan
from investigator.tuning.search import HEADROOM, MOST_CANDIDATES, REPETITIONS
from investigator.tuning.splitting import QuestionSets
from investigator.tuning.statistics import detectable

_FORETOLD = 2  # number of questions whose cost is forecast


class Data(Record):
    """The identity of a run's questions and documents, and the group of identical texts that each named document
    belongs to.
    """

    digest: str
    twins: dict[str, str]


def data_of(workspace: Path, questions: Sequence[Question]) -> Data:
    """Return the data for a run; the folder's index must be up to date. Raises StoreError."""
    named = {name for one in questions for name in one.named_documents}
    twins: dict[str, str] = {}
    with Workspace(workspace, write=False) as opened:
        corpus = Corpus(opened.index)
        held = named.intersection(corpus.document_ids())
        texts = {name: plain(corpus.document(name).text) for name in sorted(held)}
        digest = hashlib.sha256(corpus.fingerprint().encode())
    for name, text in texts.items():
        twins[name] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    for question in questions:
        digest.update(question.model_dump_json().encode("utf-8", "surrogatepass"))
    return Data(digest=digest.hexdigest()[:16], twins=twins)


def planned(
    sets: QuestionSets, baseline: FolderEvaluation, candidates: int | None, clock: Callable[[], float] = time.monotonic
) -> TuningPlan:
    """Return the plan for a search among the given number of candidates; None means that a proposer creates them. The
    cost per question is forecast from the first questions with the built-in engine; the time per call is measured for
    that engine, or taken from earlier calls to the same model in this workspace.
    """
    first, *others = sets.select[:_FORETOLD]
    warm, began = baseline.forecast(first).expected, clock()
    others_expected = together(*(baseline.forecast(one).expected for one in others))
    seconds = (clock() - began) / max(1, others_expected.calls)
    expected = together(warm, others_expected)
    engine = baseline.engines[Role.ASK]
    varies = any(traits_of(one).is_model for one in baseline.engines.values())
    known = baseline.usual_seconds(engine) if varies else seconds
    race = race_trials(min(candidates if candidates is not None else 16, MOST_CANDIDATES), len(sets.select))
    trials = (HEADROOM * REPETITIONS if varies else 0) + race + 2 * len(sets.test)
    whole = _times(expected, trials / _FORETOLD)
    return TuningPlan(
        reflect=len(sets.reflect),
        select=len(sets.select),
        test=len(sets.test),
        judged=grounds_of((*sets.select, *sets.test)),
        candidates=candidates,
        trials=trials,
        calls=whole.calls,
        tokens=whole.tokens if varies else 0,
        money=whole.money,
        unpriced=bool(whole.unpriced),
        minutes=None if known is None else whole.calls * known / 60,
        shows=detectable(len(sets.test)),
    )


def _times(usage: Usage, factor: float) -> Usage:
    return Usage(
        calls=round(usage.calls * factor),
        input_tokens=round(usage.input_tokens * factor),
        output_tokens=round(usage.output_tokens * factor),
        money=usage.money * factor,
        unpriced=round(usage.unpriced * factor),
    )
