"""Puts the constraints of a question into words for readers."""

from __future__ import annotations

from investigator.questions.constraints import IN_UNIT, NOT
from investigator.questions.cues import cues
from investigator.questions.phases import Phase, phases_named
from investigator.questions.roles import subject_and_verb
from investigator.records import Constraint, ConstraintKind


def named(one: Constraint) -> str:
    """Return the words that describe a constraint in messages such as "not established: ..."."""
    match one.kind:
        case ConstraintKind.ANSWER_TYPE:
            return f"{cues('named_types').get(one.text, one.text)} as the answer"
        case ConstraintKind.QUANTITY:
            kind, _, counted = one.text.partition(" of ")
            if one.text.startswith(IN_UNIT):
                return f"a figure {one.text}"
            unit = cues("named_figures").get(one.text, one.text)
            return f"a number of {counted}" if counted and kind == "count" else unit
        case ConstraintKind.PHASE:
            return " and ".join(cues("named_phases")[phase] for phase in Phase if phase in phases_named(one.text))
        case ConstraintKind.MODALITY:
            return "that it has happened"
        case ConstraintKind.ROLE:
            thing, verb = subject_and_verb(one.text)
            return f'that "{verb}" applies to "{thing}"'
        case ConstraintKind.CONDITION if one.text.startswith(NOT):
            return f"that it is {one.text}"
        case _:
            return f"{cues('named_kinds')[one.kind]} {one.text}"
