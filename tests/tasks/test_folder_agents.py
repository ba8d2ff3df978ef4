"""The agents over a folder, in every kind of world."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chats import open_memory
from investigator.bb3.records import Module
from investigator.dialogue.agents import ActsInBatches, Agent
from investigator.dialogue.asking_agent import InvestigatorAgent
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics import AverageMetric
from investigator.dialogue.registry import create_agent
from investigator.dialogue.teachers.base import FixedDialogTeacher
from investigator.dialogue.worlds import BatchWorld, DialogPartnerWorld, HogwildWorld, MultiAgentDialogWorld, World
from investigator.engines.scripted import ScriptedEmbedder, ScriptedEngine
from investigator.errors import DialogueError, InvestigatorError
from investigator.investigator import Investigator
from investigator.records import Prompt
from investigator.store.locations import default_workspace
from investigator.tasks.agents import FolderChatAgent
from investigator.tasks.commands.eval_task import evaluate

BUILT = {"mill": "1911", "school": "1924", "bridge": "1932", "chapel": "1875"}
VALID = {"datatype": "valid"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    for name, year in BUILT.items():
        text = f"# The {name}\n\nThe {name} of Oldham was built in {year}.\n"
        (made / f"{name}.md").write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def investigator(folder: Path) -> Investigator:
    return Investigator(folder, embedder=ScriptedEmbedder())


@pytest.fixture
def agent(investigator: Investigator) -> Iterator[FolderChatAgent]:
    made = FolderChatAgent({"model": "bb3_chat"}, investigator=investigator)
    yield made
    made.shutdown()


class Visitor(FixedDialogTeacher):
    """Asks when each building was built, all in the option `episodes` of equal length."""

    def get(self, episode_idx: int, entry_idx: int = 0) -> Message:
        names = self._episodes()[episode_idx]
        text = f"When was the {names[entry_idx]} of Oldham built?"
        return Message(text=text, labels=[BUILT[names[entry_idx]]], episode_done=entry_idx == len(names) - 1)

    def num_episodes(self) -> int:
        return len(self._episodes())

    def num_examples(self) -> int:
        return sum(map(len, self._episodes()))

    def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
        self.metrics.add("has_year", AverageMetric(float(labels[0] in model_response.text)))

    def _episodes(self) -> Any:
        return [episode.split() for episode in self.opt.text("episodes", "mill,school,bridge,chapel").split(",")]


def visitor(episodes: str = "mill,school,bridge,chapel") -> Visitor:
    return Visitor({"task": "visitor", "datatype": "valid", "episodes": episodes})


def figures(world: World) -> tuple[float, float]:
    """Return the number of examples, and the number of replies with the right year."""
    with world:
        report = evaluate(world)
    return float(report["exs"]), float(report["has_year"])


def kept_users(investigator: Investigator) -> tuple[str, ...]:
    with open_memory(investigator) as memory:
        return memory.users()


@pytest.mark.parametrize("model", ["investigator", "bb3_chat"])
def test_options_alone_make_an_agent_that_knows_the_folder(folder: Path, tmp_path: Path, model: str) -> None:
    agent = create_agent({"model": model, "folder": str(folder), "workspace": str(tmp_path / "space")})
    assert "1911" in agent.respond("When was the mill of Oldham built?")
    agent.shutdown()
    assert not default_workspace(folder).exists()


@pytest.mark.parametrize("model", ["investigator", "bb3_chat"])
def test_an_agent_without_a_folder_says_which_option_it_needs(model: str) -> None:
    with pytest.raises(DialogueError, match=f"the agent {model} needs a folder") as refused:
        create_agent({"model": model})
    assert '"folder": "FOLDER"' in refused.value.hint
    assert "investigator=" in refused.value.hint


@pytest.mark.parametrize(
    ("model", "opt", "problem"),
    [
        ("bb3_chat", {"max_turns": 0}, "max_turns must be 1"),
        ("bb3_chat", {"search_decision": "perhaps"}, "search_decision"),
        ("bb3_chat", {"srm_inference": "telepathy"}, "inference"),
        ("bb3_chat", {"engine": 3}, "option engine must be a string"),
        ("bb3_chat", {"set": ["chat.nonsense=1"]}, "nonsense"),
        ("investigator", {"engine": "no_such_provider:x"}, "no_such_provider"),
        ("investigator", {"prompts": "/no/such/folder"}, "/no/such/folder"),
        ("investigator", {"settings": "/no.toml"}, "/no.toml"),
        ("investigator", {"set": ["a.b=1"]}, "a"),
    ],
)
def test_options_that_cannot_be_are_refused_at_once(
    folder: Path, model: str, opt: dict[str, object], problem: str
) -> None:
    with pytest.raises(InvestigatorError, match=problem):
        create_agent({"model": model, "folder": str(folder), **opt})


def test_a_teacher_asks_and_grades_in_turn_in_batches_and_in_threads(investigator: Investigator) -> None:
    def talk(episodes: str, kind: type[Agent] = FolderChatAgent) -> DialogPartnerWorld:
        return DialogPartnerWorld(VALID, [visitor(episodes), kind({}, investigator=investigator)])  # type: ignore[call-arg]

    three, two_rows = "mill,school,bridge", {**VALID, "batchsize": 2}
    assert figures(talk("mill school")) == (2, 1)
    assert figures(BatchWorld(two_rows, talk(three))) == (3, 1)
    assert figures(HogwildWorld({**VALID, "numthreads": 2}, talk(three))) == (3, 1)
    assert figures(BatchWorld(two_rows, talk(three, InvestigatorAgent))) == (3, 1)
    assert kept_users(investigator) == ()


def test_a_batch_is_one_reply_of_the_chat(agent: FolderChatAgent) -> None:
    steps: list[Module] = []
    agent._room.chat.on_step = steps.append
    world = BatchWorld({**VALID, "batchsize": 4}, DialogPartnerWorld(VALID, [visitor(), agent]))
    world.parley()
    assert steps.count(Module.SDM) == 1
    acts = [row.acts[1] for row in world.worlds]
    assert [year in act.text for act, year in zip(acts, BUILT.values(), strict=True) if act] == [True] * 4
    assert isinstance(agent, ActsInBatches)


def spoken(engine: ScriptedEngine) -> list[list[str]]:
    """Return the turns shown for each decision on a search."""
    shown = [prompt.variables for prompt in engine.asked if prompt.template.startswith("bb3/sdm")]
    return [[turn.text for turn in variables.turns] for variables in shown]  # type: ignore[attr-defined]


def test_an_episode_is_a_conversation_of_its_own(folder: Path) -> None:
    values = {"needed": False, "point": 0, "text": "", "reply": "It is fine.", "fact_id": None}

    def reply(prompt: Prompt) -> str:
        assert prompt.reply_type is not None
        return json.dumps({name: value for name, value in values.items() if name in prompt.reply_type.model_fields})

    engine = ScriptedEngine(reply)
    agent = FolderChatAgent({}, investigator=Investigator(folder, model=engine, embedder=ScriptedEmbedder()))
    for text, done in (("Hello.", False), ("Thanks!", True), ("Good evening.", False)):
        agent.observe(Message(text=text, episode_done=done))
        assert agent.act()["episode_done"] is False
    assert spoken(engine) == [["Hello."], ["Hello.", "It is fine.", "Thanks!"], ["Good evening."]]
    agent.reset()
    agent.observe(Message(text="And now?"))
    agent.observe(Message(text="Well?"))
    agent.act()
    assert spoken(engine)[3:] == [["And now?\nWell?"]]
    agent.shutdown()


def test_what_a_user_tells_is_kept_for_later_agents_and_nothing_of_a_guest(investigator: Investigator) -> None:
    for opt in ({"user": "ida"}, {}):
        agent = FolderChatAgent(opt, investigator=investigator)
        agent.observe(Message(text="I have a dog called Rex."))
        agent.act()
        agent.shutdown()
    assert kept_users(investigator) == ("ida",)
    again = FolderChatAgent({"user": "ida"}, investigator=investigator)
    again.observe(Message(text="What is my dog called?"))
    assert "Rex" in again.act().text
    again.shutdown()


def test_memories_come_with_a_message_and_can_open_a_conversation(agent: FolderChatAgent) -> None:
    agent.observe(Message(text="Opening", memories=["I keep bees."]))
    opening = agent.act()
    assert opening.text
    assert opening["id"] == "bb3_chat"
    agent.observe(Message(text="Do I like tea?", memories=["I like tea."]))
    act = agent.act()
    assert "tea" in act.text
    known = ["Person 1's Persona: I keep bees.", "Person 1's Persona: I like tea."]
    assert act["memory_knowledge_doc_content"] == known


def test_responses_leave_nothing_behind(agent: FolderChatAgent, investigator: Investigator) -> None:
    assert "1924" in agent.respond("I have a cat. When was the school of Oldham built?")
    messages = [{"text": f"When was the {name} of Oldham built?"} for name in BUILT]
    assert all(year in text for text, year in zip(agent.batch_respond(messages), BUILT.values(), strict=True))
    assert kept_users(investigator) == ()
    (alone,) = agent.batch_act([Message(text="When was the chapel of Oldham built?")])
    assert "1875" in alone.text
    assert agent.observation is None


def test_without_words_it_asks_politely_and_padding_has_no_reply(agent: FolderChatAgent) -> None:
    assert "?" in agent.act().text
    padding = agent.batch_act([Message.padding_example(), None])
    assert [act.get("text") for act in padding] == [None, None]


def test_two_that_talk_with_each_other_come_to_an_end(investigator: Investigator) -> None:
    agent = FolderChatAgent({"max_turns": 3, "search_decision": "never"}, investigator=investigator)
    world = MultiAgentDialogWorld({}, [agent, agent.clone()])
    with world:
        while not world.epoch_done():
            world.parley()
        assert world.total_parleys == 3
        assert world.episode_done()
        with pytest.raises(DialogueError, match="has reached the limit of 3 replies") as ended:
            world.parley()
        assert "max_turns" in ended.value.hint
        world.reset()
        world.parley()
        assert not world.epoch_done()


def test_an_episode_that_its_teacher_ends_in_time_is_not_cut(investigator: Investigator) -> None:
    agent = FolderChatAgent({"max_turns": 2}, investigator=investigator)
    assert figures(DialogPartnerWorld(VALID, [visitor("mill school,bridge chapel"), agent])) == (4, 1)


def test_who_made_the_agent_closes_it(investigator: Investigator) -> None:
    agent = FolderChatAgent({}, investigator=investigator)
    copy = agent.clone()
    copy.shutdown()
    assert agent.respond("Hello.")
    agent.shutdown()
    agent.shutdown()
    for closed in (agent, copy):
        with pytest.raises(DialogueError, match="was shut down"):
            closed.respond("Hello.")


def test_what_an_engine_cannot_be_told_is_noticed(investigator: Investigator) -> None:
    agent = FolderChatAgent({"srm_inference": "beam", "topp": 0.5}, investigator=investigator)
    (notice,) = agent.notices
    assert notice.endswith("for srm_inference beam")
    agent.shutdown()


def test_only_a_ceiling_that_was_set_ends_an_evaluation(folder: Path) -> None:
    agent = FolderChatAgent({"folder": str(folder), "set": ["budget.calls=2"], "search_decision": "never"})
    with pytest.raises(BudgetSpent):
        agent.respond("Hello, I have a dog. What do you know?")
    agent.shutdown()
