"""InvestigatorAgent: an Investigator as an agent, which asks only questions."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from investigator.dialogue.asking_agent import NOTHING_ASKED, InvestigatorAgent
from investigator.dialogue.messages import Message
from investigator.engines.scripted import ScriptedEmbedder
from investigator.errors import EngineError, QuestionError
from investigator.investigator import Investigator
from investigator.records.answers import AnswerStatus
from investigator.records.documents import Quote

QUOTE = Quote(document_id="a.md", page=None, line=3, start=0, end=2, text="14", source_hash="0")


@dataclass(frozen=True)
class DeskAnswer:
    text: str
    status: AnswerStatus = AnswerStatus.ANSWERED
    citations: tuple[Quote, ...] = (QUOTE,)


@dataclass
class Desk:
    """Answers in capitals, and counts the questions that were asked at the same time."""

    questions: list[str] = field(default_factory=list)
    most: int = 0
    _under_way: int = 0
    _lock: Lock = field(default_factory=Lock)

    def ask(self, question: str) -> DeskAnswer:
        with self._lock:
            self.questions.append(question)
            self._under_way += 1
            self.most = max(self.most, self._under_way)
        time.sleep(0.005)  # long enough for others to come in, if they could
        with self._lock:
            self._under_way -= 1
        if question == "too long":
            raise QuestionError("the question is too long", hint="Ask a short one.")
        if question == "broken":
            raise EngineError("the engine is broken")
        return DeskAnswer(question.upper())


def test_a_reply_has_the_answer_its_status_and_its_quotes() -> None:
    agent = InvestigatorAgent(investigator=Desk())
    agent.observe(Message(text=" how deep? "))
    assert agent.act() == {
        "id": "investigator",
        "text": "HOW DEEP?",
        "status": "answered",
        "citations": [QUOTE.model_dump(mode="json")],
        "episode_done": False,
    }


@pytest.mark.parametrize("fields", [{}, {"text": ""}, {"text": " \n"}, {"text": None}, {"labels": ["x"]}])
def test_nothing_is_asked_without_a_question(fields: dict[str, object]) -> None:
    desk = Desk()
    agent = InvestigatorAgent(investigator=desk)
    agent.observe(Message(fields))
    act = agent.act()
    assert (act.text, act["status"], act["citations"]) == (NOTHING_ASKED, "not_asked", [])
    assert desk.questions == []


def test_what_cannot_be_asked_is_told_politely_and_a_failure_is_not_covered_up() -> None:
    agent = InvestigatorAgent(investigator=Desk())
    agent.observe(Message(text="too long"))
    act = agent.act()
    assert act["status"] == "not_asked"
    assert "the question is too long. Ask a short one." in act.text
    agent.observe(Message(text="short"))
    assert agent.act().text == "SHORT"
    agent.observe(Message(text="broken"))
    with pytest.raises(EngineError):
        agent.act()


def test_a_batch_is_answered_in_order_and_equal_questions_are_asked_once() -> None:
    desk = Desk()
    agent = InvestigatorAgent(investigator=desk)
    heard = [Message(text="a"), Message.padding_example(), Message(text="b"), None, Message(text="a ")]
    acts = agent.batch_act(heard)
    assert [act.get("text") for act in acts] == ["A", None, "B", NOTHING_ASKED, "A"]
    assert "status" not in acts[1]
    assert desk.questions == ["a", "b"]
    assert desk.most == 1


def test_copies_in_threads_do_not_ask_at_the_same_time() -> None:
    desk = Desk()
    agent = InvestigatorAgent(investigator=desk)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(agent.respond, [f"question {number}" for number in range(8)]))
    assert (len(desk.questions), desk.most) == (8, 1)


def test_an_investigator_of_a_folder_talks(tmp_path: Path) -> None:
    text = "# Harbour\n\nThe harbour of Vigo was dredged in 1997. It is 14 metres deep.\n"
    (tmp_path / "harbour.md").write_text(text, encoding="utf-8")
    agent = InvestigatorAgent(investigator=Investigator(tmp_path, embedder=ScriptedEmbedder()))
    agent.observe(Message(text="When was the harbour of Vigo dredged?"))
    act = agent.act()
    assert act["status"] == "passages_found"
    assert "1997" in act.text
    citations: Any = act["citations"]
    for citation in citations:
        assert text[citation["start"] : citation["end"]] == citation["text"]
    assert citations
