"""The records of the template workbench."""

from __future__ import annotations

from typing import Any, Union

from pydantic import Field

from investigator.bb3.records import CONTRACTS
from investigator.records import Record, Usage


class TemplateCard(Record):
    """The purpose of a template, its variables, and the expected reply."""

    name: str
    owner: str
    purpose: str
    file: str = Field(description="the file that is used")
    own: bool = Field(description="it replaces the shipped template")
    tokens: int = Field(description="estimated length of its fixed text")
    variables: tuple[str, ...]
    must_use: tuple[str, ...] = Field(default=(), description="variables that the template must use")
    reply: str = Field(default="", description="name of the reply's record; empty if no engine replies")
    must_name: tuple[str, ...] = Field(default=(), description="fields that the template must request")


class TemplateList(Record):
    """A list of templates, starting with those of the method."""

    templates: tuple[TemplateCard, ...]


TemplateVariables: Any = Union[tuple(dict.fromkeys(contract.variables for contract in CONTRACTS.values()))]  # noqa: UP007
"""The variables of a template."""


class TriedQuote(Record):
    """A quote in a reply with its place, or the problem with it."""

    text: str
    place: str = ""
    problem: str = ""


class TriedReply(Record):
    """The result of a template in one use: the prompt, the reply, and how the method evaluated the reply."""

    source: str = Field(description="origin of the template")
    engine: str
    prompt: str
    prompt_tokens: int
    reply: str
    reply_tokens: int
    seconds: float
    value: str = Field(default="", description="the parsed record, in wire format")
    problem: str = Field(default="", description="problem with the first reply, even if it was repaired")
    repaired: bool = False
    point: int | None = Field(default=None, description="None if the step has no point")
    quotes: tuple[TriedQuote, ...] = ()


class TemplateTrial(Record):
    """A template that was tried on one use: the new reply and, if there is one, the earlier reply."""

    template: str
    about: str = Field(description="the question asked")
    old: TriedReply | None = None
    new: TriedReply
    usage: Usage
