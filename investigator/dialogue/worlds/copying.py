"""Copies of agents and worlds, made of what these share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.options import Opt
from investigator.dialogue.registry import create_agent_from_shared
from investigator.errors import DialogueError

_PARTS = ("agents", "worlds")


def agents_of_share(shared: Shared) -> list[Agent]:
    """The agents under `agents` of what a world shares: copies, or the agent itself where it stands there.

    Raises DialogueError where there are none.
    """
    return [
        part if isinstance(part, Agent) else create_agent_from_shared(_mapping(part))
        for part in shared_parts(shared, "agents")
    ]


def shared_parts(shared: Shared, key: str) -> Sequence[object]:
    """The list under a key of what a world shares. Raises DialogueError where there is none."""
    parts = shared.get(key)
    if not isinstance(parts, Sequence) or isinstance(parts, str):
        raise DialogueError(
            f"what is shared has no list of {key}", hint="Give what share() of a world of this class gave."
        )
    return parts


def shared_options(shared: Shared) -> Opt:
    """The options in what an agent or a world shares; empty where it has none."""
    opt = shared.get("opt")
    return Opt.of(opt) if isinstance(opt, Mapping) else Opt()


def told(shared: Shared, options: Mapping[str, object]) -> dict[str, object]:
    """What is shared, with options that each part of it is told: the world, the worlds in it, their agents."""
    changed: dict[str, object] = {**shared, **options, "opt": Opt({**shared_options(shared), **options})}
    for key in _PARTS:
        parts = shared.get(key)
        if isinstance(parts, Sequence):
            changed[key] = [told(part, options) if isinstance(part, Mapping) else part for part in parts]
    if isinstance(inner := shared.get("world"), Mapping):
        changed["world"] = told(inner, options)
    return changed


def _mapping(part: object) -> Shared:
    return part if isinstance(part, Mapping) else {}
