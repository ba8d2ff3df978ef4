"""Puts the constraints of a question into words for readers."""

from __future__ import annotations

from collections.abc import Mapping

from investigator.questions.answer_types import AnswerType
from investigator.questions.constraints import IN_UNIT, NOT
from investigator.questions.phases import Phase, phases_named
from investigator.questions.roles import subject_and_verb
from investigator.records import Constraint, ConstraintKind

_KINDS: Mapping[ConstraintKind, str] = {
    ConstraintKind.ATTRIBUTE: "that it is about",
    ConstraintKind.ENTITY: "that it is about",
    ConstraintKind.PERIOD: "the period",
    ConstraintKind.PLACE: "the place",
    ConstraintKind.CONDITION: "the condition",
    ConstraintKind.DIRECTION: "the direction",
}
_PHASES: Mapping[str, str] = {Phase.BEGIN: "when it begins", Phase.END: "when it ends", Phase.DUE: "when it is due"}
_TYPES: Mapping[str, str] = {
    AnswerType.NUMBER: "a number",
    AnswerType.DATE: "a time or date",
    AnswerType.NAME: "a name",
    AnswerType.PLACE: "a place",
    AnswerType.REASON: "a reason",
    AnswerType.COMPARISON: "a comparison",
    AnswerType.MEANING: "what it means",
}
_QUANTITIES: Mapping[str, str] = {
    "median": "a median",
    "mean": "an average",
    "maximum": "the largest value",
    "minimum": "the smallest value",
    "share": "a share or percentage",
    "money": "an amount of money",
    "count": "a count",
    "depth": "how deep it is",
    "height": "how high it is",
    "duration": "how long it is",
    "age": "how old it is",
    "weight": "how heavy it is",
    "distance": "how far it is",
    "temperature": "a temperature",
    "speed": "how fast it is",
}


def named(one: Constraint) -> str:
    """Return the wording of a constraint that follows "not established:"."""
    match one.kind:
        case ConstraintKind.ANSWER_TYPE:
            return f"{_TYPES.get(one.text, one.text)} as the answer"
        case ConstraintKind.QUANTITY:
            kind, _, counted = one.text.partition(" of ")
            unit = f"a figure {one.text}" if one.text.startswith(IN_UNIT) else _QUANTITIES.get(one.text, one.text)
            return f"a number of {counted}" if counted and kind == "count" else unit
        case ConstraintKind.PHASE:
            return " and ".join(_PHASES[phase] for phase in Phase if phase in phases_named(one.text)) or one.text
        case ConstraintKind.MODALITY:
            return "that it has happened"
        case ConstraintKind.ROLE:
            thing, verb = subject_and_verb(one.text)
            return f'that "{verb}" is said of "{thing}"'
        case ConstraintKind.CONDITION if one.text.startswith(NOT):
            return f"that it is {one.text}"
        case _:
            return f"{_KINDS[one.kind]} {one.text}"
