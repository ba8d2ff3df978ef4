"""The records of the template workbench."""

from __future__ import annotations

from typing import Any, Union

from pydantic import Field

from investigator.bb3.records import CONTRACTS
from investigator.records import Record, Usage


class TemplateCard(Record):
    """The purpose of a template, its variables, and the expected reply. `must_use` are the variables that the template
    must use. `reply` is the name of the reply's record, empty if no engine replies to the template, and `must_name` are
    the fields that the template must request. `tokens` is the estimated length of its fixed text. `own` is True if it
    replaces the shipped template.
    """

    name: str
    owner: str
    purpose: str
    file: str = Field(description="the file that is used")
    own: bool
    tokens: int
    variables: tuple[str, ...]
    must_use: tuple[str, ...] = ()
    reply: str = ""
    must_name: tuple[str, ...] = ()


class TemplateList(Record):
    """A list of templates, starting with those of the method."""

    templates: tuple[TemplateCard, ...]


TemplateVariables: Any = Union[tuple(dict.fromkeys(contract.variables for contract in CONTRACTS.values()))]  # noqa: UP007
"""The variables of a template."""


class TriedQuote(Record):
    """A quote in a reply with its position, or a statement with its evidence; otherwise the reason why there is
    none.
    """

    text: str
    place: str = ""
    problem: str = ""


class TriedReply(Record):
    """The result of a template in one use: the prompt, the reply, and how the method evaluated the reply. `source`
    names the origin of the template. `value` is the parsed record, in wire format; `problem` is the problem with the
    first reply, even if it was `repaired`. `point` is the point in the reply, or None if the step has no point.
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
    point: int | None = None
    quotes: tuple[TriedQuote, ...] = ()


class TemplateTrial(Record):
    """A template that was tried on one use: the new reply and, if there is one, the earlier reply.

    `about` is the question asked; `usage` is the cost of the trial.
    """

    template: str
    about: str
    old: TriedReply | None = None
    new: TriedReply
    usage: Usage
