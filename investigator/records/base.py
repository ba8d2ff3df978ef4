"""The base of every record: a frozen value with one wire form."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value; `model_dump_json` and `model_validate_json` are its one wire form.

    Unknown fields are refused, so a record that came from elsewhere is never half understood.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
