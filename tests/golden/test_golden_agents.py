"""Agents, their history and their turns behave as recorded."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from golden_rows import attempt, golden_test

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.registry import create_agent
from investigator.dialogue.turn_agent import History, TurnAgent


class LoggingAgent(Agent):
    """Replies `r<number of the act>:<text>`; copies write into one log."""

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.log: list[Any] = [] if shared is None else shared["log"]  # type: ignore[assignment]
        self.log.append(["init", "fresh" if shared is None else "shared"])
        self._acts = itertools.count(1)

    def observe(self, observation: Message) -> Message | None:
        self.log.append(["observe", dict(observation)])
        return super().observe(observation)

    def act(self) -> Message:
        self.log.append(["act"])
        return Message(text=f"r{next(self._acts)}:{(self.observation or Message()).text}")

    def share(self) -> dict[str, object]:
        return {**super().share(), "log": self.log}


class LoggingBatchAgent(LoggingAgent):
    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        self.log.append(["batch_act", [None if heard is None else dict(heard) for heard in observations]])
        return [Message(text=f"b:{(heard or Message()).text}") for heard in observations]


class ConstantAgent(TurnAgent):
    def reply_to(self, observation: Message) -> Message:
        return Message(text="reply0")


def responds(given: Any) -> Any:
    agent = LoggingAgent()
    replies = [agent.respond(given["message"], **given["kwargs"]) for _ in range(given["times"])]
    return {"ok": {"replies": replies, "log": agent.log, "own_observation": agent.observation}}


def responds_in_batch(given: Any) -> Any:
    agent = LoggingBatchAgent()
    replies = agent.batch_respond(given["messages"])
    return {"ok": {"replies": replies, "log": agent.log}}


def base_agent(given: Any) -> Any:
    agent = Agent(given.get("opt"))
    observed = Message(text="x")
    return {
        "ok": {
            "id": agent.id,
            "observation": agent.observation,
            "observe_same": agent.observe(observed) is observed,
            "act": dict(agent.act()),
            "epoch_done": agent.epoch_done(),
            "share_keys": sorted(agent.share()),
        }
    }


def builtin(given: Any) -> Any:
    agent = create_agent(given["opt"])
    if given.get("observation") is not None:
        agent.observe(Message(given["observation"]))
    return {"ok": dict(agent.act())}


def history(given: Any) -> Any:
    episode = History(given["opt"], size=given["size"], encode=lambda text: [ord(character) for character in text])
    strings = []
    for op, *arguments in given["ops"]:
        match op:
            case "obs":
                episode.update_history({"text": arguments[0]}, *arguments[1:])
            case "reply":
                episode.add_reply(arguments[0])
            case "reset":
                episode.reset()
        strings.append(episode.get_history_str())
    tokens = len(episode.get_history_vec() or [])
    return {"ok": {"strs": strings, "final_vec_len": tokens, "raw": episode.history_raw_strings}}


def turns(given: Any) -> Any:
    agent = ConstantAgent(given["opt"])
    return {"ok": [attempt(lambda step: {"ok": turn(agent, *step)}, step) for step in given["steps"]]}


def turn(agent: TurnAgent, step: str, *arguments: Any) -> Any:
    match step:
        case "observe":
            heard = agent.observe(arguments[0])
            return {"full_text": heard.get("full_text"), "history": agent.history.get_history_str()}
        case "act":
            act = agent.act()
            after = agent.history.get_history_str()
            return {"text": act["text"], "episode_done": act["episode_done"], "history_after": after}
        case "self_observe":
            agent.self_observe(Message(*arguments))
        case _:
            getattr(agent, step)(*arguments)
    return {"history": agent.history.get_history_str()}


ADAPTERS = {
    "respond": responds,
    "batch_respond": responds_in_batch,
    "base_agent": base_agent,
    "create_agent": lambda given: {"ok": type(create_agent(given["opt"])).__name__},
    "builtin": builtin,
    "history": history,
    "torch_agent": turns,
}


test_an_agent_behaves_as_recorded = golden_test("agents", ADAPTERS)
