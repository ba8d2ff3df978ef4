"""A repeated call is answered from the journal."""

from __future__ import annotations

from mill import SAID, TEXT, call

from investigator.asking.call import Call, Journaled
from investigator.engines.scripted import ScriptedEngine
from investigator.records import Reply
from investigator.store.in_memory import InMemoryJournal


def test_a_call_that_is_not_in_the_journal_goes_on_and_nobody_hears_of_a_reuse() -> None:
    told: list[Reply] = []
    layer = Journaled(lambda _: Reply(text=SAID), InMemoryJournal(), [lambda _, reply: told.append(reply)])
    assert layer(call(ScriptedEngine(SAID), TEXT)).text == SAID
    assert told == []


def test_a_kept_reply_is_returned_and_each_listener_hears_of_it() -> None:
    journal, asked = InMemoryJournal(), call(ScriptedEngine(SAID), TEXT)
    journal.keep(asked.key, asked.prompt, "scripted", Reply(text="kept"))
    told: list[tuple[Call, str]] = []

    def tell(reused: Call, reply: Reply) -> None:
        told.append((reused, reply.text))

    def inside(_: Call) -> Reply:
        raise AssertionError("the engine must not be asked")

    assert Journaled(inside, journal, [tell, tell])(asked).text == "kept"
    assert told == [(asked, "kept")] * 2


def test_another_engine_or_another_prompt_is_another_call() -> None:
    keys = {
        call(engine, text).key
        for engine in (ScriptedEngine(SAID), ScriptedEngine(SAID, name="another"))
        for text in (TEXT, "Nothing.")
    }
    assert len(keys) == 4
