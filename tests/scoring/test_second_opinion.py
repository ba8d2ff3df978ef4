"""A second engine judges beside a language model, and costs nothing."""

from __future__ import annotations

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.records import BearingReply, BearingVariables, Traits
from investigator.scoring.second_opinion import SecondOpinion
from investigator.store.in_memory import InMemoryJournal

ASKED = BearingVariables(questions=("How high was the toll?",), terms=("toll",), quotes=("Twelve florins.",))


def test_the_record_of_the_second_engine_is_returned() -> None:
    engine = ScriptedEngine('{"bears": true}')
    assert SecondOpinion(engine).of("query/ask", ASKED, BearingReply) == BearingReply(bears=True)
    assert [prompt.variables for prompt in engine.asked] == [ASKED]


def test_without_a_second_engine_there_is_no_opinion() -> None:
    assert SecondOpinion().of("query/ask", ASKED, BearingReply) is None


def consulted(traits: Traits) -> tuple[BearingReply | None, int]:
    """What is heard beside a first engine of these traits, and how often the second one was asked."""
    first, second, journal = ScriptedEngine("no", traits=traits), ScriptedEngine('{"bears": false}'), InMemoryJournal()
    client = EngineClient(dict.fromkeys(Role, first), Prompts(), journal, lambda: 0.0, second=second)
    opinion = client.opinion("query/ask", ASKED, BearingReply)
    assert (first.asked, journal.usage().calls) == ([], 0)
    return opinion, len(second.asked)


def test_a_second_opinion_is_sought_beside_a_language_model_only() -> None:
    assert consulted(Traits(is_model=True)) == (BearingReply(bears=False), 1)
    assert consulted(Traits()) == (None, 0)
