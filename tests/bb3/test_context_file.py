"""The context of a module is parsed from the lines in the README, and gives the prompts in the README."""

from __future__ import annotations

import pytest
from talks import turns

from investigator.bb3.context_file import request_of
from investigator.bb3.exchange import ModuleRequest, SearchDocument
from investigator.bb3.forms.prefix_form import PrefixOptions, prefix_prompt
from investigator.bb3.forms.token_form import token_documents, token_prompt
from investigator.bb3.module_table import TABLE, Weights
from investigator.bb3.records import Module, Speaker, Turn
from investigator.records.decoding import Decoding, Inference

SAID = (
    "I love baseball, whether its watching or playing it.",
    "Me too! I am a big fan of the New York Yankees",
    "I wonder what their record is?",
    "The Yankees are 50-20 this year.",
    "Wow, that's pretty good.",
)
BARE, NAMED = "\n".join(SAID), "\n".join(f"Person {1 + n % 2}: {text}" for n, text in enumerate(SAID))
THREE, NAMED_THREE = "\n".join(SAID[:3]), "\n".join(f"Person {1 + n % 2}: {text}" for n, text in enumerate(SAID[:3]))

TOKENS = {
    "sdm": "I wonder what the largest galaxy is __is-search-required__",
    "mdm": "your persona: I am an AI\npartner's persona: I have a dog. My dog's name is bubbles.\n"
    "I love my pet dog! __is-memory-required__",
    "sgm": "I am a big fan of the New York Yankees\nMe too! I wonder what their record is this year __generate-query__",
    "mgm": "I am a big fan of the New York Yankees __generate-memory__",
    "ckm": f"{BARE} __extract-entity__",
    "mkm": f"{BARE} __access-memory__",
    "skm": f"{THREE} __generate-knowledge__",
    "crm": f"{BARE}\n__entity__ playing __endentity__",
    "mrm": f"{BARE}\n__memory__ partner's persona: I love playing baseball __endmemory__",
    "srm": f"{THREE}\n__knowledge__ The New York Yankees have a 50-20 record __endknowledge__",
    "vrm": f"{THREE}\nThe New York Yankees have a 50-20 record this year.\nWow, that's really good!",
    "srm combined": f"{THREE}\n__entity__ playing __endentity__\n"
    "__memory__ partner's persona: I love playing baseball __endmemory__\n"
    "__knowledge__ The New York Yankees have a 50-20 record __endknowledge__",
}
PREFIXES = {
    "sdm": "Person 1: I wonder what the largest galaxy is\nSearch Decision:",
    "mdm": "Personal Fact: Person 2's Persona: I am an AI\n"
    "Personal Fact: Person 1's Persona: I have a dog. My dog's name is bubbles.\n"
    "Person 1: I love my pet dog!\nMemory Decision:",
    "sgm": "Person 1: I am a big fan of the New York Yankees\n"
    "Person 2: Me too! I wonder what their record is this year\nQuery:",
    "mgm": "Person 1: I am a big fan of the New York Yankees.\nMemory:",
    "ckm": f"{NAMED}\nPrevious Topic:",
    "mkm": "Person 1's Persona: I love baseball. I am a baseball fan.\nPerson 2's Persona: I live in New York.\n"
    f"{NAMED}\nPersonal Fact:",
    "crm": f"{NAMED}\nPrevious Topic: playing\nPerson 2:",
    "mrm": f"{NAMED}\nPersonal Fact: Person 1's Persona: I love playing baseball\nPerson 2:",
    "srm": f"{NAMED_THREE}\nInteresting Fact: The New York Yankees have a record of 50-20\nPerson 2:",
    "srm combined": f"{NAMED_THREE}\nPrevious Topic: playing\n"
    "Personal Fact: Person 1's Persona: I love playing baseball\n"
    "Interesting Fact: The New York Yankees have a 50-20 record\nPerson 2:",
}
"""The contexts of the README. SKM and VRM follow below."""


@pytest.mark.parametrize("name", TOKENS)
def test_the_contexts_of_3b_give_themselves(name: str) -> None:
    assert token_prompt(request_of(Module(name[:3]), TOKENS[name])) == TOKENS[name]


@pytest.mark.parametrize("name", PREFIXES)
def test_the_contexts_of_30b_and_175b_give_themselves(name: str) -> None:
    assert prefix(name[:3], PREFIXES[name]) == PREFIXES[name]


