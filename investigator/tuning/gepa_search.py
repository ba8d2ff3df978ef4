"""Gets candidates from GEPA (the `gepa` package): a model rewrites templates after seeing their outcomes.

GEPA only makes proposals, and sees only the reflection questions. We enforce the ceiling, because GEPA exceeds its own.
GEPA gets no folder, so it neither writes nor loads a pickle of its state.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from investigator.asking.budget import BudgetSpent
from investigator.asking.prompts import Prompts
from investigator.evaluation.outcomes import Outcome
from investigator.tuning.candidates import Variant
from investigator.tuning.proposing import PROPOSE, PROPOSING, Workshop

_MINIBATCH = 3
_MOST_ROUNDS = 40  # maximum number of rounds; if all answers are right, GEPA proposes nothing and would never stop
_MOST_REFUSED = 5  # number of consecutive proposals that break a contract, after which the search stops
_SHOWN = 400  # maximum number of characters of an answer


def propose(workshop: Workshop) -> Iterator[Variant]:
    """Yield GEPA's templates, starting with the best on the reflection questions."""
    import gepa

    prompts, adapter = Prompts(None, PROPOSING), GepaAdapter(workshop)
    ids = [question.id for question in workshop.questions]
    prompt_of = {  # with the placeholders that GEPA fills in
        name: prompts.render(prompts.path(PROPOSE), workshop.variables(name, "<curr_param>", "<side_info>"))
        for name in workshop.templates
    }
    seed = dict(workshop.templates)
    result = gepa.optimize(
        seed_candidate=seed,
        trainset=ids,
        valset=ids,
        adapter=adapter,
        reflection_lm=adapter.reflect,
        reflection_prompt_template=prompt_of,
        reflection_minibatch_size=min(_MINIBATCH, len(ids)),
        stop_callbacks=adapter.is_done,
        logger=adapter,
        seed=workshop.seed,
    )
    yield from adapter.refused
    for number in sorted(range(len(result.candidates)), key=lambda at: -result.val_aggregate_scores[at]):
        if result.candidates[number] != seed:
            yield Variant(name=f"gepa {number}", templates=result.candidates[number])


class GepaAdapter:
    """The adapter that GEPA calls: it tries candidates on the reflection questions, and reports the results."""

    propose_new_texts = None

    def __init__(self, workshop: Workshop) -> None:
        self.refused: list[Variant] = []
        self._workshop = workshop
        self._questions = {question.id: question for question in workshop.questions}
        self._stopped = False
        self._refused_in_a_row = 0
        self._rounds = 0

    def evaluate(self, batch: Sequence[str], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """Try a candidate on questions; it scores 0 if it breaks a contract, or if a ceiling has been reached."""
        from gepa.core.adapter import EvaluationBatch

        made = Variant(name=f"gepa proposal {self._rounds}", templates=dict(candidate))
        outcomes: Mapping[str, Outcome] = {}
        refusal = "" if self._stopped else self._workshop.refusal(made)
        if refusal:
            self.refused.append(made)
            self._refused_in_a_row += 1
        elif not self._stopped:
            self._refused_in_a_row *= made.templates == self._workshop.templates
            try:
                outcomes = self._workshop.try_out(made, batch)
            except BudgetSpent:
                self._stopped = True
        scores = {name: outcome.value(self._workshop.measure) or 0.0 for name, outcome in outcomes.items()}
        shown = [self._shown(name, outcomes.get(name), refusal or f"score {scores.get(name, 0.0):g}") for name in batch]
        values = [scores.get(name, 0.0) for name in batch]
        return EvaluationBatch(outputs=shown, scores=values, trajectories=shown if capture_traces else None)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: Any, components_to_update: Sequence[str]
    ) -> Mapping[str, Sequence[Mapping[str, str]]]:
        """Return the outcome of each question, for every template to rewrite."""
        return {name: list(eval_batch.trajectories or ()) for name in components_to_update}

    def reflect(self, prompt: Any) -> str:
        """Ask the proposer's model; return the new template between fences, or "" if a ceiling is reached."""
        try:
            return "" if self._stopped else f"```\n{self._workshop.ask(str(prompt))}\n```"
        except BudgetSpent:
            self._stopped = True
            return ""

    def is_done(self, _: Any) -> bool:
        """Return True if proposing should stop; called before every round."""
        self._rounds += 1
        enough = self._rounds > _MOST_ROUNDS or self._refused_in_a_row >= _MOST_REFUSED
        return self._stopped or enough or self._workshop.is_spent()

    def log(self, message: str) -> None:
        """Discard GEPA's messages, because the evaluations already show its progress."""

    def _shown(self, name: str, outcome: Outcome | None, feedback: str) -> dict[str, str]:
        question, answer = self._questions[name], "it was not asked"
        if outcome is not None:
            answer, feedback = f"{outcome.status}: {outcome.answer[:_SHOWN]}", f"{feedback}; {outcome.failure}"
        wanted = [*(question.evidence or ()), *(question.answers or ())]
        right = json.dumps(wanted[:3], ensure_ascii=False) if question.answerable is not False else "unanswerable"
        return {"question": question.wording, "said": answer, "right": right, "feedback": feedback}
