"""Agents and teachers for testing worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.dialogue.task_strings import WorldName
from investigator.dialogue.teachers.base import FixedDialogTeacher
from investigator.dialogue.worlds import World

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


class Talker(Agent):
    """Says the texts of the option `says` in turn, and records what it hears."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.says: Any = self.opt.get("says", ["hello"])
        self.heard: list[str] = []
        self.acted = 0

    def act(self) -> Message:
        self.acted += 1
        return Message(id=self.id, text=self.says[(self.acted - 1) % len(self.says)], episode_done=False)

    def observe(self, observation: Message) -> Message | None:
        self.heard.append(observation.text)
        return super().observe(observation)


class Answerer(Talker):
    """Answers a batch in one call, each observation with its text in capitals; all copies share one record of calls."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.calls: Any = (shared or {}).get("calls", [])

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        texts = ["" if seen is None else seen.text for seen in observations]
        self.calls.append(texts)
        return [Message(id=self.id, text=text.upper()) for text in texts]

    def act(self) -> Message:
        return self.batch_act([self.observation])[0]

    def share(self) -> dict[str, object]:
        return {**super().share(), "calls": self.calls}


class Lesson(FixedDialogTeacher):
    """Asks the texts of the option `asks`, an episode for each text or list of texts, and expects them in capitals."""

    def episodes(self) -> list[list[str]]:
        asks: Any = self.opt["asks"]
        return [[episode] if isinstance(episode, str) else episode for episode in asks]

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        episode = self.episodes()[episode_idx]
        text, is_last = episode[entry_idx], entry_idx == len(episode) - 1
        return Message(text=text, labels=[text.upper()], episode_done=is_last)

    def num_episodes(self) -> int:
        return len(self.episodes())

    def num_examples(self) -> int:
        return sum(map(len, self.episodes()))


class Lessons:
    def __init__(self, **asks: list[str]) -> None:
        self.asks = asks

    def ids(self, task: str) -> list[str]:
        return [name for name in task.split(",") if name in self.asks]

    def world_class(self, task: str, name: WorldName) -> type[World] | None:
        return None

    def teacher(self, opt: Opt) -> Agent:
        return Lesson({**opt, "asks": self.asks[opt.text("task")]})


def lesson(*asks: str | list[str], **opt: object) -> Lesson:
    return Lesson({"task": "lesson", "datatype": "valid", "asks": list(asks), **opt})


def talker(name: str, *says: str) -> Talker:
    return Talker({"id": name, "says": list(says) or ["hello"]})
