"""A second engine judges in addition to a language model, at no cost."""

from __future__ import annotations

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.records import BearingReply, BearingVariables, Traits
from investigator.store.in_memory import InMemoryJournal

ASKED = BearingVariables(questions=("How high was the toll?",), terms=("toll",), quotes=("Twelve florins.",))


def consulted(traits: Traits) -> tuple[BearingReply | None, int]:
    """Return the results besides those of a first engine with these traits, and the number of calls to the second
    engine.
    """
    first, second, journal = ScriptedEngine("no", traits=traits), ScriptedEngine('{"bears": false}'), InMemoryJournal()
    client = EngineClient(dict.fromkeys(Role, first), Prompts(), journal, lambda: 0.0, second=second)
    opinion = client.opinion("query/ask", ASKED, BearingReply)
    assert (first.asked, journal.usage().calls) == ([], 0)
    assert all(prompt.variables == ASKED for prompt in second.asked)
    return opinion, len(second.asked)


def test_a_second_opinion_is_sought_beside_a_language_model_only() -> None:
    assert consulted(Traits(is_model=True)) == (BearingReply(bears=False), 1)
    assert consulted(Traits()) == (None, 0)


def test_without_a_second_engine_there_is_no_opinion() -> None:
    first = ScriptedEngine("no", traits=Traits(is_model=True))
    client = EngineClient(dict.fromkeys(Role, first), Prompts(), InMemoryJournal(), lambda: 0.0)
    assert client.opinion("query/ask", ASKED, BearingReply) is None
