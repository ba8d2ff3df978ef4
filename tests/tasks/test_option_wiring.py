"""Each option that an agent, a teacher or a world reads changes what one can see of it, or is refused."""

from __future__ import annotations

import ast
import inspect
import io
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

import investigator
from investigator.dialogue.agents import Agent
from investigator.dialogue.data_loader import DataLoader
from investigator.dialogue.history import History
from investigator.dialogue.human_agent import HumanAgent
from investigator.dialogue.messages import Message
from investigator.dialogue.registry import create_agent
from investigator.dialogue.simple_agents import FixedResponseAgent, RandomCandidateAgent, RepeatLabelAgent
from investigator.dialogue.teachers.image import AbstractImageTeacher
from investigator.dialogue.turn_agent import TurnAgent
from investigator.dialogue.worlds import DialogPartnerWorld, SelfChatWorld, create_world
from investigator.errors import InvestigatorError
from investigator.tasks.file_teacher import OPTIONS, FileTeacher
from investigator.tasks.loading import Tasks, create_teacher, load_teacher
from investigator.tasks.task_list import TASK_LIST

EXAMPLES = Path(__file__).resolve().parents[2] / "data" / "dialogue"
SQUAD = {"task": "squad", "datafile": str(EXAMPLES / "squad.json"), "datatype": "valid"}
TEXT = {"task": "text", "datafile": str(EXAMPLES / "text.txt"), "datatype": "valid"}
TWO = {"task": f"squad:datafile={EXAMPLES / 'squad.json'},coqa:datafile={EXAMPLES / 'coqa.json'}"}
Options = dict[str, object]
Scene = Callable[[Options, Path], object]


def asked(opt: Options, place: Path) -> object:
    """What a teacher asks in nine turns, and when it says that its data has ended."""
    teacher = create_teacher(opt)
    return teacher.id, [(teacher.act().json_safe_payload(), teacher.epoch_done()) for _ in range(9)]


def graded(opt: Options, place: Path) -> object:
    with create_world(opt, [RepeatLabelAgent({})], Tasks()) as world:
        for _ in range(4):
            world.parley()
        return {name: metric.value() for name, metric in world.report().items()}


def world_of(opt: Options, place: Path) -> object:
    """The kind of the world, and how many replies a turn of it takes."""

    class Batches(RepeatLabelAgent):
        def batch_act(self, observations: list[Message]) -> list[Message]:
            rows.append(len(observations))
            return [Message(text="a") for _ in observations]

    rows: list[int] = []
    with create_world(opt, [Batches({}), *([Agent()] if opt.get("interactive_task") else [])], Tasks()) as world:
        kind = type(world).__name__
        if opt.get("dynamic_batching"):
            world.parley()
    return kind, rows


def with_label_agent(agent: type[Agent]) -> Scene:
    question = Message(text="Who?", labels=["Ida", "Tom", "Eva"], label_candidates=["Ida", "Tom", "Eva"])

    def said(opt: Options, place: Path) -> object:
        one = agent(opt)
        one.observe(question)
        return [one.act().get("text") for _ in range(8)]

    return said


def human(opt: Options, place: Path) -> object:
    return HumanAgent(opt, source=io.StringIO("Hello\n"), sink=io.StringIO()).act()


def history(opt: Options, place: Path) -> object:
    told = History(opt, encode=lambda text: [ord(char) for char in text])
    told.update_history({"text": "a\nb"})
    told.add_reply("c")
    return told.history_strings, told.get_history_str(), told.get_history_vec()


def turns(opt: Options, place: Path) -> object:
    class Echo(TurnAgent):
        def reply_to(self, observation: Message) -> Message:
            return Message(text=observation.text)

    agent = Echo(opt)
    agent.observe({"text": "Who?", "labels": ["Ida"]})
    agent.act()
    return agent.history.get_history_str()


def loaded(opt: Options, place: Path) -> object:
    """Whether two loads are under way at a time."""
    loader, both = DataLoader(opt), threading.Barrier(2, timeout=1.5)
    futures = [loader.request_load(lambda _: None, both.wait) for _ in range(2)]
    loader.shutdown()
    return [future.exception() is None for future in futures]


def pictured(opt: Options, place: Path) -> object:
    class Pictures(AbstractImageTeacher):
        def image_id_to_image_path(self, image_id: str) -> str:
            return str(place / f"{image_id}.png")

    Image.new("RGB", (4, 4)).save(place / "one.png")
    (place / "data.json").write_text('[{"image_id": "one", "text": "?", "labels": "!"}]', encoding="utf-8")
    return type(Pictures({**opt, "datafile": str(place / "data.json"), "datatype": "valid"}).act().get("image"))


