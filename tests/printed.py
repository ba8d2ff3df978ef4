"""Results in a form that can be compared."""

from __future__ import annotations

import json
from typing import TypeVar

from investigator.records import Answer, Record, Usage
from investigator.reports.schemas import SCHEMA

Kind = TypeVar("Kind", bound=Record)


def printed(kind: type[Kind], text: str) -> Kind:
    """The record behind what a command printed; it names its schema first."""
    fields = json.loads(text)
    assert next(iter(fields)) == SCHEMA
    return kind.model_validate_json(json.dumps({name: fields[name] for name in fields if name != SCHEMA}))


def said(answer: Answer | None) -> Answer | None:
    """An answer without its run and what it cost, which differ from one run to the next."""
    return answer and answer.changed(run_id="", usage=Usage(), elapsed=0.0)
