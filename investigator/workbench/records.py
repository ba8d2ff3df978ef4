"""The records of the template bench."""

from __future__ import annotations

from typing import Any, Union

from pydantic import Field

from investigator.bb3.records import CONTRACTS
from investigator.records import Record, Usage


class VariableCard(Record):
    """A variable of a template: what it holds, an example in JSON, and whether a template must use it."""

    name: str
    kind: str
    example: str
    must_use: bool = False


class TemplateCard(Record):
    """The purpose of a template, its variables, and the reply that must come back.

    `reply` is the name of the record that is read from the reply, empty if no engine answers the template, and
    `must_name` are the fields of it that the template must ask for. `tokens` are those of its fixed text, estimated. It
    is `own` if it is in place of the shipped one.
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


class TemplateList(Record):
    """The templates, those of the method first."""

    templates: tuple[TemplateCard, ...]


TemplateVariables: Any = Union[tuple(dict.fromkeys(contract.variables for contract in CONTRACTS.values()))]  # noqa: UP007
"""The variables of any template."""


class TriedQuote(Record):
    """Words that a reply rests on: where they are proven to stand, or why they are not."""

    text: str
    place: str = ""
    problem: str = ""


class TriedReply(Record):
    """The outcome of a template for one use: the prompt, the reply, and what the method makes of it.

    `source` says whose template it is. `value` is the record that was read, in wire form; `problem` is what was wrong
    with the first reply, whether or not it was `repaired`. `model_point` is that of the reply and `point` the one that
    counts; both are None if the step gives none.
    """

    source: str
    engine: str
    prompt: str
    prompt_tokens: int
    reply: str
    reply_tokens: int
    seconds: float
    value: str = ""
    problem: str = ""
    repaired: bool = False
    model_point: int | None = None
    point: int | None = None
    quotes: tuple[TriedQuote, ...] = ()


class TemplateTrial(Record):
    """A template tried on one use: the reply that there was, if there was one, and the new one.

    `about` is the question that is put; `usage` is what the trial has cost.
    """

    template: str
    about: str
    old: TriedReply | None = None
    new: TriedReply
    usage: Usage
