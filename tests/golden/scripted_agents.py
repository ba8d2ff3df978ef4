"""Agents that follow the script of a recorded case, and record the events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message

Events = list[list[Any]]


@dataclass(frozen=True)
class Script:
    """What an agent says repeatedly, and its optional methods."""

    id: str
    says: Sequence[Any]
    batch: bool = False
    observes_itself: bool = False
    observes_nothing: bool = False
    """Its `observe` returns None."""
    epoch_after: int | None = None
    episode_after: int | None = None
    """From that act on its `episode_done` is true; None: it has no such method."""
    events: Events = field(default_factory=list)


class ScriptedAgent(Agent):
    """Says the lines of its script in turn; a copy begins with the first line and records into the same events."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Mapping[str, Any] | None = None) -> None:
        super().__init__(opt, shared)
        self.script: Script = (shared or {})["script"]
        self.id = self.script.id
        self.name = f"{self.id}[{self.opt['batchindex']}]" if "batchindex" in self.opt else self.id
        self.acted = 0

    def note(self, method: str, *payload: Any) -> None:
        self.script.events.append([self.name, method, *map(plain, payload)])

    def act(self) -> Any:
        act_of_script = self.script.says[self.acted % len(self.script.says)]
        self.acted += 1
        self.note("act", act_of_script)
        return Message(act_of_script) if isinstance(act_of_script, dict) else act_of_script

    def observe(self, observation: Message) -> Message | None:
        self.note("observe", observation)
        self.observation = observation
        return None if self.script.observes_nothing else observation

    def reset(self) -> None:
        self.note("reset")

    def shutdown(self) -> None:
        self.note("shutdown")

    def epoch_done(self) -> bool:
        return self.script.epoch_after is not None and self.acted >= self.script.epoch_after

    def share(self) -> dict[str, object]:
        return {**super().share(), "script": self.script}


class _InBatches:
    def batch_act(self: Any, observations: Sequence[Message | None]) -> list[Message]:
        self.note("batch_act", observations)
        texts = [None if seen is None else seen.get("text") for seen in observations]
        return [Message(id=self.id, text=f"{self.id} reply {row} to {text}") for row, text in enumerate(texts)]


class _OfItself:
    def self_observe(self: Any, self_message: Message) -> None:
        self.note("self_observe", self_message)


class _EndsEpisodes:
    def episode_done(self: Any) -> bool:
        return bool(self.acted >= self.script.episode_after)


def scripted(script: Script) -> ScriptedAgent:
    """Return an agent that has exactly the methods that its script requires."""
    wanted = {_InBatches: script.batch, _OfItself: script.observes_itself}
    wanted |= {_EndsEpisodes: script.episode_after is not None}
    kind = type("Scripted", (*(part for part, has in wanted.items() if has), ScriptedAgent), {})
    return kind({"id": script.id}, {"script": script})  # type: ignore[no-any-return]


def line(speaker: str, text: str, episode_done: bool = False) -> dict[str, object]:
    """The script of an agent."""
    return {"id": speaker, "text": text, "episode_done": episode_done}


def plain(value: Any) -> Any:
    """Return the script from a recorded case."""
    if isinstance(value, Mapping):
        return dict(value)
    return [plain(part) for part in value] if isinstance(value, list) else value
