"""The contracts of the method's templates, which define the variables and the expected reply of each template."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice

from investigator.asking.template_process import safely_read
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskReply,
    AskVariables,
    CheckReply,
    CheckVariables,
    ExtractReply,
    ExtractVariables,
    OutlineReply,
    OutlineVariables,
    PlanReply,
    PlanVariables,
    QuestionVariables,
    Record,
    ReflectReply,
    ReflectVariables,
    RepairVariables,
    RowReply,
    RowVariables,
    SectionReply,
    SectionVariables,
    SummaryReply,
    SummaryVariables,
    TemplateProblem,
)
from investigator.resources import data_text

SYNTAX = (
    "Templates are written in Jinja2 (https://jinja.palletsprojects.com/templates/), with the additional filters data, "
    "line and attribute for text from documents, and number."
)
_MOST_PROBLEMS = 20  # maximum number of problems reported for one file


@dataclass(frozen=True)
class Contract:
    """The record type of a template's variables and, if an engine replies to it, that of the reply.

    `must_use` are the variables without which the engine would lack information, `must_name` the field names without
    which its reply could not be parsed.
    """

    variables: type[Record]
    reply: type[Record] | None = None
    must_use: tuple[str, ...] = ()
    must_name: tuple[str, ...] = ()


METHOD: Mapping[str, Contract] = {
    "planner/plan": Contract(
        PlanVariables, PlanReply, ("question", "documents"), ("parts", "scope", "steps", "document_id", "purpose")
    ),
    "tactical_planning/question": Contract(QuestionVariables, must_use=("purpose",)),
    "tactical_planning/summary": Contract(QuestionVariables, must_use=("purpose",)),
    "query/ask": Contract(
        AskVariables,
        AskReply,
        ("main_question", "documents"),
        ("readings", "document", "verdict", "point", "quotes", "reply"),
    ),
    "query/row": Contract(
        RowVariables, RowReply, ("questions", "document"), ("answers", "question", "verdict", "quotes", "answer")
    ),
    "query/extract": Contract(
        ExtractVariables, ExtractReply, ("columns", "document"), ("cells", "column", "verdict", "values", "quotes")
    ),
    "reflection/reflect": Contract(
        ReflectVariables, ReflectReply, ("question", "memories"), ("known", "unknown", "wordings")
    ),
    "answer/answer": Contract(
        AnswerVariables, AnswerReply, ("question", "documents"), ("lead", "details", "text", "evidence", "parts")
    ),
    "answer/check": Contract(
        CheckVariables, CheckReply, ("question", "statements", "documents"), ("statements", "number", "support")
    ),
    "report/outline": Contract(
        OutlineVariables, OutlineReply, ("subject", "documents"), ("parts", "heading", "questions")
    ),
    "report/section": Contract(
        SectionVariables, SectionReply, ("heading", "documents"), ("paragraphs", "text", "evidence")
    ),
    "report/summary": Contract(SummaryVariables, SummaryReply, ("sections",), ("paragraphs", "text", "evidence")),
    "asking/repair": Contract(RepairVariables, must_use=("prompt",)),
}
"""The method's templates, keyed by name (`owner/name`)."""


@cache
def example_of(variables: type[Record]) -> Record:
    """Return example values for the variables of a contract, for display and for testing a template before use."""
    return variables.model_validate(json.loads(data_text("template_examples.json"))[variables.__name__])


def check_template(file: str, source: str, contract: Contract) -> tuple[TemplateProblem, ...]:
    """Check the text of one template against its contract, and render it with example values. The problems refer to it
    as `file`.
    """
    problems = islice(_problems(source, contract), _MOST_PROBLEMS)
    return tuple(TemplateProblem(file=file, line=line, problem=text, hint=hint) for line, text, hint in problems)


def _problems(source: str, contract: Contract) -> Iterator[tuple[int | None, str, str]]:
    """Yield the line of each problem, if known, its description and a hint."""
    read, known = safely_read(source), contract.variables.model_fields
    if read.fault:
        yield (*read.fault, SYNTAX)
        return
    unknown = sorted((line, name) for name, line in read.names.items() if name not in known)
    for line, name in unknown:
        yield line, f"unknown variable {name!r}", f"This template may use: {', '.join(sorted(known))}."
    if not unknown and (fault := safely_read(source, example_of(contract.variables).plain()).fault):
        yield (*fault, SYNTAX)
    for name in contract.must_use:
        if name not in read.names:
            yield None, f"the variable {name!r} is missing", f"Add {{{{ {name} }}}}: the engine needs it."
    for field in contract.must_name:
        if not re.search(rf"\b{field}\b", read.own_words):
            fields = ", ".join(map(repr, contract.must_name))
            yield None, f"the reply field {field!r} is not requested", f"Name the fields of the reply: {fields}."
