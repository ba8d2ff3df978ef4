"""Gets candidates from GEPA (the `gepa` package): a model rewrites templates after seeing their outcomes.

GEPA only makes proposals, and sees only the reflection questions. We enforce the ceiling, because GEPA exceeds its own.
GEPA gets no folder, so it neither writes nor loads a pickle of its state.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from investigator.asking.budget import BudgetSpent
from investigator.asking.prompts import Prompts
from investigator.errors import MissingPackageError
from investigator.evaluation.questions import Question
from investigator.resources.distribution import install_command
from investigator.tuning.ledger import PROPOSE
from investigator.tuning.proposing import PROPOSING, Workshop
from investigator.tuning.trials import QuestionTrial, TemplateText, Variant

_MINIBATCH = 3
_MOST_ROUNDS = 40  # maximum number of rounds; if all answers are right, GEPA proposes nothing and would never stop
_MOST_REFUSED = 5  # number of consecutive proposals that break a contract, after which the search stops
_FENCE = "```"


def check_installed() -> None:
    """Raise MissingPackageError if gepa is not installed."""
    if find_spec("gepa") is None:
        raise MissingPackageError(
            "--search gepa needs the package gepa", hint=f"Install it with: {install_command('tune')}"
        )


def propose(workshop: Workshop) -> Iterator[Variant]:
    """Yield GEPA's templates, starting with the best on the reflection questions."""
    import gepa

    adapter, ids = GepaAdapter(workshop), [one.id for one in workshop.questions]
    result = gepa.optimize(
        seed_candidate={one.name: one.text for one in workshop.templates},
        trainset=ids,
        valset=ids,
        adapter=adapter,
        reflection_lm=adapter.reflect,
        reflection_prompt_template={one.name: _asked(workshop, one) for one in workshop.templates},
        reflection_minibatch_size=min(_MINIBATCH, len(ids)),
        stop_callbacks=adapter.is_done,
        logger=_Silent(),
        seed=workshop.seed,
    )
    yield from adapter.refused
    ranked = sorted(range(len(result.candidates)), key=lambda at: -result.val_aggregate_scores[at])
    for number in ranked:
        texts = result.candidates[number]
        if number or texts != {one.name: one.text for one in workshop.templates}:
            yield _candidate(texts, f"gepa {number}")


class GepaAdapter:
    """The adapter that GEPA calls: it tries candidates on the reflection questions, and reports the results."""

    propose_new_texts = None

    def __init__(self, workshop: Workshop) -> None:
        self.refused: list[Variant] = []
        self._workshop = workshop
        self._questions: Mapping[str, Question] = {one.id: one for one in workshop.questions}
        self._stopped = False
        self._refused_in_a_row = 0
        self._rounds = 0

    def evaluate(self, batch: Sequence[str], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """Try a candidate on questions; it scores 0 if it breaks a contract, or if a ceiling has been reached."""
        from gepa.core.adapter import EvaluationBatch

        made, trials = _candidate(candidate, f"gepa proposal {self._rounds}"), dict[str, QuestionTrial]()
        refusal = "" if self._stopped else self._workshop.refusal(made)
        if refusal:
            self.refused.append(made)
            self._refused_in_a_row += 1
        elif not self._stopped:
            self._refused_in_a_row *= made.templates == self._workshop.templates
            try:
                trials = dict(self._workshop.try_out(made, batch))
            except BudgetSpent:
                self._stopped = True
        told = [self._told(name, trials.get(name), refusal) for name in batch]
        scores = [self._score(trials.get(name)) for name in batch]
        return EvaluationBatch(outputs=told, scores=scores, trajectories=told if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> Mapping[str, Sequence[Mapping[str, str]]]:
        """Return the outcome of each question, for every template to rewrite."""
        return {name: list(eval_batch.trajectories or ()) for name in components_to_update}

    def reflect(self, prompt: Any) -> str:
        """Ask the proposer's model; return the new template between fences, or the old one if a ceiling is reached."""
        if self._stopped:
            return ""
        try:
            return f"{_FENCE}\n{self._workshop.ask(str(prompt))}\n{_FENCE}"
        except BudgetSpent:
            self._stopped = True
            return ""

    def is_done(self, _: Any) -> bool:
        """Return True if proposing should stop; called before every round."""
        self._rounds += 1
        enough = self._rounds > _MOST_ROUNDS or self._refused_in_a_row >= _MOST_REFUSED
        return self._stopped or enough or self._workshop.is_spent()

    def _score(self, trial: QuestionTrial | None) -> float:
        return (trial.value(self._workshop.measure) or 0.0) if trial is not None else 0.0

    def _told(self, name: str, trial: QuestionTrial | None, refusal: str) -> dict[str, str]:
        """Return the question, the answer given, the right answer, and the score as feedback."""
        question = self._questions[name]
        wanted = [*(question.evidence or ()), *(question.answers or ())]
        right = json.dumps(wanted[:3], ensure_ascii=False) if question.answerable is not False else "unanswerable"
        said = f"{trial.status}: {trial.said}" if trial is not None else "it was not asked"
        score = f"score {self._score(trial):g}; {trial.failure}" if trial is not None else refusal
        return {"question": question.asked, "said": said, "right": right, "feedback": score}


class _Silent:
    """A log that discards all messages, because the trials already show GEPA's progress."""

    def log(self, message: str) -> None:
        """Do nothing."""


def _candidate(texts: Mapping[str, str], name: str) -> Variant:
    templates = tuple(TemplateText(name=one, text=text) for one, text in texts.items())
    return Variant(name=name, templates=templates, origin="gepa")


def _asked(workshop: Workshop, template: TemplateText) -> str:
    """Return the prompt for the proposer with the placeholders that GEPA fills in."""
    prompts = Prompts(None, PROPOSING)
    place = template.changed(text="<curr_param>")
    return prompts.render(prompts.path(PROPOSE), workshop.variables(place, "<side_info>"))
