"""A prompt that is too long for its engine is refused, remembered, and sent again with less content."""

from __future__ import annotations

import threading

import pytest
from mill import SAID, SENTENCES, TEXT, asking, call, sender

from investigator.asking.client import EngineClient
from investigator.asking.fitting import less_to_ask, less_to_plan
from investigator.asking.prompts import Prompts
from investigator.asking.sender import PromptTooLong
from investigator.engines.roles import Role
from investigator.errors import ContextTooLongError
from investigator.records import (
    AskReply,
    AskVariables,
    PlanDocument,
    PlanReply,
    PlanVariables,
    Prompt,
    Reply,
    Traits,
)
from investigator.store.in_memory import InMemoryJournal


class Narrow:
    """An engine with a maximum prompt length in characters, which it reveals only by refusing; `traits` may state a
    context.
    """

    def __init__(self, most: int, traits: Traits | None = None) -> None:
        self.name = "narrow"
        self.traits = traits or Traits(is_model=True)
        self.read: list[Prompt] = []
        self.refused = 0
        self._most = most
        self._lock = threading.Lock()

    def reply(self, prompt: Prompt) -> Reply:
        with self._lock:
            if len(prompt.text) > self._most:
                self.refused += 1
                raise ContextTooLongError("too long for me")
            self.read.append(prompt)
        return Reply(text=SAID if prompt.reply_type is AskReply else '{"strategy": "S", "steps": []}')


class Counting(Narrow):
    """An engine that states its context, counts each character as a token, and refuses nothing."""

    def __init__(self, context: int) -> None:
        super().__init__(most=10**9, traits=Traits(is_model=True, context_tokens=context))
        self.times_counted = 0

    def count_tokens(self, text: str) -> int:
        self.times_counted += 1
        return len(text)


def client(engine: Narrow) -> EngineClient:
    return EngineClient({role: engine for role in Role}, Prompts(), InMemoryJournal(), lambda: 0.0)


def length(variables: AskVariables) -> int:
    return len(Prompts().prompt("query/ask", variables).text)


def shown(engine: Narrow) -> list[str]:
    (prompt,) = engine.read
    assert isinstance(prompt.variables, AskVariables)
    return [passage.text for document in prompt.variables.documents for passage in document.passages]


def test_a_prompt_that_fits_is_shown_whole() -> None:
    variables = asking(*SENTENCES)
    engine = Counting(context=2 * length(variables))
    client(engine).ask("query/ask", variables, AskReply, smaller=less_to_ask)
    assert shown(engine) == SENTENCES


def test_an_engine_that_does_not_tell_its_context_is_asked_again_with_fewer_passages() -> None:
    variables = asking(*SENTENCES)
    engine = Narrow(most=length(asking(SENTENCES[0])) + 10)
    reading = client(engine).ask("query/ask", variables, AskReply, smaller=less_to_ask)
    assert reading.value is not None
    assert reading.value.readings[0].point == 90
    assert shown(engine) == SENTENCES[:1]
    assert engine.refused == 2  # five passages, two, one


def test_a_prompt_for_a_known_context_is_cut_before_it_is_sent_and_never_inside_a_sentence() -> None:
    variables = asking(TEXT)
    room = length(asking(SENTENCES[3])) + 60
    engine = Counting(context=round(room / 0.95))
    client(engine).ask("query/ask", variables, AskReply, smaller=less_to_ask)
    (text,) = shown(engine)
    assert SENTENCES[3] in text
    assert text in {" ".join(SENTENCES[i:j]) for i in range(5) for j in range(i + 1, 6)} - {TEXT}
    assert len(engine.read[0].text) <= room


def test_as_much_is_shown_as_fits_into_a_known_context() -> None:
    texts = [f"{sentence} " * 30 for sentence in SENTENCES]
    engine = Counting(context=round(length(asking(*texts[:3])) / 0.95) + 5)
    client(engine).ask("query/ask", asking(*texts), AskReply, smaller=less_to_ask)
    assert shown(engine) == texts[:3]


def test_a_context_smaller_than_one_sentence_is_a_named_error_and_nothing_is_sent() -> None:
    engine = Counting(context=length(asking()))
    with pytest.raises(ContextTooLongError, match=r"tokens does not fit into the \d+ that narrow can read") as caught:
        client(engine).ask("query/ask", asking(TEXT), AskReply, smaller=less_to_ask)
    assert "larger context" in caught.value.hint
    assert engine.read == []


def test_an_engine_that_refuses_even_one_sentence_is_believed_in_its_own_words() -> None:
    engine = Narrow(most=10)
    sending = client(engine)
    with pytest.raises(ContextTooLongError, match="too long for me"):
        sending.ask("query/ask", asking(TEXT), AskReply, smaller=less_to_ask)
    assert sending.usage().calls == 0
    refused = engine.refused
    with pytest.raises(ContextTooLongError):  # nothing can be left out, so it is sent only once
        sending.ask("query/ask", asking(*SENTENCES), AskReply)
    assert engine.refused == refused + 1


def test_a_long_constant_part_still_leaves_room_for_what_fits() -> None:
    """The mission cannot be omitted and takes up most of the context, so the documents are shortened repeatedly."""
    documents = tuple(PlanDocument(document_id=f"d{number}.txt", title="T") for number in range(12))
    variables = PlanVariables(
        question="Q",
        mission="a long mission " * 200,
        strategy="S",
        documents=documents,
        document_count=12,
        step_limit=6,
    )
    prompts = Prompts()
    smallest = variables.changed(documents=variables.documents[:1])
    engine = Counting(context=round((len(prompts.prompt("planner/plan", smallest).text) + 100) / 0.95))
    client(engine).ask("planner/plan", variables, PlanReply, smaller=less_to_plan)
    (prompt,) = engine.read
    assert isinstance(prompt.variables, PlanVariables)
    assert prompt.variables.documents


def test_a_call_begins_in_the_journal_with_the_tokens_that_were_counted() -> None:
    begun: list[int] = []

    class Beginning(InMemoryJournal):
        def begin(self, key: str, engine: str, tokens: int) -> None:
            begun.append(tokens)
            super().begin(key, engine, tokens)

    sending = call(Counting(context=10_000), TEXT)
    assert sender(Beginning()).send(sending).text == SAID
    assert begun == [len(sending.prompt.text)]


def test_a_prompt_that_was_refused_is_not_sent_again_and_one_too_long_not_counted_again() -> None:
    refusing, counting = Narrow(most=10), Counting(context=10)
    for engine in (refusing, counting):
        sending = sender()
        for _ in range(2):
            with pytest.raises(PromptTooLong):
                sending.send(call(engine, TEXT))
    assert (refusing.refused, counting.times_counted) == (1, 1)


def test_what_was_refused_without_a_count_says_no_share_and_what_was_counted_does() -> None:
    for engine, share in ((Narrow(most=10), None), (Counting(context=100), 95)):
        with pytest.raises(PromptTooLong) as caught:
            sender().send(call(engine, TEXT))
        wanted = None if share is None else pytest.approx(share / len(call(engine, TEXT).prompt.text))
        assert caught.value.share == wanted
