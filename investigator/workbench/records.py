"""What the bench tells of templates."""

from __future__ import annotations

from pydantic import Field

from investigator.records import Record


class VariableCard(Record):
    """A variable of a template: what it holds, an example in JSON, and whether a template must use it."""

    name: str
    kind: str
    example: str
    must_use: bool = False


class TemplateCard(Record):
    """What a template is for, what it is given, and what must come back.

    `reply` is the name of the record that is read from the reply, empty if no engine answers the template, and
    `must_name` are the fields of it that the template must ask for. `tokens` are those of its fixed text, estimated.
    It is `own` if it stands in the place of the shipped one.
    """

    name: str
    owner: str
    purpose: str
    file: str = Field(description="the file that is used")
    own: bool
    tokens: int
    variables: tuple[VariableCard, ...]
    reply: str = ""
    must_name: tuple[str, ...] = ()