def self_chat(opt: Options, place: Path) -> object:
    world, said = SelfChatWorld(opt, [FixedResponseAgent({})]), []
    while not world.epoch_done() and len(said) < 40:
        world.parley()
        said.append((str(world.acts[0] and world.acts[0].text), world.episode_done()))
    return said


def circles(opt: Options, place: Path) -> object:
    world = DialogPartnerWorld(opt, [FixedResponseAgent({}), FixedResponseAgent({})])
    for turn in range(20):
        if world.epoch_done():
            return turn
        world.parley()
    return None


def made(opt: Options, place: Path) -> object:
    (place / "kept.opt").write_text('{"model": "fixed_response", "fixed_response": "kept"}', encoding="utf-8")
    given = {**opt, "model_file": str(place / "kept")} if "model_file" in opt else opt
    agent = create_agent(given)
    return type(agent), agent.act().text


def folder_agent(opt: Options, place: Path) -> object:
    (place / "documents").mkdir(exist_ok=True)
    (place / "documents" / "mill.md").write_text("The mill was built in 1911.\n", encoding="utf-8")
    agent = create_agent({"model": "investigator", "folder": str(place / "documents"), **opt})
    agent.shutdown()
    return "made"


def told(opt: Options, place: Path) -> object:
    folder_agent({}, place)
    spaces = {name: str(place / str(value)) for name, value in opt.items()}
    agent = create_agent({"model": "investigator", "folder": str(place / "documents"), **spaces})
    agent.observe(Message(text="When was the mill built?"))
    agent.act()
    return (place / "space").exists()


def conversations(opt: Options, place: Path) -> object:
    return asked({"task": "conversations", "datafile": str(EXAMPLES / "conversations.jsonl"), **opt}, place)


def bb3x(opt: Options, place: Path) -> object:
    return asked({"task": "bb3x", "datafile": str(EXAMPLES / "bb3x.jsonl"), "datatype": "valid", **opt}, place)


def questions(opt: Options, place: Path) -> object:
    for name in ("documents", "others"):
        (place / name).mkdir(exist_ok=True)
    (place / "q.jsonl").write_text(json.dumps({"id": "1", "question": "When?", "answers": ["1911"]}), encoding="utf-8")
    given = {name: str(place / str(value)) for name, value in opt.items()}
    teacher = create_teacher({"task": "folder", "datafile": str(place / "q.jsonl"), "datatype": "valid", **given})
    return Path(str(teacher.act()["folder"])).name


