"""Acts that change the agents' environment, here a folder of notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from talking_agents import Answerer, Talker, talker

from investigator.dialogue.agents import Agent
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds import BatchWorld, ExecutableWorld


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
    """Records what it sees, and replies with the number of notes."""

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
    assert hearer.observation == {"text": "0 notes", "id": "nameless"}
    assert world.get_acts()[0] == {"text": "0 notes", "id": "nameless"}
