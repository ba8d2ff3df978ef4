"""Worlds behave as recorded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from golden_rows import attempt, golden_test
from scripted_agents import Events, Script, ScriptedAgent, line, plain, scripted

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


def steps(world: World, parleys: int, events: Events) -> list[dict[str, Any]]:
    """Return the events of each turn, up to the first error."""
    trace: list[dict[str, Any]] = []
    for _ in range(parleys):
        events.clear()
        ended = attempt(turn, world)
        trace.append({"events": list(events), **ended})
        if "error" in ended:
            break
    return trace


def turn(world: World) -> dict[str, bool]:
    world.parley()
    return {"episode_done": world.episode_done(), "epoch_done": world.epoch_done()}


def script_of(given: Any, events: Events) -> Script:
    return Script(
        given["id"],
        given["script"],
        batch=bool(given.get("batch")),
        observes_itself=bool(given.get("selfobs")),
        epoch_after=given.get("epoch_after"),
        observes_nothing=any("none" in key for key in given),
        events=events,
    )


def dialog_partner(given: Any) -> Any:
    events: Events = []
    world = DialogPartnerWorld(TASK, [scripted(script_of(agent, events)) for agent in given["agents"]])
    trace = steps(world, given["parleys"], events)
    acts = [plain(act) for act in world.get_acts()]
    return {"world_id": world.id, "steps": trace, "total_parleys": world.total_parleys, "acts": acts}


def pair(events: Events) -> list[ScriptedAgent]:
    return [scripted(Script(name, [line(name, text)], events=events)) for name, text in (("a", "x"), ("b", "y"))]


def dialog_partner_init(given: Any) -> Any:
    many = [scripted(Script(str(place), [{}])) for place in range(given.get("num_agents", 2))]
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
    acts = [plain(act) for act in world.get_acts()]
    counted = {"total_parleys_after_reset": world.total_parleys, "acts_after_reset": acts}
    return {"ok": {"reset_events": reset, **counted, "shutdown_events": list(events)}}


def context_manager(_: Any) -> Any:
    events: Events = []
    with DialogPartnerWorld(TASK, pair(events)) as world:
        world.parley()
    return {"ok": events}


def multi_agent(given: Any) -> Any:
    events: Events = []
    after = given.get("episode_done_method_true_after_n_acts")
    scripts = [
        Script(name, says, epoch_after=given.get("epoch_after"), episode_after=after, events=events)
        for name, says in zip(given["agents"], scripts_of(given["script"], given["agents"]), strict=True)
    ]
    world = MultiAgentDialogWorld(TASK, [scripted(script) for script in scripts])
    trace = {"steps": steps(world, given["parleys"], events)}
    return trace if "says x" in given["script"] else {"world_id": world.id, **trace}


def scripts_of(script: str, agents: Sequence[str]) -> list[list[Any]]:
    """Return the script of each agent from a row's description."""
    if "lack an id" in script:
        return [[{"text": "no id"}] for _ in agents]
    if script.startswith("agent X"):
        return [[line(name, f"{name}1"), line(name, f"{name}2", True)] for name in agents]
    texts = dict(re.findall(r"(\w+) (?:says|acts) (\w+)", script))
    return [[None if texts[name] == "None" else line(name, texts[name])] for name in agents]


def batch_world(given: Any) -> Any:
    events: Events = []
    agents = [scripted(script_of({"id": name, **given[name]}, events)) for name in ("teacher", "student")]
    opt = {**TASK, "batchsize": given["batchsize"]}
    world = BatchWorld(opt, DialogPartnerWorld(opt, agents))
    trace = steps(world, given["parleys"], events)
    counted = {"total_parleys": world.total_parleys, "num_worlds": len(world.worlds)}
    return {"steps": trace, "world_id": world.id, **counted}


class Fixed(FixedDialogTeacher):
    """A teacher with the given numbers of episodes and turns; each label is that of its episode."""

    data: Mapping[str, tuple[int, int]] = {"p": (1, 1), "q": (3, 1), "r": (2, 2)}

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        last = entry_idx == self.data[self.id][1] - 1
        text = f"{self.id}{episode_idx}.{entry_idx}"
        return Message(text=text, labels=[f"L{episode_idx}"], episode_done=last)

    def num_episodes(self) -> int:
        return self.data[self.id][0]

    def num_examples(self) -> int:
        return self.data[self.id][0] * self.data[self.id][1]


class Numbered(FixedDialogTeacher):
    """A teacher of episodes with one turn; the option `episodes` is their number."""

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        return Message(text=f"q{episode_idx}", labels=[f"l{episode_idx}"], episode_done=True)

    def num_episodes(self) -> int:
        return self.opt.number("episodes", 0)

    def num_examples(self) -> int:
        return self.num_episodes()


