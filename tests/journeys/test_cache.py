"""The cache: a prompt that an earlier run of the workspace paid for is not paid for again by default."""

from __future__ import annotations

from pathlib import Path

import pytest
from openai_server import OpenAIServer
from power_plants import (
    ALL,
    ALL_CALLS,
    ASK,
    answer_of,
    asking,
    index,
    outcome,
    prompt_in,
    sensible,
    write_folder,
)

from investigator import RunOptions
from investigator.records import Investigation, Notice

_OTHER_RUN = "research.rounds=3"  # a setting that no prompt holds


class Household:
    """A folder with a separate workspace, asked repeatedly."""

    def __init__(self, server: OpenAIServer, at: Path) -> None:
        self.server = server
        self.folder = write_folder(at / "folder")
        self._workspace = index(self.folder, at / "w")
        server.answer(sensible)

    def ask(self, *settings: str, cache: bool = True) -> tuple[Investigation, int]:
        """Run the question, and return the run with its number of requests."""
        before = len(self.server.requests)
        made = asking(self.server, self.folder, self._workspace, *settings)
        case = outcome(made.investigate(ALL, RunOptions(cache=cache)))
        return case, len(self.server.requests) - before


@pytest.fixture
def house(openai_server: OpenAIServer, tmp_path: Path) -> Household:
    return Household(openai_server, tmp_path)


def test_equal_prompts_of_another_run_are_answered_from_the_journal(house: Household) -> None:
    first, paid = house.ask()
    second, again = house.ask(_OTHER_RUN)
    assert (paid, again) == (ALL_CALLS, 0)
    assert second.id != first.id
    assert second.usage.calls == 0
    assert second.memories == first.memories
    assert answer_of(second).text == answer_of(first).text


def test_without_the_cache_another_run_pays_for_itself(house: Household) -> None:
    house.ask()
    second, again = house.ask(_OTHER_RUN, cache=False)
    assert again == second.usage.calls == ALL_CALLS


def test_the_same_question_again_is_answered_and_said_to_be_known(house: Household) -> None:
    first, _ = house.ask()
    made = asking(house.server, house.folder, house.folder.parent / "w")
    events = list(made.investigate(ALL))
    assert outcome(iter(events)) == first
    assert any("already answered this" in event.text for event in events if isinstance(event, Notice))
    assert len(house.server.requests) == ALL_CALLS


def test_a_new_document_costs_no_second_look_at_the_old_ones(house: Household) -> None:
    house.ask()
    (house.folder / "yew.txt").write_text("The Yew plant was opened in 1999. It makes 51 MW of power.", "utf-8")
    before = len(house.server.requests)
    case, _ = house.ask("research.planner.steps=9")
    readings = [prompt_in(body) for body in house.server.bodies[before:] if prompt_in(body).startswith(ASK)]
    assert len(readings) == 1
    assert "51 MW" in readings[0]
    assert len(case.memories) == 7
    assert "51" in answer_of(case).text


def test_another_temperature_makes_another_run_that_pays_for_itself(house: Household) -> None:
    cold, _ = house.ask("chat.temperature=0")
    warm, again = house.ask("chat.temperature=1")
    assert warm.id != cold.id
    assert again == ALL_CALLS
    assert house.ask("chat.temperature=0") == (cold, 0)
