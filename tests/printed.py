"""Printed results in a form that can be compared."""

from __future__ import annotations

import json
from typing import TypeVar

from investigator.records import Answer, Record, Usage
from investigator.reports.schemas import SCHEMA

Kind = TypeVar("Kind", bound=Record)


def printed(kind: type[Kind], text: str) -> Kind:
    """Return the record that a command printed; the output begins with the name of its schema."""
    fields = json.loads(text)
    assert next(iter(fields)) == SCHEMA
    return kind.model_validate_json(json.dumps({name: fields[name] for name in fields if name != SCHEMA}))


def said(answer: Answer | None) -> Answer | None:
    """Return an answer without its run and its cost, which differ between runs."""
    return answer and answer.changed(run=answer.run.changed(id="", usage=Usage(), elapsed=0.0))
