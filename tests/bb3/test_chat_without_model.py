"""Without a model, the chat searches if anything is asked, recalls by vectors, and quotes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from talks import turns

from investigator import Investigator
from investigator.asking.prompts import Prompts
from investigator.asking.replies import read_reply
from investigator.bb3.chats import open_chat
from investigator.bb3.exchange import asks, only_asks
from investigator.bb3.extractive import chat_answers
from investigator.bb3.folder_chat import FolderChat
from investigator.bb3.records import (
    CONTRACTS,
    DecisionReply,
    FactReply,
    FactsVariables,
    Module,
    PersonalFact,
    PhraseReply,
    ResponseReply,
    ResponseVariables,
    Speaker,
    Turn,
    TurnsVariables,
)
from investigator.dialogue.messages import Message
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.scripted import ScriptedEmbedder
from investigator.errors import SettingsError
from investigator.records import AskVariables, Prompt, Quote, Record, ShownDocument, ShownPassage

ENGINE = ExtractiveEngine(SentenceTransformerEmbedder(), chat_answers)
PROMPTS = Prompts(contracts=CONTRACTS)


def facts(*texts: str, speaker: Speaker = Speaker.PARTNER) -> tuple[PersonalFact, ...]:
    return tuple(PersonalFact(id=i, speaker=speaker, text=text) for i, text in enumerate(texts, 11))


def reply(module: Module, variables: Record) -> Record:
    """Return the engine's reply to the rendered template, parsed like a model's reply."""
    prompt = PROMPTS.prompt(module.template, variables)
    return read_reply(ENGINE.reply(prompt).text, prompt.reply_type)


def phrase(module: Module, *texts: str) -> str:
    found = reply(module, TurnsVariables(turns=turns(*texts)))
    assert isinstance(found, PhraseReply)
    return found.text


def needed(module: Module, variables: Record) -> bool:
    found = reply(module, variables)
    assert isinstance(found, DecisionReply)
    return found.needed


def response(module: Module, variables: Record) -> ResponseReply:
    found = reply(module, variables)
    assert isinstance(found, ResponseReply)
    return found


@pytest.mark.parametrize(
    ("text", "is_question"),
    [
        ("Hello! Who signed the lease?", True),
        ("研究持续了多长时间？", True),
        ("Πόσο διήρκεσε;", False),
        ("Thank you so much.", False),
        ("", False),
    ],
)
def test_a_question_mark_needs_a_search(text: str, is_question: bool) -> None:
    assert needed(Module.SDM, TurnsVariables(turns=turns(text))) is is_question
    assert asks(text) is is_question


def test_only_the_last_turn_decides_on_a_search() -> None:
    before = turns("Who signed the lease?", "Anna Berg did.", "Thank you so much.")
    assert not needed(Module.SDM, TurnsVariables(turns=before))


def test_a_turn_that_also_tells_something_does_not_only_ask() -> None:
    assert only_asks("Who? And when?")
    assert not only_asks("I have a dog. May I keep it?")
    assert not only_asks("")


DOG = facts("I have a dog called Rex.", "I work as a baker.")


@pytest.mark.parametrize(
    ("text", "fact_id"),
    [
        ("What is my dog called?", 11),
        ("Where do I work?", 12),
        ("My dog is ill.", None),
        ("", None),
    ],
)
def test_a_question_recalls_the_fact_that_is_nearest(text: str, fact_id: int | None) -> None:
    variables = FactsVariables(turns=turns(text), facts=DOG)
    found = reply(Module.MKM, variables)
    assert isinstance(found, FactReply)
    assert found.fact_id == fact_id
    assert needed(Module.MDM, variables) is (fact_id is not None)
    assert reply(Module.MKM, variables.changed(facts=())) == FactReply(point=0)


def test_a_far_fact_is_not_given_beside_a_quote() -> None:
    given = ResponseVariables(turns=turns("How much power?"), fact=DOG[0], knowledge=(QUOTE,))
    assert "Rex" not in response(Module.SRM, given).reply
    assert "Rex" in response(Module.SRM, given.changed(knowledge=())).reply


def test_of_two_facts_that_are_equally_near_the_newer_comes_first_and_both_are_given() -> None:
    variables = FactsVariables(turns=turns("Where do I live?"), facts=facts("I live in Rome.", "I live in Rome."))
    found = reply(Module.MKM, variables)
    assert isinstance(found, FactReply)
    assert (found.fact_id, found.more_ids) == (12, (11,))


def test_a_query_is_the_question_of_a_turn() -> None:
    text = "Good morning, I had a long day. What does the lease say about smoking? Thanks!"
    assert phrase(Module.SGM, text) == "What does the lease say about smoking?"
    assert phrase(Module.SGM, "What does the lease\nsay about smoking?") == "What does the lease say about smoking?"
    assert phrase(Module.SGM, "") == phrase(Module.SGM, "What is it?") == ""


def test_a_query_names_what_a_pronoun_stands_for() -> None:
    talk = ("Who owns Nordwind?", "Anna Berg owns it.", "Where does she live?")
    assert phrase(Module.SGM, *talk) == "Where does she live?\nWhere does she live? (owns Nordwind Anna Berg owns)"
    talk = ("What is the rent of the mill?", "“The rent is EUR 5.” (a.txt:line 3)", "And the deposit?")
    assert phrase(Module.SGM, *talk) == "And the deposit?\nAnd the deposit? (rent mill)"


def test_statements_are_noted_word_for_word_and_questions_are_not() -> None:
    assert phrase(Module.MGM, "Nice! I have two cats. Do you like cats?") == "I have two cats."
    assert phrase(Module.MGM, "Do you like cats?") == phrase(Module.MGM, "x y " * 200) == ""
    own = Turn(speaker=Speaker.SELF, text="You told me: “I have a dog.”")
    assert reply(Module.MGM, TurnsVariables(turns=(own,))) == PhraseReply(text="")


def test_the_entity_is_what_is_spoken_of_last_and_most() -> None:
    talk = ("I love baseball.", "Me too! The New York Yankees are my team.", "The New York Yankees are 50-20.")
    assert phrase(Module.CKM, *talk) == "New York Yankees"
    assert phrase(Module.CKM, "The lease ends in May.", "And what about the deposit?") == "deposit"
    assert phrase(Module.CKM, "ok") == ""


QUOTE = Quote(
    document_id="a.pdf", page=3, line=7, start=0, end=31, text="The plant makes\n42 MW of power.", source_hash="0" * 64
)


def test_a_reply_from_documents_is_their_quote_and_its_place() -> None:
    found = response(Module.SRM, ResponseVariables(turns=turns("How much power?"), knowledge=(QUOTE,)))
    assert found.quotes == (QUOTE.text,)
    assert found.reply == f"“The plant makes 42 MW of power.” ({QUOTE.place})"


def test_without_a_quote_nothing_is_said_of_documents() -> None:
    found = response(Module.SRM, ResponseVariables(turns=turns("How much power?")))
    assert (found.quotes, found.reply) == ((), "I have nothing to quote on that.")


def test_a_memory_is_given_back_to_whom_it_belongs_with_its_day() -> None:
    told = ResponseVariables(turns=turns("Have I a pet?"), fact=DOG[0].changed(stated="2025-03-01"))
    assert response(Module.MRM, told).reply == "You told me on 2025-03-01: “I have a dog called Rex.”"
    own = told.changed(fact=PersonalFact(id=1, speaker=Speaker.SELF, text="I sing.\nI dance."))
    assert response(Module.MRM, own).reply == "I told you: “I sing.” “I dance.”"


def test_all_that_is_given_is_combined_in_the_order_entity_memory_knowledge() -> None:
    given = ResponseVariables(
        turns=turns("Who works as a baker?"), entity="power", fact=DOG[1], knowledge=(QUOTE,), style="Gloomy"
    )
    found = response(Module.SRM, given)
    places = [found.reply.index(part) for part in ("power:", "I work as a baker.", "42 MW of power.")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Who owns it?", "I have nothing to quote on that. I have not looked it up."),
        ("It rained.", "What would you like to know?"),
    ],
)
def test_a_plain_reply_claims_nothing(text: str, said: str) -> None:
    assert response(Module.VRM, TurnsVariables(turns=turns(text))).reply == said


def test_a_conversation_opens_with_what_the_partner_told_last() -> None:
    known = (*DOG, PersonalFact(id=99, speaker=Speaker.SELF, text="I like chess."))
    opening = response(Module.ORM, FactsVariables(turns=(), facts=known)).reply
    assert "I work as a baker." in opening
    assert "chess" not in opening
    assert response(Module.ORM, FactsVariables(turns=(), facts=())).reply == "Hello! What would you like to know?"


def variables_for(module: Module, text: str) -> Record:
    kind, talk = CONTRACTS[module.template].variables, turns("Before.", text) if text else ()
    if kind is FactsVariables:
        return FactsVariables(turns=talk, facts=facts(text, "你好"))
    if kind is AskVariables:
        shown = ShownDocument(document_id="a.txt", passages=(ShownPassage(text=text.replace("\ud800", "?"), start=0),))
        return AskVariables(main_question=text, mission="", documents=(shown,))
    if kind is ResponseVariables:
        return ResponseVariables(turns=talk, entity=text, fact=facts(text)[0], style=text)
    return TurnsVariables(turns=talk)


STRANGE = {
    "none": "",
    "blank": " \n",
    "chinese": "什么是蒸汽机？",
    "arabic": "ما هي عاصمة فرنسا؟",
    "emoji": "🙂🙂",
    "half a surrogate pair": "\ud800?",
    "quotation marks": "'\"“",
    "stop words": "of the",
    "a long word": "A" * 5_000,
    "many sentences": "I am. " * 900,
}


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_every_module_replies_to_any_text_and_always_the_same(text: str) -> None:
    engine = ExtractiveEngine(ScriptedEmbedder(), chat_answers)
    for module in Module:
        contract = CONTRACTS[module.template]
        prompt = Prompt(module.template, variables_for(module, text), "never read", contract.reply or Record)
        first = engine.reply(prompt).text
        assert isinstance(prompt.reply_type.model_validate_json(first), prompt.reply_type)
        assert engine.reply(prompt).text == first


def test_variables_of_another_module_are_refused() -> None:
    with pytest.raises(SettingsError, match="bb3/mkm"):
        ENGINE.reply(Prompt("bb3/mkm", TurnsVariables(turns=turns("Hi")), "x", FactReply))


@pytest.fixture(scope="module")
def investigator(tmp_path_factory: pytest.TempPathFactory) -> Investigator:
    folder = tmp_path_factory.mktemp("harbour") / "docs"
    folder.mkdir()
    (folder / "harbour.md").write_text("# Harbour\n\nThe harbour has a depth of 12 metres. It was dredged in 2019.\n")
    return Investigator(folder)


@pytest.fixture
def chat(investigator: Investigator) -> Iterator[FolderChat]:
    with ExitStack() as opened:
        yield opened.enter_context(open_chat(investigator))


def last_reply(chat: FolderChat, user: str, *texts: str) -> Message:
    session = chat.start(user)
    return [chat.reply([(session, Message(text=text))])[0] for text in texts][-1]


def test_a_chat_quotes_what_is_asked_in_other_words_than_the_document_as_ask_does(
    investigator: Investigator, chat: FolderChat
) -> None:
    question, sentence = "How deep is the harbour?", "The harbour has a depth of 12 metres."
    assert any(sentence in quote.text for quote in investigator.ask(question).citations)
    assert sentence in last_reply(chat, "anna", question).text


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I work as a nurse in Bergen", "Where do I work?"),
        ("I work as a nurse in Bergen", "Do you know where I work?"),
        ("I live alone in Bergen with my dog", "Where do I live?"),
        ("I come from Bergen", "What city am I from?"),
        ("Ich arbeite als Arzt in Bergen", "Wo arbeite ich?"),
    ],
)
def test_where_one_works_lives_or_comes_from_is_answered_from_what_was_told(
    chat: FolderChat, told: str, question: str
) -> None:
    assert last_reply(chat, f"{told} {question}", told, question).text.endswith(f": “{told}”")


def test_what_was_not_told_is_not_denied(chat: FolderChat) -> None:
    assert last_reply(chat, "berta", "I like tea.", "Where do I live?").text == "I have nothing to quote on that."


def test_a_question_about_the_place_where_one_lives_is_one_for_the_documents(chat: FolderChat) -> None:
    assert last_reply(chat, "carl", "Which harbours are near where I live?")["search_decision"] == "search"


def test_a_new_question_is_answered_by_itself_and_one_that_finds_nothing_with_the_words_before_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "bricks.md").write_text("Facing bricks cost 900 euros per thousand in 2025.\n")
    (tmp_path / "people.md").write_text("The electrician is Anna Berg.\n")
    with open_chat(Investigator(tmp_path)) as chat:
        before = "What do facing bricks cost in 2025?"
        new = last_reply(chat, "anna", before, "Who is the electrician?").text
        assert "Anna Berg" in new
        assert "bricks" not in new
        assert "900 euros" in last_reply(chat, "berta", before, "And that per thousand?").text