class Loader:
    """Teachers of one class for all tasks."""

    def __init__(self, teacher: type[FixedDialogTeacher]) -> None:
        self._teacher = teacher

    def ids(self, task: str) -> list[str]:
        return task.split(",")

    def world_class(self, task: str, name: WorldName) -> None:
        return None

    def teacher(self, opt: Opt) -> Agent:
        return self._teacher(opt)


def batch_fixed_teacher(given: Any) -> Any:
    opt = {"task": "fixed", "datatype": given["datatype"], "batchsize": given["batchsize"]}
    opt |= {"episodes": given["episodes"]}
    student = scripted(Script("student", [line("student", "l0")], batch=True))
    world = create_world(opt, student, Loader(Numbered))
    trace = []
    for _ in range(given["parleys"]):
        world.parley()
        rows = world.worlds if isinstance(world, BatchWorld) else [world]
        acts = [plain(row.get_acts()[0]) for row in rows]
        trace.append({"teacher_acts": acts, "epoch_done": world.epoch_done(), "total_epochs": world.total_epochs})
    sizes = {"num_examples": world.num_examples(), "num_episodes": world.num_episodes()}
    return {"ok": {"parleys": trace, "report": figures(world), **sizes}}


def figures(world: World) -> dict[str, float]:
    return {name: m.value() for name, m in world.report().items() if name.split("/")[-1] in ("exs", "accuracy")}


def multi_world(given: Any) -> Any:
    opt = {"task": ",".join(given["tasks"]), "datatype": given["datatype"]}
    opt |= {"aggregate_micro": given["aggregate_micro"]}
    opt |= {key: given[key] for key in ("multitask_weights",) if key in given}
    world = create_world(opt, scripted(Script("student", [line("student", "L0")])), Loader(Fixed))
    assert isinstance(world, MultiWorld)
    trace = []
    for _ in range(given["parleys"]):
        world.parley()
        act = Message.of(world.get_acts()[0] or {})
        done = {"episode_done": world.episode_done(), "epoch_done": world.epoch_done()}
        trace.append({"world_idx": world.index, "text": act.get("text"), "padding": act.is_padding(), **done})
    sizes = {"num_examples": world.num_examples(), "num_episodes": world.num_episodes()}
    weights = {"cum_task_weights": world.cum_task_weights}
    return {"ok": {"class": type(world).__name__, "parleys": trace, **sizes, "report": figures(world), **weights}}


def create_task(given: Any) -> Any:
    tasks = ",".join("pqr"[: given["n_tasks"]])
    opt = {"task": tasks, "datatype": "train", "truncate": 8, **{k: v for k, v in given.items() if k != "n_tasks"}}
    student = scripted(Script("student", [line("student", "L0")], batch=True))
    return {"ok": type(create_world(opt, student, Loader(Fixed))).__name__}


def executable_default(given: Any) -> Any:
    events: Events = []
    scripts = scripts_of(given["script"], given["agents"])
    agents = [
        scripted(Script(name, says, episode_after=1_000, events=events))
        for name, says in zip(given["agents"], scripts, strict=True)
    ]
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
    agents = []
    for name, texts in given["scripts"].items():
        says = [line(name, text) for text in ([texts] if isinstance(texts, str) else texts)]
        agents.append(scripted(Script(name, says, episode_after=1_000, events=events)))
    return kind(TASK, agents)  # type: ignore[no-any-return]


def executable_custom(given: Any) -> Any:
    events: Events = []
    world = counting(given, events)
    made = list(events)
    return {
        "init_events": made,
        "steps": steps(world, given["parleys"], events),
        "final_state": {"pos": world.pos},
    }


def executable_batch(given: Any) -> Any:
    events: Events = []
    root = counting({"scripts": given.get("scripts") or {"a": "inc", "b": "look"}}, events)
    world = BatchWorld({**TASK, "batchsize": given.get("batchsize", 2)}, root)
    trace = steps(world, given.get("parleys", 1), events)
    return {"steps": trace, "final_states": [{"pos": row.pos} for row in world.worlds if isinstance(row, Counting)]}


class Counted(Agent):
    """Counts the acts of all its copies."""

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


ADAPTERS = {
    "dialog_partner": dialog_partner,
    "dialog_partner_init": dialog_partner_init,
    "share": share,
    "reset_shutdown": reset_shutdown,
    "context_manager": context_manager,
    "multi_agent": multi_agent,
    "batch_world": batch_world,
    "batch_fixed_teacher": batch_fixed_teacher,
    "multi_world": multi_world,
    "create_task": create_task,
    "dynamic_batch_init": lambda given: create_task({"n_tasks": 1, "dynamic_batching": "full", **given["opt"]}),
    "executable_default": executable_default,
    "executable_custom": executable_custom,
    "executable_batch": executable_batch,
    "hogwild": hogwild,
    "hogwild_unsupported": hogwild_unsupported,
}


test_a_world_behaves_as_recorded = golden_test("worlds", ADAPTERS)


test_a_world_of_before_2020_behaves_as_recorded = golden_test("worlds_legacy", ADAPTERS)