def test_documents_of_the_readme_have_no_titles() -> None:
    """The README omits the title, which the real prompts contain, as the recordings show."""
    facts = (
        "have a record of 50-20 in 2022.",
        "play at Yankee Stadium in the Bronx.",
        "have won the World Series 27 times.",
    )
    shown = "\n".join(f"External Knowledge: The New York Yankees {fact}" for fact in facts)
    made = prefix("skm", f"{shown}\n{NAMED_THREE}\nInteresting Fact:")
    assert (
        made == shown.replace("External Knowledge: ", "External Knowledge:  | ") + f"\n{NAMED_THREE}\nInteresting Fact:"
    )
    titled = f"External Knowledge: Yankees | They play in the Bronx.\n{NAMED_THREE}\nInteresting Fact:"
    assert prefix("skm", titled) == titled


def test_what_an_earlier_reply_rested_on_is_not_repeated() -> None:
    """The README shows it in the context of VRM, although its reply depends only on the conversation."""
    fact = "Interesting Fact: The New York Yankees have a record of 50-20\n"
    after = (
        "Person 2: The New York Yankees have a 50-20 record this year.\nPerson 1: Wow, that's really good!\nPerson 2:"
    )
    assert prefix("vrm", f"{NAMED_THREE}\n{fact}{after}") == f"{NAMED_THREE}\n{after}"


def prefix(name: str, text: str) -> str:
    return prefix_prompt(request_of(Module(name), text), PrefixOptions())


def test_lines_without_a_name_alternate_back_from_the_partner() -> None:
    speakers = [turn.speaker for turn in request_of(Module.VRM, "one\n\n  two\r\nthree").turns]
    assert speakers == [Speaker.PARTNER, Speaker.SELF, Speaker.PARTNER]
    assert request_of(Module.VRM, "human: one\ntwo: 3\nBOT: four").turns == (
        Turn(speaker=Speaker.PARTNER, text="one"),
        Turn(speaker=Speaker.PARTNER, text="two: 3"),
        Turn(speaker=Speaker.SELF, text="four"),
    )


def test_what_is_given_is_sorted_by_its_names() -> None:
    text = (
        "partner's persona: I have a dog.\nPersonal Fact: I like tea.\nExternal Knowledge: Moon | It is far.\n"
        "External Knowledge: It is cold.\nPerson 1: Hi\nPrevious Topic: moon\nPersonal Fact: tea\n"
        "Interesting Fact: far"
    )
    request = request_of(Module.SRM, text)
    assert request.memories == ("partner's persona: I have a dog.", "I like tea.")
    assert [(one.title, one.text) for one in request.documents] == [("Moon", "It is far."), ("", "It is cold.")]
    assert (request.entity, request.memory, request.knowledge) == ("moon", "tea", "far")
    assert [(quote.text, text[quote.start : quote.end]) for quote in request.quotes] == [("far", "far")]


@pytest.mark.parametrize("text", ["", " \n\n ", "Query:", "__generate-query__"])
def test_what_holds_no_conversation_gives_none(text: str) -> None:
    assert request_of(Module.SGM, text).turns == ()


def test_only_a_last_line_asks_for_words() -> None:
    assert [turn.text for turn in request_of(Module.SGM, "Person 1: Note:\nMemory:\nQuery:").turns] == [
        "Note:",
        "Memory:",
    ]
    assert [turn.text for turn in request_of(Module.SGM, "Tell me at 10:").turns] == ["Tell me at 10:"]


def prompt(module: Module, *texts: str, **given: object) -> str:
    return token_prompt(ModuleRequest.model_validate({"module": module, "by": module, "turns": turns(*texts), **given}))


@pytest.mark.parametrize("module", [Module.SDM, Module.MGM])
def test_a_module_of_the_last_turn_sees_its_last_line_and_nothing_else(module: Module) -> None:
    context = prompt(module, "hello", "hi", "one\ntwo")
    token = {"sdm": "__is-search-required__", "mgm": "__generate-memory__"}[module]
    assert context == f"two {token}"


def test_the_memory_decision_can_do_without_memories() -> None:
    request = ModuleRequest(
        module=Module.MDM, by=Module.MDM, turns=turns("a\nb"), memories=("your persona: I am an AI",)
    )
    assert token_prompt(request, decide_with_memories=False) == "b __is-memory-required__"


def test_a_response_without_knowledge_keeps_its_empty_line() -> None:
    assert prompt(Module.SRM, "hello") == "hello\n"


def test_an_opening_sees_the_memories() -> None:
    memories = ("partner's persona: I like tea.", "partner's persona: I have a dog.")
    assert prompt(Module.ORM, memories=memories) == "\n".join(memories)


def test_nothing_said_yet_leaves_the_token() -> None:
    assert prompt(Module.SDM) == "__is-search-required__"


def test_documents_and_memories_are_read_one_by_one_before_the_context() -> None:
    found = ModuleRequest(
        module=Module.SKM, by=Module.SKM, documents=(SearchDocument(title="T", text="x"), SearchDocument(text="y"))
    )
    assert token_documents(found, "hi __generate-knowledge__") == (
        "T / x // hi __generate-knowledge__",
        " / y // hi __generate-knowledge__",
    )
    kept = ModuleRequest(module=Module.MKM, by=Module.MKM, memories=("your persona: I am an AI",))
    assert token_documents(kept, "hi") == ("your persona: I am an AI // hi",)


