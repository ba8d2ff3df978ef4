"""Example values for the variables of templates: to show them, and to test a template before use."""

from __future__ import annotations

import json
from functools import cache

from investigator.records import Record
from investigator.resources import data_text


@cache
def example_of(variables: type[Record]) -> Record:
    """Return example values for the variables of a contract."""
    return variables.model_validate(json.loads(data_text("template_examples.json"))[variables.__name__])
