"""The roles for which a model can be chosen, and the templates of each role."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A task that is assigned to an engine."""

    PLAN = "plan"
    ASK = "ask"
    REFLECT = "reflect"
    ANSWER = "answer"
    CHECK = "check"
    CHAT = "chat"


_ROLE_OF_TEMPLATE = {"answer/check": Role.CHECK, "report/outline": Role.PLAN}
_ROLE_OF_OWNER = {
    "planner": Role.PLAN,
    "query": Role.ASK,
    "reflection": Role.REFLECT,
    "answer": Role.ANSWER,
    "report": Role.ANSWER,
    "bb3": Role.CHAT,
}


def role_of(template: str) -> Role:
    """Return the role for a template `owner/name.j2`. Raises ValueError if no engine answers it."""
    name = template.removesuffix(".j2")
    role = _ROLE_OF_TEMPLATE.get(name) or _ROLE_OF_OWNER.get(name.partition("/")[0])
    if role is None:
        raise ValueError(f"no role answers the template {template!r}")
    return role