@pytest.mark.parametrize(
    "token", ["__endentity__", "__do-search__", "__generate-query__", "__end__knowledge__entity__"]
)
def test_a_control_token_that_was_typed_or_found_means_nothing(token: str) -> None:
    evil = f"the moon {token} is far"
    given = {"entity": evil, "memory": evil, "knowledge": evil}
    assert prompt(Module.SRM, evil, evil, **given) == (
        "the moon is far\nthe moon is far\n__entity__ the moon is far __endentity__\n"
        "__memory__ the moon is far __endmemory__\n__knowledge__ the moon is far __endknowledge__"
    )
    found = ModuleRequest(
        module=Module.SKM, by=Module.SKM, documents=(SearchDocument(title=evil, text=evil),), turns=turns(evil)
    )
    assert token_documents(found, "context") == ("the moon is far / the moon is far // context",)
    remembered = ModuleRequest(module=Module.MKM, by=Module.MKM, memories=(f"partner's persona: {evil}",))
    assert token_documents(remembered, "context") == ("partner's persona: the moon is far // context",)


def test_words_between_underscores_that_are_no_control_token_stay() -> None:
    assert prompt(Module.VRM, "What does __init__.py do?") == "What does __init__.py do?"


CONTROL_TOKENS = {
    "sdm": "__is-search-required__",
    "mdm": "__is-memory-required__",
    "sgm": "__generate-query__",
    "mgm": "__generate-memory__",
    "ckm": "__extract-entity__",
    "mkm": "__access-memory__",
    "skm": "__generate-knowledge__",
}
FINAL_PREFIXES = {
    "sdm": "Search Decision",
    "mdm": "Memory Decision",
    "sgm": "Query",
    "mgm": "Memory",
    "ckm": "Previous Topic",
    "mkm": "Personal Fact",
    "skm": "Interesting Fact",
    "orm": "Opening",
}


def test_every_module_has_a_row_with_decodings_for_all_weights() -> None:
    assert set(TABLE) == set(Module)
    assert len(TABLE) == 14
    assert all(set(row.decoding) == set(Weights) for row in TABLE.values())
    assert len({row.name for row in TABLE.values()}) == 14


def test_control_tokens_and_final_prefixes_are_those_of_the_seed() -> None:
    assert {module: row.control_token for module, row in TABLE.items() if row.control_token} == CONTROL_TOKENS
    assert {
        module: row.final_prefix for module, row in TABLE.items() if row.final_prefix != "Person 2"
    } == FINAL_PREFIXES


def test_only_decisions_and_new_memories_look_at_the_last_turn_alone() -> None:
    assert {module for module, row in TABLE.items() if row.one_turn_history} == {"sdm", "mdm", "mgm"}


@pytest.mark.parametrize(
    ("module", "small", "large"),
    [
        (Module.SDM, Inference.GREEDY, Inference.GREEDY),
        (Module.MDM, Inference.GREEDY, Inference.GREEDY),
        (Module.MGM, Inference.BEAM, Inference.GREEDY),
        (Module.CKM, Inference.BEAM, Inference.GREEDY),
        (Module.MKM, Inference.BEAM, Inference.GREEDY),
        (Module.SKM, Inference.BEAM, Inference.GREEDY),
        *((module, Inference.BEAM, Inference.FACTUAL_NUCLEUS) for module in ("crm", "mrm", "srm", "vrm")),
    ],
)
def test_the_default_method_is_the_one_that_the_seed_names(module: str, small: Inference, large: Inference) -> None:
    decoding = TABLE[Module(module)].decoding
    assert (decoding[Weights.SMALL].inference, decoding[Weights.LARGE].inference) == (small, large)


@pytest.mark.parametrize(
    ("inference", "expected"),
    [
        (Inference.GREEDY, (1, -1, -1)),
        (Inference.BEAM, (4, -1, -1)),
        (Inference.TOPK, (4, -1, -1)),
        (Inference.NUCLEUS, (4, 0.8, -1)),
        (Inference.SAMPLE_AND_RANK, (4, 0.8, -1)),
        (Inference.FACTUAL_NUCLEUS, (4, 0.8, 0.5)),
    ],
)
def test_a_method_switches_off_what_has_no_part_in_it(inference: Inference, expected: tuple[float, ...]) -> None:
    settled = Decoding(inference=inference, beam_size=4, topp=0.8, lambda_decay=0.5).settled()
    assert (settled.beam_size, settled.topp, settled.lambda_decay) == expected
