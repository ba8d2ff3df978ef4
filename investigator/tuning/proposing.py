"""The interface for a proposer: its input, and the candidates that it creates during a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from investigator.asking.contracts import METHOD, Contract
from investigator.evaluation.measures import Measure
from investigator.evaluation.questions import Question
from investigator.records import Record
from investigator.tuning.trials import QuestionTrial, TemplateText, Variant


class ProposeVariables(Record):
    """The variables of a proposer's prompt: a template, its results, and its contract."""

    template: str
    results: str
    must_use: tuple[str, ...]
    variables: tuple[str, ...]
    must_name: tuple[str, ...]


class ProposeReply(Record):
    """The reply of a proposer: the full text of a template."""

    template: str = Field(min_length=1)


PROPOSING: Mapping[str, Contract] = {
    "tuning/propose": Contract(ProposeVariables, ProposeReply, ("template", "results"), ("template",))
}


@dataclass(frozen=True)
class Workshop:
    """The tools of a proposer: the templates to improve, the reflection questions, a way to try candidates on them, and
    a model. `try_out` tries a candidate on the questions with the given ids; `refusal` returns the reason if a
    candidate breaks its contract, otherwise "". `ask` sends a filled-in `prompts/tuning/propose.j2` to the proposer's
    model and returns the new text. All three functions raise the signal BudgetSpent when a ceiling is reached; once
    `is_spent` is True, the budget for proposing is used up and no more candidates are accepted.
    """

    templates: tuple[TemplateText, ...]
    questions: tuple[Question, ...]
    measure: Measure
    seed: int
    try_out: Callable[[Variant, Sequence[str]], Mapping[str, QuestionTrial]]
    refusal: Callable[[Variant], str]
    ask: Callable[[str], str]
    is_spent: Callable[[], bool]

    def variables(self, template: TemplateText, results: str) -> ProposeVariables:
        """Return the variables that `prompts/tuning/propose.j2` needs for a template."""
        contract = METHOD[template.name]
        return ProposeVariables(
            template=template.text,
            results=results,
            must_use=contract.must_use,
            variables=tuple(contract.variables.model_fields),
            must_name=contract.must_name,
        )


class Proposer(Protocol):
    """Creates candidates; see `proposers`."""

    def __call__(self, workshop: Workshop) -> Iterable[Variant]: ...
