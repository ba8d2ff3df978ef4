"""The JSON that commands print: each kind has a schema derived from its record.

The version changes if a field is removed or changes its meaning, but not if a field is added.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter

from investigator.records import Record

SCHEMA = "schema"
"""The name of the first field in printed JSON."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_VERSIONS: Mapping[str, int] = {
    **dict.fromkeys(("investigation", "questions", "replay", "folder_evaluation", "comparison", "tuning"), 3),
    **dict.fromkeys(("matrix", "runs", "claims_evaluation"), 2),
    **dict.fromkeys(("retrieval_evaluation", "template_trial", "template_variables", "templates", "memory"), 2),
}
"""Versions above 1, keyed by the name of the kind."""


class Printed(StrEnum):
    """The kinds of JSON that commands print, each with its record."""

    record: str

    def __new__(cls, name: str, record: str) -> Printed:
        """Create a kind with its name and `record` (`module:name`), which is imported when its schema is requested."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.record = record
        return kind

    INVESTIGATION = "investigation", "records:Investigation"
    FORECAST = "forecast", "records:Forecast"
    QUESTIONS = "questions", "records:AskedQuestions"
    MATRIX = "matrix", "records:Matrix"
    STANDING_UPDATE = "standing_update", "records:StandingUpdate"
    REPLAY = "replay", "records:Replayed"
    RUNS = "runs", "records:RunList"
    VERIFICATION = "verification", "records:VerifiedReport"
    FILE = "file", "records:IndexedFile"
    NEW_FILE = "new_file", "records:NewFile"
    LEFT_OUT = "left_out", "records:LeftOutFiles"
    PAGE_CHECK = "page_check", "records:PageCheck"
    HIT = "hit", "records:SearchHit"
    MENTIONS = "mentions", "records:Mentions"
    DIAGNOSIS = "diagnosis", "doctor.findings:Diagnosis"
    MODELS = "models", "engines.gguf.pulled:ModelList"
    TEMPLATES = "templates", "workbench.trial:TemplateList"
    TEMPLATE_VARIABLES = "template_variables", "workbench.trial:TemplateVariables"
    TEMPLATE_TRIAL = "template_trial", "workbench.trial:TemplateTrial"
    COMPARISON = "comparison", "tuning.comparison:Comparison"
    TUNING = "tuning", "tuning.run:TuningReport"
    FOLDER_EVALUATION = "folder_evaluation", "evaluation.results:FolderReport"
    RETRIEVAL_EVALUATION = "retrieval_evaluation", "evaluation.retrieval:RetrievalReport"
    CLAIMS_EVALUATION = "claims_evaluation", "evaluation.claims:ClaimsReport"
    TASK_EVALUATION = "task_evaluation", "tasks.printed:TaskReport"
    TASK = "task", "tasks.printed:ListedTask"
    EXAMPLE = "example", "tasks.printed:TaskExample"
    SETTINGS = "settings", "cli.settings:SettingsList"
    MEMORY = "memory", "bb3.memory.long_term:KeptFact"

    @property
    def schema(self) -> str:
        """Return the name with the version, such as `investigator/matrix/1`."""
        return f"investigator/{self.value}/{_VERSIONS.get(self.value, 1)}"


def stamped(kind: Printed, record: Record, indent: int | None = None) -> str:
    """Return a record as JSON, in one line or with an `indent`, with the schema as its first field."""
    gap = "" if indent is None else "\n" + " " * indent
    colon = ":" if indent is None else ": "
    body = record.model_dump_json(indent=indent)[1:]
    return f'{{{gap}"{SCHEMA}"{colon}{json.dumps(kind.schema)}{"" if body == "}" else ","}{body}'


def json_schema(kind: Printed) -> dict[str, Any]:
    """Return the JSON Schema of a kind, derived from its record."""
    module, _, name = kind.record.partition(":")
    made = TypeAdapter(getattr(import_module(f"investigator.{module}"), name)).json_schema(mode="serialization")
    definitions = made.pop("$defs", {})
    named = {SCHEMA: {"const": kind.schema, "description": "the name and the version of this schema"}}
    whole = []
    for variant in made.get("anyOf", [made]):
        shape = definitions[variant["$ref"].rpartition("/")[2]] if "$ref" in variant else variant
        properties = {**named, **shape.get("properties", {})}
        whole.append({**shape, "properties": properties, "required": [SCHEMA, *shape.get("required", ())]})
    root = whole[0] if len(whole) == 1 else {"anyOf": whole}
    return {"$schema": _DIALECT, "$id": kind.schema, **root, **({"$defs": definitions} if definitions else {})}
