"""The base class of every record: a frozen value with one wire format."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, ClassVar, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict

from investigator.secrets import redacted

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""Values that templates can use."""

Foreign = Annotated[str, AfterValidator(redacted)]
"""Text from a server; known secrets are redacted on arrival."""


class Record(BaseModel):
    """A frozen value; its one wire format is the JSON of `model_dump_json` and `model_validate_json`.

    Unknown fields are rejected, so that no record is parsed as one of another type. `computed` names the properties
    that templates can use in addition to the fields.
    """

    computed: ClassVar[tuple[str, ...]] = ()

    model_config = ConfigDict(frozen=True, extra="forbid")

    def changed(self, **values: object) -> Self:
        """Return a copy with new values in some fields; all other fields stay unchanged, whether they are set or not.

        Raises pydantic's ValidationError for an unknown field or an invalid value, both of which `model_copy` would
        accept.
        """
        kept = {name: getattr(self, name) for name in self.model_fields_set}
        return self.model_validate({**kept, **values})

    def plain(self) -> dict[str, Plain]:
        """Return the fields and the properties in `computed` as plain values."""
        return {name: _plain(getattr(self, name)) for name in (*type(self).model_fields, *self.computed)}


def _plain(value: object) -> Plain:
    """Convert the value of a field to a plain value. Raises TypeError if the value has no plain form."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Record):
        return value.plain()
    if isinstance(value, tuple | list | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[return-value]
    raise TypeError(f"{type(value).__name__} has no plain form")
