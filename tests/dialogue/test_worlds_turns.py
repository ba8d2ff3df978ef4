"""Worlds in which two or more agents take turns, also in an environment, and how a world is created from options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from talking_agents import Answerer, Lessons, Talker, lesson, talker

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.task_strings import WorldName
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
from investigator.errors import DialogueError, NotFoundError

TASKS = Lessons(p=["p1", "p2"], q=["q1"])


class Ending(Talker):
    def act(self) -> Message:
        act = super().act()
        act.force_set("episode_done", self.acted == 2)
        return act


class Mute(Talker):
    """An agent whose act is not a message; it records that it was shut down."""

    closed = False

    def act(self) -> Any:
        return "just a text"

    def shutdown(self) -> None:
        self.closed = True


def test_two_agents_hear_each_other_once_a_turn() -> None:
    asks, replies = talker("a", "one", "two"), talker("b", "uno", "due")
    world = DialogPartnerWorld({}, [asks, replies])
    world.parley()
    world.parley()
    assert (asks.heard, replies.heard) == (["uno", "due"], ["one", "two"])
    assert world.total_parleys == world.total_exs == 2
    assert world.id == "a"


def test_a_right_reply_to_a_teacher_counts_in_the_report_of_the_world() -> None:
    world = DialogPartnerWorld({}, [lesson("one", "two"), talker("student", "ONE")])
    while not world.epoch_done():
        world.parley()
    assert world.report()["accuracy"].value() == 0.5
    assert (world.num_examples(), world.num_episodes(), world.total_epochs) == (2, 2, 1.0)
    world.reset_metrics()
    assert "accuracy" not in world.report()


def test_each_of_three_agents_hears_all_the_others_said_since_it_acted() -> None:
    agents = [talker(name, f"{name}1", f"{name}2") for name in "abc"]
    world = MultiAgentDialogWorld({"task": "table"}, agents)
    world.parley()
    world.parley()
    assert agents[1].heard == ["a1", "c1", "a2", "c2"]
    assert world.id == "table"


def test_the_last_acts_of_plain_agents_tell_that_an_episode_is_done() -> None:
    world = MultiAgentDialogWorld({}, [talker("a"), Ending({"id": "b"})])
    world.parley()
    assert not world.episode_done()
    world.parley()
    assert world.episode_done()


def test_an_agent_that_tells_itself_when_an_episode_is_done_is_asked() -> None:
    class Telling(Ending):
        def episode_done(self) -> bool:
            return False

    world = MultiAgentDialogWorld({}, [Telling({"id": "a"}), talker("b")])
    for _ in range(2):
        world.parley()
    assert not world.episode_done()


def test_a_plain_dict_becomes_a_message_at_the_border() -> None:
    class Plain(Talker):
        def act(self) -> Any:
            return {"text": "hi"}

    world = DialogPartnerWorld({}, [Plain(), talker("b")])
    world.parley()
    assert isinstance(world.get_acts()[0], Message)


def test_an_act_that_is_no_message_is_refused_and_the_agents_are_shut_down() -> None:
    agents = [Mute({"id": "a"}), talker("b")]
    with pytest.raises(DialogueError, match="str: 'just a text'"), DialogPartnerWorld({}, agents) as world:
        world.parley()
    assert world.get_acts() == ["just a text", None]
    assert world.total_parleys == 0
    assert agents[0].closed  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", [1, 3])
def test_partners_are_two(number: int) -> None:
    with pytest.raises(DialogueError, match=f"two agents, not {number}"):
        DialogPartnerWorld({}, [talker(str(place)) for place in range(number)])


def test_a_world_takes_agents_or_what_is_shared() -> None:
    shared = DialogPartnerWorld({}, [talker("a"), talker("b")]).share()
    with pytest.raises(DialogueError):
        DialogPartnerWorld({})
    with pytest.raises(DialogueError):
        DialogPartnerWorld({}, [talker("a"), talker("b")], shared)
    with pytest.raises(DialogueError):
        MultiAgentDialogWorld({}, None, {"agents": [{"class": str, "opt": {}}]})
    with pytest.raises(DialogueError):
        World.of_share({"agents": []})


def test_a_copy_has_agents_and_counts_of_its_own() -> None:
    world = DialogPartnerWorld({"mood": ["good"]}, [talker("a", "one", "two"), Answerer({"id": "b"})])
    world.parley()
    copy = world.clone()
    assert copy.get_acts() == [None, None]
    assert (copy.total_parleys, copy.id) == (0, "a")
    copy.parley()
    assert [act and act.text for act in copy.get_acts()] == ["one", "ONE"]
    assert copy.get_agents()[1].share()["calls"] is world.get_agents()[1].share()["calls"]
    assert copy.opt["mood"] is not world.opt["mood"]


def test_a_reset_counts_anew_and_keeps_the_acts_to_look_at() -> None:
    world = DialogPartnerWorld({}, [talker("a", "one"), talker("b")])
    world.parley()
    world.reset()
    assert (world.total_parleys, world.total_exs, world.total_epochs) == (0, 0, 0)
    assert "[a]: one" in world.display()
    assert world.get_agents()[0].observation is None


def test_of_two_agents_that_measure_the_same_the_first_is_reported() -> None:
    first, second = lesson("one", "two"), lesson("one", "two")
    world = MultiAgentDialogWorld({}, [first, talker("student", "ONE"), second])
    world.parley()
    world.parley()
    assert (first.report()["exs"].value(), second.report()["exs"].value()) == (2, 1)
    assert world.report()["exs"].value() == 2


def test_labels_and_the_end_of_an_episode_are_displayed_and_padding_is_not() -> None:
    world = DialogPartnerWorld({}, [lesson("one"), talker("student", "eins")])
    world.parley()
    assert world.display() == "[lesson]: one  (labels: ONE)\n[student]: eins\n(end of the episode)"
    world.parley()
    assert world.display() == "[student]: eins\n(end of the episode)"


class NotesWorld(ExecutableWorld):
    """`write NAME: TEXT` creates a note in the folder; everybody sees the names of the notes, and the text of a new
    one.
    """

    def init_world(self) -> None:
        self.folder = Path(self.opt.text("folder"), str(self.opt.get("batchindex", "root")))
        self.folder.mkdir(parents=True, exist_ok=True)

    def execute(self, agent: Agent, act: Message) -> None:
        command, _, text = act.text.partition(": ")
        if command.startswith("write "):
            (self.folder / command.removeprefix("write ")).write_text(f"{agent.id}: {text}", encoding="utf-8")

    def observe(self, agent: Agent, act: Message) -> Message | None:
        notes = {note.name: note.read_text(encoding="utf-8") for note in sorted(self.folder.iterdir())}
        return None if agent.id == "blind" else Message({**act, "notes": notes})


class Reader(Talker):
    def act(self) -> Message:
        seen: Any = (self.observation or {}).get("notes", {})
        return Message(text=f"{len(seen)} notes")


def test_a_note_that_one_agent_writes_is_read_by_the_other(tmp_path: Path) -> None:
    reader = Reader({"id": "reader"})
    world = NotesWorld({"folder": str(tmp_path)}, [talker("writer", "write a.txt: gold", "write b.txt: iron"), reader])
    world.parley()
    world.parley()
    assert (tmp_path / "root" / "b.txt").read_text(encoding="utf-8") == "writer: iron"
    assert reader.observation is not None
    assert reader.observation["notes"] == {"a.txt": "writer: gold", "b.txt": "writer: iron"}


def test_who_acts_sees_what_came_of_it_and_who_is_blind_sees_nothing(tmp_path: Path) -> None:
    writer, blind = talker("writer", "write a.txt: gold"), talker("blind", "nothing")
    NotesWorld({"folder": str(tmp_path)}, [writer, blind]).parley()
    assert writer.heard == ["write a.txt: gold", "nothing"]
    assert blind.heard == []


def test_each_row_of_a_batch_executes_its_own_act(tmp_path: Path) -> None:
    class Writer(Talker):
        def batch_act(self, observations: list[Message | None]) -> list[Message]:
            return [Message(id=self.id, text=f"write note: of row {row}") for row in range(len(observations))]

    opt = {"folder": str(tmp_path), "batchsize": 3}
    world = BatchWorld(opt, NotesWorld(opt, [Writer({"id": "writer"}), talker("blind", "write other: text")]))
    world.parley()
    notes = {note.parent.name: note.read_text(encoding="utf-8") for note in tmp_path.glob("*/note")}
    assert notes == {str(row): f"writer: of row {row}" for row in range(3)}
    assert len(list(tmp_path.glob("*/other"))) == 3
    assert world.world.get_agents()[0].id == "writer"
    rows = [row.get_agents() for row in world.worlds]
    assert [(len(writer.heard), blind.heard) for writer, blind in rows] == [(2, [])] * 3  # type: ignore[attr-defined]


def test_an_agent_of_a_batch_that_hears_nothing_anew_is_not_given_the_old() -> None:
    class OnceLoud(ExecutableWorld):
        def observe(self, agent: Agent, act: Message) -> Message | None:
            return act if act.text == "loud" else None

    hearer = Answerer({"id": "hearer"})
    world = BatchWorld({"batchsize": 2}, OnceLoud({}, [talker("speaker", "loud", "soft"), hearer]))
    world.parley()
    world.parley()
    assert hearer.calls == [["loud", "loud"], ["", ""]]


def test_without_an_observe_of_its_own_everybody_but_the_speaker_hears_the_words() -> None:
    agents = [talker(name, f"I am {name}") for name in "ab"]
    ExecutableWorld({}, agents).parley()
    assert [agent.heard for agent in agents] == [["I am b"], ["I am a"]]


def test_an_act_without_an_id_is_that_of_its_agent() -> None:
    hearer = talker("hearer")
    world = ExecutableWorld({}, [Reader({"id": "nameless"}), hearer])
    world.parley()
    assert hearer.observation == world.get_acts()[0] == {"text": "0 notes", "id": "nameless"}


@pytest.mark.parametrize(
    ("opt", "outer", "inner"),
    [
        ({"task": "p"}, DialogPartnerWorld, None),
        ({"task": "p,q"}, MultiWorld, None),
        ({"task": "p", "batchsize": 1, "numthreads": 1}, DialogPartnerWorld, None),
        ({"task": "p", "batchsize": 2}, BatchWorld, DialogPartnerWorld),
        ({"task": "p,q", "batchsize": 2}, BatchWorld, MultiWorld),
        ({"task": "p", "numthreads": 2}, HogwildWorld, DialogPartnerWorld),
        ({"task": "p", "numthreads": 2, "batchsize": 2}, HogwildWorld, BatchWorld),
    ],
)
def test_options_choose_the_world(opt: dict[str, object], outer: type[World], inner: type[World] | None) -> None:
    with create_world({"datatype": "valid", **opt}, Answerer({"id": "student"}), TASKS) as world:
        assert type(world) is outer
        assert inner is None or type(getattr(world, "world", None)) is inner


@pytest.mark.parametrize(
    ("opt", "problem"),
    [
        ({"num_workers": 3}, "no world loads data in other processes"),
        ({"batchsize": 2, "dynamic_batching": "full"}, "batches have a fixed size"),
    ],
)
def test_options_that_would_change_nothing_are_refused(opt: dict[str, object], problem: str) -> None:
    with pytest.raises(DialogueError, match=problem):
        create_world({"task": "p", **opt}, talker("a"), TASKS)


def test_the_number_of_agents_chooses_the_world_of_a_task() -> None:
    students = [talker("a"), talker("b")]
    assert type(create_world({"task": "p"}, students, TASKS)) is MultiAgentDialogWorld
    assert type(create_world({"task": "p"}, [], TASKS)) is MultiAgentDialogWorld
    assert type(create_world({"task": "p"}, students[:1], TASKS)) is DialogPartnerWorld


def test_a_world_of_the_task_goes_before() -> None:
    class Own(ExecutableWorld):
        pass

    class WithWorld(Lessons):
        def world_class(self, task: str, name: WorldName) -> type[World] | None:
            return Own if task == "p" else None

    tasks = WithWorld(p=["p1"], q=["q1"])
    mixed = create_world({"task": "p,q"}, talker("a"), tasks)
    assert isinstance(mixed, MultiWorld)
    assert [type(part) for part in mixed.worlds] == [Own, DialogPartnerWorld]


def test_the_teacher_comes_first_and_knows_its_task_alone() -> None:
    world = create_world({"task": "p,q", "datatype": "valid"}, talker("student"), TASKS)
    assert isinstance(world, MultiWorld)
    assert [[agent.id for agent in part.get_agents()] for part in world.worlds] == [["p", "student"], ["q", "student"]]
    assert world.worlds[1].get_agents()[0].opt["task"] == "q"


@pytest.mark.parametrize("opt", [{}, {"task": ""}, {"task": None}, {"task": "unknown"}])
def test_a_task_is_named_and_known(opt: dict[str, object]) -> None:
    with pytest.raises(NotFoundError):
        create_world(opt, talker("a"), TASKS)
