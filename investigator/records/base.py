"""The base of every record: a frozen value with one wire form."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value; `model_dump_json` and `model_validate_json` are its one wire form.

    Unknown fields are refused, so a record that came from elsewhere is never half understood.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **values: object) -> Self:
        """The same record with other values in some fields; which fields are set is kept.

        Raises pydantic's ValidationError for an unknown field or a value that the field does not take: `model_copy`
        would let both through.
        """
        kept = {name: getattr(self, name) for name in self.model_fields_set}
        return self.model_validate({**kept, **values})
