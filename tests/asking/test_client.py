"""The client combines the layers."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import EngineError
from investigator.evidence.quotes import Sources
from investigator.records import AnswerReply, AnswerVariables, Prompt, Reply
from investigator.research.query import DocumentQuery
from investigator.store.in_memory import InMemoryJournal

PACKAGE = Path(inspect.getfile(EngineClient)).parents[1]
MOST_FRAMES = 10
"""From the method's call to the engine's reply: one for each layer, and two for what the loop of shrinking puts."""


class Looking:
    """An engine that records the functions of the package through which it was called, outermost first."""

    name = "looking"

    def __init__(self, *replies: str) -> None:
        self.paths: list[list[str]] = []
        self._script = ScriptedEngine(replies)

    def reply(self, prompt: Prompt) -> Reply:
        own = [frame for frame in inspect.stack()[1:] if PACKAGE in Path(frame.filename).parents]
        self.paths.append([f"{Path(frame.filename).stem}.{frame.function}" for frame in reversed(own)])
        return self._script.reply(prompt)


def test_a_call_reaches_its_engine_through_few_frames(tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("The plant makes 42 MW.", encoding="utf-8")
    engine = Looking("Hm.", '{"point": 90, "quotes": ["The plant makes 42 MW."], "reply": "42 MW"}')
    client = EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(), lambda: 0.0)
    with Investigator(tmp_path, embedder=ScriptedEmbedder()).library() as library:
        query = DocumentQuery("How much?", "Find it.", (), client, library, Sources(library.document))
        finding = query.examine("plant.txt", "How much does it make?")
    assert finding.point == 90
    first, repair = engine.paths
    assert first[0] == repair[0] == "query.examine"
    assert len(first) + 1 <= MOST_FRAMES, first  # with the engine's own
    assert len(repair) + 1 <= MOST_FRAMES, repair


def test_an_engine_that_gives_no_reply_record_is_named() -> None:
    class Careless:
        name = "toy:x"

        def reply(self, prompt: Prompt) -> str:
            return "42"

    client = EngineClient(dict.fromkeys(Role, Careless()), Prompts(), InMemoryJournal(), lambda: 0.0)  # type: ignore[arg-type]
    variables = AnswerVariables(question="?", mission="M", evidence=(), unknown_infos=())
    with pytest.raises(EngineError, match="toy:x returned str"):
        client.ask("answer/answer", variables, AnswerReply)
