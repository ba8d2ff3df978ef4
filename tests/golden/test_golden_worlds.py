"""Worlds behave as recorded, with agents that follow the script of a row and record the events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from golden_rows import attempt, golden_test

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt
from investigator.dialogue.task_strings import WorldName
from investigator.dialogue.teachers.base import FixedDialogTeacher
from investigator.dialogue.worlds import (
    BatchWorld,
    DialogPartnerWorld,
    ExecutableWorld,
    HogwildWorld,
    MultiAgentDialogWorld,
    MultiWorld,
    World,
    create_world,
)

TASK = {"task": "tsk", "datatype": "valid"}
Events = list[list[Any]]


@dataclass(frozen=True)
class Script:
    id: str
    says: Sequence[Any]
    batch: bool = False
    observes_itself: bool = False
    observes_nothing: bool = False
    epoch_after: int | None = None
    episode_after: int | None = None
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
        act = self.script.says[self.acted % len(self.script.says)]
        self.acted += 1
        self.note("act", act)
        return Message(act) if isinstance(act, dict) else act

    def observe(self, observation: Message) -> Message | None:
        self.note("observe", observation)
        self.observation = observation
        return None if self.script.observes_nothing else observation

    def self_observe(self, self_message: Message) -> None:
        if self.script.observes_itself:
            self.note("self_observe", self_message)

    def reset(self) -> None:
        self.note("reset")

    def shutdown(self) -> None:
        self.note("shutdown")

    def episode_done(self) -> bool | None:
        after = self.script.episode_after
        return None if after is None else self.acted >= after

    def epoch_done(self) -> bool:
        return self.script.epoch_after is not None and self.acted >= self.script.epoch_after

    def share(self) -> dict[str, object]:
        return {**super().share(), "script": self.script}


class ScriptedBatchAgent(ScriptedAgent):
    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        self.note("batch_act", observations)
        texts = [None if seen is None else seen.get("text") for seen in observations]
        return [Message(id=self.id, text=f"{self.id} reply {row} to {text}") for row, text in enumerate(texts)]


def scripted(name: str, says: Sequence[Any], **more: Any) -> ScriptedAgent:
    script = Script(name, says, **more)
    return (ScriptedBatchAgent if script.batch else ScriptedAgent)({"id": name}, {"script": script})


def recorded_agent(given: Any, events: Events) -> ScriptedAgent:
    return scripted(
        given["id"],
        given["script"],
        batch=bool(given.get("batch")),
        observes_itself=bool(given.get("selfobs")),
        epoch_after=given.get("epoch_after"),
        observes_nothing=any("none" in key for key in given),
        events=events,
    )


def line(speaker: str, text: str, episode_done: bool = False) -> dict[str, object]:
    return {"id": speaker, "text": text, "episode_done": episode_done}


def plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return [plain(part) for part in value] if isinstance(value, list) else value


def pair(events: Events) -> list[ScriptedAgent]:
    return [scripted(name, [line(name, text)], events=events) for name, text in (("a", "x"), ("b", "y"))]


def steps(world: World, parleys: int, events: Events) -> list[dict[str, Any]]:
    """Return the events of each turn, up to the first error."""
    trace: list[dict[str, Any]] = []
    while len(trace) < parleys and not (trace and "error" in trace[-1]):
        events.clear()
        ended = attempt(turn, world)
        trace.append({"events": list(events), **ended})
    return trace


def turn(world: World) -> dict[str, bool]:
    world.parley()
    return {"episode_done": world.episode_done(), "epoch_done": world.epoch_done()}


def dialog_partner(given: Any) -> Any:
    events: Events = []
    world = DialogPartnerWorld(TASK, [recorded_agent(agent, events) for agent in given["agents"]])
    trace = steps(world, given["parleys"], events)
    return {"world_id": world.id, "steps": trace, "total_parleys": world.total_parleys, "acts": plain(world.get_acts())}


def dialog_partner_init(given: Any) -> Any:
    many = [scripted(str(place), [{}]) for place in range(given.get("num_agents", 2))]
    agents = None if given.get("agents", many) is None else many
    shared = DialogPartnerWorld(TASK, pair([])).share() if given.get("shared") else None
    return {"ok": type(DialogPartnerWorld(TASK, agents, shared)).__name__}


def share(_: Any) -> Any:
    world = DialogPartnerWorld(TASK, pair([]))
    world.parley()
    copy = world.clone()
    distinct = all(a is not b for a, b in zip(copy.get_agents(), world.get_agents(), strict=True))
    return {
        "ok": {
            "keys": sorted(world.share()),
            "world_class": type(copy).__name__,
            "agents_distinct": distinct,
            "clone_acts": copy.get_acts(),
            "clone_total_parleys": copy.total_parleys,
        }
    }


def reset_shutdown(given: Any) -> Any:
    events: Events = []
    kind: type[World] = {"MultiAgentDialogWorld": MultiAgentDialogWorld}.get(given["world"], DialogPartnerWorld)
    world = kind(TASK, pair(events))
    world.parley()
    events.clear()
    world.reset()
    reset = list(events)
    events.clear()
    world.shutdown()
    counted = {"total_parleys_after_reset": world.total_parleys, "acts_after_reset": plain(world.get_acts())}
    return {"ok": {"reset_events": reset, **counted, "shutdown_events": list(events)}}


def context_manager(_: Any) -> Any:
    events: Events = []
    with DialogPartnerWorld(TASK, pair(events)) as world:
        world.parley()
    return {"ok": events}


def described_agents(given: Any, **more: Any) -> list[ScriptedAgent]:
    """Return the agents of a row that describes their script in words."""
    names, words = given["agents"], given["script"]
    texts = dict(re.findall(r"(\w+) (?:says|acts) (\w+)", words))
    if "lack an id" in words:
        says = [[{"text": "no id"}] for _ in names]
    elif words.startswith("agent X"):
        says = [[line(name, f"{name}1"), line(name, f"{name}2", True)] for name in names]
    else:
        says = [[None if texts[name] == "None" else line(name, texts[name])] for name in names]
    return [scripted(name, lines, **more) for name, lines in zip(names, says, strict=True)]


def multi_agent(given: Any) -> Any:
    events: Events = []
    after = given.get("episode_done_method_true_after_n_acts")
    agents = described_agents(given, epoch_after=given.get("epoch_after"), episode_after=after, events=events)
    world = MultiAgentDialogWorld(TASK, agents)
    trace = {"steps": steps(world, given["parleys"], events)}
    return trace if "says x" in given["script"] else {"world_id": world.id, **trace}


def batch_world(given: Any) -> Any:
    events: Events = []
    agents = [recorded_agent({"id": name, **given[name]}, events) for name in ("teacher", "student")]
    opt = {**TASK, "batchsize": given["batchsize"]}
    world = BatchWorld(opt, DialogPartnerWorld(opt, agents))
    trace = steps(world, given["parleys"], events)
    counted = {"total_parleys": world.total_parleys, "num_worlds": len(world.worlds)}
    return {"steps": trace, "world_id": world.id, **counted}


class Fixed(FixedDialogTeacher):
    """A teacher with some episodes and turns, by task; each label is that of its episode."""

    def sizes(self) -> tuple[int, int]:
        return {"p": (1, 1), "q": (3, 1), "r": (2, 2)}.get(self.id) or (self.opt.number("episodes", 0), 1)

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        if self.id == "fixed":
            return Message(text=f"q{episode_idx}", labels=[f"l{episode_idx}"], episode_done=True)
        text, last = f"{self.id}{episode_idx}.{entry_idx}", self.sizes()[1] - 1
        return Message(text=text, labels=[f"L{episode_idx}"], episode_done=entry_idx == last)

    def num_episodes(self) -> int:
        return self.sizes()[0]

    def num_examples(self) -> int:
        return self.sizes()[0] * self.sizes()[1]


class Loader:
    def ids(self, task: str) -> list[str]:
        return task.split(",")

    def world_class(self, task: str, name: WorldName) -> None:
        return None

    def teacher(self, opt: Opt) -> Agent:
        return Fixed(opt)


def totals(world: World) -> dict[str, Any]:
    named = ("exs", "accuracy")
    report = {name: m.value() for name, m in world.report().items() if name.split("/")[-1] in named}
    return {"num_examples": world.num_examples(), "num_episodes": world.num_episodes(), "report": report}


def batch_fixed_teacher(given: Any) -> Any:
    opt = {"task": "fixed", **{key: given[key] for key in ("datatype", "batchsize", "episodes")}}
    world = create_world(opt, scripted("student", [line("student", "l0")], batch=True), Loader())
    trace = []
    for _ in range(given["parleys"]):
        world.parley()
        rows = world.worlds if isinstance(world, BatchWorld) else [world]
        acts = [plain(row.get_acts()[0]) for row in rows]
        trace.append({"teacher_acts": acts, "epoch_done": world.epoch_done(), "total_epochs": world.total_epochs})
    return {"ok": {"parleys": trace, **totals(world)}}


def multi_world(given: Any) -> Any:
    options = ("datatype", "aggregate_micro", "multitask_weights")
    opt = {"task": ",".join(given["tasks"]), **{key: given[key] for key in options if key in given}}
    world = create_world(opt, scripted("student", [line("student", "L0")]), Loader())
    assert isinstance(world, MultiWorld)
    trace = []
    for _ in range(given["parleys"]):
        done = turn(world)
        act = Message.of(world.get_acts()[0] or {})
        trace.append({"world_idx": world.index, "text": act.get("text"), "padding": act.is_padding(), **done})
    weights = {"cum_task_weights": world.cum_task_weights}
    return {"ok": {"class": type(world).__name__, "parleys": trace, **totals(world), **weights}}


def create_task(given: Any) -> Any:
    opt = {"task": ",".join("pqr"[: given["n_tasks"]]), "datatype": "train", "truncate": 8, **given}
    student = scripted("student", [line("student", "L0")], batch=True)
    return {"ok": type(create_world(opt, student, Loader())).__name__}


def executable_default(given: Any) -> Any:
    events: Events = []
    agents = described_agents(given, episode_after=1_000, events=events)
    return {"steps": steps(ExecutableWorld(TASK, agents), given["parleys"], events)}


class Counting(ExecutableWorld):
    """A world in which `inc` adds one, which everybody sees except an agent called `blind`."""

    events: Events

    def init_world(self) -> None:
        self.pos = 0
        self.events.append(["world", "init_world"])

    def execute(self, agent: Agent, act: Message) -> None:
        self.events.append(["world", "execute", agent.id, act.text])
        self.pos += act.text == "inc"

    def observe(self, agent: Agent, act: Message) -> Message | None:
        self.events.append(["world", "observe", agent.id])
        return None if agent.id == "blind" else Message({**act, "pos": self.pos})


def counting(given: Any, events: Events) -> Counting:
    kind = type("CountingHere", (Counting,), {"events": events})
    says = {name: [texts] if isinstance(texts, str) else texts for name, texts in given["scripts"].items()}
    lines = {name: [line(name, text) for text in texts] for name, texts in says.items()}
    return kind(TASK, [scripted(n, s, episode_after=1_000, events=events) for n, s in lines.items()])  # type: ignore[no-any-return]


def executable_custom(given: Any) -> Any:
    events: Events = []
    world = counting(given, events)
    made = list(events)
    trace = steps(world, given["parleys"], events)
    return {"init_events": made, "steps": trace, "final_state": {"pos": world.pos}}


def executable_batch(given: Any) -> Any:
    events: Events = []
    root = counting({"scripts": given.get("scripts") or {"a": "inc", "b": "look"}}, events)
    world = BatchWorld({**TASK, "batchsize": given.get("batchsize", 2)}, root)
    trace = steps(world, given.get("parleys", 1), events)
    return {"steps": trace, "final_states": [{"pos": row.pos} for row in world.worlds if isinstance(row, Counting)]}


class Counted(Agent):
    def __init__(self, opt: Mapping[str, object] | None = None, shared: Mapping[str, Any] | None = None) -> None:
        super().__init__(opt, shared)
        self.acts: list[str] = (shared or {}).get("acts", [])
        self.lock: Any = (shared or {}).get("lock") or Lock()

    def act(self) -> Message:
        with self.lock:
            self.acts.append(self.id)
        return Message(id=self.id, text="q", episode_done=True)

    def share(self) -> dict[str, object]:
        return {**super().share(), "acts": self.acts, "lock": self.lock}


def hogwild(given: Any) -> Any:
    teacher = Counted({"id": "ht"})
    opt = {**TASK, "numthreads": given["numthreads"]}
    with HogwildWorld(opt, DialogPartnerWorld(opt, [teacher, Counted({"id": "hs"})])) as world:
        for _ in range(given["parleys"]):
            world.parley()
        world.join()
        return {
            "ok": {
                "processes": len(world.worlds),
                "teacher_acts_total": len(teacher.acts),
                "sync_total_parleys": sum(copy.total_parleys for copy in world.worlds),
                "world_total_parleys": world.total_parleys,
                "root_acts": world.get_acts(),
                "epoch_done": world.epoch_done(),
                "getID": world.id,
            }
        }


def hogwild_unsupported(given: Any) -> Any:
    opt = {**TASK, "numthreads": 1}
    with HogwildWorld(opt, DialogPartnerWorld(opt, pair([]))) as world:
        return {"ok": getattr(world, given["method"])()}


WORLDS = {
    **{kind.__name__: kind for kind in (dialog_partner, dialog_partner_init, share, reset_shutdown, context_manager)},
    **{kind.__name__: kind for kind in (multi_agent, batch_world, batch_fixed_teacher, multi_world, create_task)},
    "dynamic_batch_init": lambda given: create_task({"n_tasks": 1, "dynamic_batching": "full", **given["opt"]}),
}
OLD_WORLDS = {
    **{kind.__name__: kind for kind in (executable_default, executable_custom, executable_batch)},
    **{kind.__name__: kind for kind in (hogwild, hogwild_unsupported)},
}

test_a_world_behaves_as_recorded = golden_test("worlds", WORLDS)
test_a_world_of_before_2020_behaves_as_recorded = golden_test("worlds_legacy", OLD_WORLDS)
