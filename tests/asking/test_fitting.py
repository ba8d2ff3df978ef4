"""A prompt that is too long: what is left out, what never is, and how the client goes about it."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.asking.client import EngineClient
from investigator.asking.fitting import (
    less_to_answer,
    less_to_ask,
    less_to_plan,
    less_to_reflect,
    less_to_think,
)
from investigator.asking.prompts import Prompts
from investigator.engines.roles import Role
from investigator.engines.scripted import ScriptedEngine
from investigator.errors import ContextTooLongError
from investigator.records import (
    AnswerVariables,
    AskReply,
    AskVariables,
    DocumentCard,
    Evidence,
    Memory,
    Need,
    Passage,
    PlanReply,
    PlanVariables,
    Prompt,
    ReflectVariables,
    Reply,
    ThinkVariables,
    Traits,
)
from investigator.store.in_memory import InMemoryJournal

SENTENCES = [
    "The mill was built in 1702 by the river.",
    "Its owner was a baker of Ghent.",
    "In dry summers the wheel stood still for weeks on end.",
    "The toll was set at twelve florins a year.",
    "After the flood nobody came back.",
]
TEXT = " ".join(SENTENCES)
SAID = '{"point": 90, "quotes": [], "reply": "So it is."}'


def passage(text: str, start: int = 0) -> Passage:
    return Passage(document_id="mill.txt", start=start, end=start + len(text), text=text)


def asking(*texts: str, question: str = "How high was the toll?") -> AskVariables:
    return AskVariables(
        main_question=question,
        mission="M",
        sub_question="S",
        document_id="mill.txt",
        document_title="The mill",
        needs=(),
        passages=tuple(passage(text) for text in texts),
    )


def card(number: int) -> DocumentCard:
    return DocumentCard(document_id=f"d{number}.txt", title="T")


def memory(number: int, point: int | None) -> Memory:
    return Memory(id=number, target_document_id="a.txt", question="?", reply="R", point=point)


def planning(documents: int, memories: int) -> PlanVariables:
    return PlanVariables(
        question="Q",
        mission="M",
        strategy="S",
        needs=(),
        documents=tuple(card(i) for i in range(documents)),
        history=tuple(memory(i, 50) for i in range(1, memories + 1)),
        unknown_infos=(),
        past_strategies=(),
        step_limit=6,
    )


def test_the_last_passages_are_left_out_first() -> None:
    less = less_to_ask(asking("one", "two", "three", "four"), 0.6)
    assert less is not None
    assert [kept.text for kept in less.passages] == ["one", "two"]


@pytest.mark.parametrize("share", [0.0, 0.99, 1.0, 5.0])
def test_something_is_left_out_each_time_and_never_all(share: float) -> None:
    less = less_to_ask(asking("one", "two", "three"), share)
    assert less is not None
    assert 1 <= len(less.passages) <= 2


def test_of_a_single_passage_the_sentence_with_the_words_of_the_question_stays() -> None:
    less = less_to_ask(asking(TEXT), 0.01)
    assert less is not None
    assert less.passages[0].text == SENTENCES[3]


def test_sentences_around_the_best_one_stay_while_there_is_room() -> None:
    less = less_to_ask(asking(TEXT), 0.7)
    assert less is not None
    assert less.passages[0].text == " ".join(SENTENCES[2:])


@given(st.floats(0.0, 1.0), st.sampled_from(["the toll", "the owner", "the mill", "the flood", "nothing at all"]))
@settings(deadline=None)
def test_a_shortened_passage_is_whole_sentences_that_stand_where_it_says(share: float, asked: str) -> None:
    whole = asking("", question=f"What of {asked}?").changed(passages=(passage(TEXT, start=1000),))
    less = less_to_ask(whole, share)
    assert less is not None
    (kept,) = less.passages
    runs = {" ".join(SENTENCES[i:j]) for i in range(5) for j in range(i + 1, 6)} - {TEXT}
    assert kept.text in runs
    assert TEXT[kept.start - 1000 : kept.end - 1000] == kept.text
    assert len(kept.text) <= max(len(TEXT) * share, max(map(len, SENTENCES)))


def test_a_single_sentence_is_never_cut() -> None:
    assert less_to_ask(asking(SENTENCES[0]), 0.1) is None
    assert less_to_ask(asking(), 0.1) is None


def test_a_planner_loses_documents_first_then_memories_and_keeps_one_document() -> None:
    first = less_to_plan(planning(4, 3), 0.5)
    assert first is not None
    assert ([one.document_id for one in first.documents], len(first.history)) == (["d0.txt", "d1.txt"], 3)
    second = less_to_plan(planning(1, 3), 0.5)
    assert second is not None
    assert ([one.document_id for one in second.documents], [one.id for one in second.history]) == (["d0.txt"], [1])
    assert less_to_plan(planning(1, 0), 0.5) is None


def test_thinking_can_do_without_any_document() -> None:
    variables = ThinkVariables(
        question="Q", mission="M", strategy="S", documents=(card(1),), document_count=1, term_frequencies=()
    )
    less = less_to_think(variables, 0.9)
    assert less is not None
    assert less.documents == ()
    assert less_to_think(less, 0.9) is None


def test_reflection_loses_the_memories_of_the_lowest_points_and_keeps_their_order() -> None:
    memories = (memory(1, 60), memory(2, None), memory(3, 90), memory(4, 55), memory(5, 75))
    less = less_to_reflect(ReflectVariables(question="Q", mission="M", needs=(), memories=memories), 0.7)
    assert less is not None
    assert [one.id for one in less.memories] == [1, 3, 5]
    one = ReflectVariables(question="Q", mission="M", needs=(), memories=memories[:1])
    assert less_to_reflect(one, 0.7) is None


def test_an_answer_loses_its_last_evidence_and_keeps_the_ids_of_the_rest() -> None:
    evidence = tuple(Evidence(id=f"E{i}", text="t", document_id="d", place="d:1", point=90 - i) for i in range(1, 5))
    less = less_to_answer(AnswerVariables(question="Q", mission="M", evidence=evidence, unknown_infos=()), 0.5)
    assert less is not None
    assert [one.id for one in less.evidence] == ["E1", "E2"]
    last = less.changed(evidence=evidence[:1])
    assert less_to_answer(last, 0.5) is None


class Narrow:
    """Reads prompts up to a length in characters, which it tells only by refusing; `traits` may tell a context."""

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
    """Tells its context, counts a token for each character, and refuses nothing."""

    def __init__(self, context: int) -> None:
        super().__init__(most=10**9, traits=Traits(is_model=True, context_tokens=context))

    def count_tokens(self, text: str) -> int:
        return len(text)


def client(engine: Narrow) -> EngineClient:
    return EngineClient({role: engine for role in Role}, Prompts(), InMemoryJournal(), lambda: 0.0)


def length(variables: AskVariables) -> int:
    return len(Prompts().prompt("query/ask", variables).text)


def shown(engine: Narrow) -> list[str]:
    (prompt,) = engine.read
    assert isinstance(prompt.variables, AskVariables)
    return [one.text for one in prompt.variables.passages]


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
    assert reading.value.point == 90
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
    asked = client(engine)
    with pytest.raises(ContextTooLongError, match="too long for me"):
        asked.ask("query/ask", asking(TEXT), AskReply, smaller=less_to_ask)
    assert asked.usage().calls == 0


def test_a_prompt_of_which_nothing_can_be_left_out_is_refused_at_once() -> None:
    engine = Narrow(most=10)
    with pytest.raises(ContextTooLongError):
        client(engine).ask("query/ask", asking(*SENTENCES), AskReply)
    assert engine.refused == 1


def test_a_repair_that_does_not_fit_leaves_the_first_reply_as_it_is() -> None:
    variables = asking(SENTENCES[0])

    class Mumbling(Narrow):
        def reply(self, prompt: Prompt) -> Reply:
            super().reply(prompt)
            return Reply(text="Well, who knows.")

    engine = Mumbling(most=length(variables) + 20)
    reading = client(engine).ask(
        "query/ask", variables, AskReply, problem_with=lambda reply: "" if reply.point is not None else "no point"
    )
    assert reading.raw == "Well, who knows."
    assert reading.problem
    assert (len(engine.read), engine.refused) == (1, 1)


def consulted(traits: Traits) -> tuple[AskReply | None, list[Prompt]]:
    """What the second engine says beside a first one of these traits, and what it was asked."""
    first, second = ScriptedEngine(SAID, traits=traits), ScriptedEngine('{"point": 7, "quotes": ["q"], "reply": "r"}')
    journal = InMemoryJournal()
    asked = EngineClient({role: first for role in Role}, Prompts(), journal, lambda: 0.0, second=second)
    opinion = asked.opinion("query/ask", asking(TEXT), AskReply)
    assert (first.asked, journal.usage().calls) == ([], 0)
    return opinion, second.asked


def test_a_second_opinion_is_heard_beside_a_language_model_and_costs_nothing() -> None:
    opinion, asked = consulted(Traits(is_model=True))
    assert opinion == AskReply(point=7, quotes=("q",), reply="r")
    assert [prompt.variables for prompt in asked] == [asking(TEXT)]


def test_no_second_opinion_is_sought_where_no_language_model_is_asked() -> None:
    assert consulted(Traits()) == (None, [])


def test_a_long_constant_part_still_leaves_room_for_what_fits() -> None:
    """The needs cannot be left out and take most of the context; the documents are cut again and again."""
    needs = tuple(Need(term=f"term number {i}", reason="a long reason " * 12) for i in range(12))
    variables = planning(12, 0).changed(needs=needs)
    prompts = Prompts()
    one = variables.changed(documents=variables.documents[:1])
    engine = Counting(context=round((len(prompts.prompt("planner/plan", one).text) + 100) / 0.95))
    client(engine).ask("planner/plan", variables, PlanReply, smaller=less_to_plan)
    (prompt,) = engine.read
    assert isinstance(prompt.variables, PlanVariables)
    assert prompt.variables.documents
