"""The roles for which a model can be chosen, and the templates of each role."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A task that is assigned to an engine."""

    THINK = "think"
    PLAN = "plan"
    ASK = "ask"
    REFLECT = "reflect"
    ANSWER = "answer"
    CHAT = "chat"


_ROLE_OF_OWNER = {
    "critical_thinking": Role.THINK,
    "planner": Role.PLAN,
    "query": Role.ASK,
    "reflection": Role.REFLECT,
    "answer": Role.ANSWER,
    "bb3": Role.CHAT,
}


def role_of(template: str) -> Role:
    """Return the role for a template `owner/name.j2`. Raises ValueError if no engine answers it."""
    owner = template.partition("/")[0]
    try:
        return _ROLE_OF_OWNER[owner]
    except KeyError:
        raise ValueError(f"no role answers the template {template!r}") from None