BATCHES = {**SQUAD, "batchsize": 2, "dynamic_batching": "full", "truncate": 16}
PEOPLE = {"person_tokens": True}
SCENES: list[tuple[str, Scene, Options, object]] = [
    ("add_p1_after_newln", history, PEOPLE, True),
    ("aggregate_micro", graded, {**TWO, "datatype": "valid"}, True),
    ("batchsize", asked, SQUAD, 2),
    ("batchsize", world_of, SQUAD, 2),
    ("cant_answer_message", with_label_agent(RepeatLabelAgent), {"cant_answer_percent": 1}, "Nobody knows."),
    ("cant_answer_percent", with_label_agent(RepeatLabelAgent), {}, 1),
    ("datafile", asked, SQUAD, str(EXAMPLES / "none.json")),
    ("datapath", asked, {"task": "text", "datatype": "valid"}, str(EXAMPLES / "text.txt")),
    ("datatype", asked, SQUAD, "train"),
    ("delimiter", history, {}, " / "),
    ("dynamic_batching", world_of, {**SQUAD, "batchsize": 2, "truncate": 64}, "full"),
    ("dynamic_batching", world_of, SQUAD, "full"),
    ("engine", folder_agent, {}, "no_such_provider:x"),
    ("fixed_response", with_label_agent(FixedResponseAgent), {}, "Yes."),
    ("folder", questions, {"folder": "documents"}, "others"),
    ("folder", folder_agent, {}, "/no/such/folder"),
    ("hide_labels", asked, SQUAD, True),
    ("history_reversed", history, {}, True),
    ("history_size", history, {}, 1),
    ("id", human, {}, "Ida"),
    ("image_mode", pictured, {}, "ascii"),
    ("interactive_task", world_of, SQUAD, True),
    ("label_agent", bb3x, {}, "human"),
    ("label_truncate", world_of, BATCHES, 64),
    ("label_turns", conversations, {"datatype": "valid"}, "both"),
    ("loop_repeats", circles, {}, 1),
    ("max_turns", folder_agent, {"model": "bb3_chat"}, 0),
    ("metrics", graded, SQUAD, "rouge"),
    ("model", made, {"model": "repeat_label"}, "repeat_query"),
    ("model_file", made, {"model": "repeat_label"}, "kept"),
    ("multitask_weights", asked, TWO, "0,1"),
    ("multitask_weights", graded, TWO, "0,1"),
    ("num_load_threads", loaded, {}, 2),
    ("num_self_chats", self_chat, {"selfchat_max_turns": 2}, 2),
    ("num_workers", world_of, SQUAD, 1),
    ("numthreads", world_of, SQUAD, 2),
    ("opener", self_chat, {}, "Good evening."),
    ("override", made, {"model_file": "kept"}, {"fixed_response": "changed"}),
    ("person_tokens", history, {}, True),
    ("prompts", folder_agent, {}, "/no/such/folder"),
    ("return_one_random_answer", with_label_agent(RepeatLabelAgent), {}, False),
    ("seed", asked, {**SQUAD, "datatype": "train"}, 3),
    ("seed", with_label_agent(RandomCandidateAgent), {}, 3),
    ("selection", bb3x, {}, "crowdworkers"),
    ("selfchat_max_turns", self_chat, {}, 2),
    ("selfchat_task", world_of, SQUAD, True),
    ("set", folder_agent, {}, ["no.such=1"]),
    ("settings", folder_agent, {}, "/no/such/file.toml"),
    ("single_turn", human, {}, True),
    ("split_lines", history, {}, True),
    ("task", asked, SQUAD, "squad:open"),
    ("text_truncate", world_of, BATCHES, 1),
    ("truncate", world_of, BATCHES, 64),
    ("use_reply", turns, {}, "model"),
    ("workspace", told, {}, "space"),
]
ELSEWHERE = {"user"}  # tests/tasks/test_folder_agents.py: what a user tells is kept, and nothing of a guest
INNER = {"opt", "world", "worlds", "agents"}  # of what is shared, no options


def seen(scene: Scene, opt: Options, place: Path) -> object:
    """What one can see; of what is refused, how."""
    place.mkdir()
    try:
        return scene(dict(opt), place)
    except InvestigatorError as error:
        return f"refused: {error.message}"


@pytest.mark.parametrize(("name", "scene", "opt", "value"), SCENES, ids=[name for name, *_ in SCENES])
def test_an_option_changes_what_one_can_see_or_is_refused(
    name: str, scene: Scene, opt: Options, value: object, tmp_path: Path
) -> None:
    assert seen(scene, {**opt, name: value}, tmp_path / "with") != seen(scene, opt, tmp_path / "without")


def test_no_option_is_read_that_is_not_shown_here() -> None:
    read = {name for folder in ("dialogue", "tasks") for file in _sources(folder) for name in _options_read(file)}
    assert {"batchsize", "history_size", "label_agent", "engine"} <= read  # the search finds them
    assert read - INNER == {name for name, *_ in SCENES} | ELSEWHERE


def test_no_task_takes_an_option_that_none_of_them_reads() -> None:
    teachers = [load_teacher(entry.task) for entry in TASK_LIST]
    own = {name for teacher in teachers if issubclass(teacher, FileTeacher) for name in teacher.own_options}
    assert {*OPTIONS, *own} <= {name for name, *_ in SCENES}
    with pytest.raises(InvestigatorError, match="the task squad has no option 'image_mode'"):
        create_teacher({"task": f"{SQUAD['task']}:datafile={SQUAD['datafile']}:image_mode=ascii"})


def _sources(folder: str) -> list[Path]:
    package = Path(inspect.getfile(investigator)).parent
    return [file for file in (package / folder).rglob("*.py") if file.parent.name != "commands"]


def _options_read(file: Path) -> Iterator[str]:
    """The names of options that a module reads: `opt.text("id")`, `self.opt.get("seed")`, `_texts(opt, "set")`."""
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        on, *further = [call.func.value, *call.args] if isinstance(call.func, ast.Attribute) else call.args
        is_method = isinstance(call.func, ast.Attribute)
        reads = is_method and call.func.attr in ("text", "number", "switch", "get")
        owner = ast.unparse(on)
        named = further[0] if further else None
        if not isinstance(named, ast.Constant) or not isinstance(named.value, str):
            continue
        is_opt = owner.removeprefix("self.").removeprefix("Opt.of(") in ("opt", "options", "given", "opt)")
        if is_opt and (reads or not is_method) and named.value.isidentifier():
            yield named.value
