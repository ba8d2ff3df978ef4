"""A turn of BB3 from its decisions to what it remembers, with models whose texts are given (seed: bb3_agents)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.exchange import ModuleReply, ModuleRequest, SearchDocument
from investigator.bb3.forms.text_forms import PrefixForm, Prompted, TokenForm, Written
from investigator.bb3.memory.choice import MemoryOptions
from investigator.bb3.memory.session import SessionMemories
from investigator.bb3.memory.text import MemoryForm
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.module_table import LARGE
from investigator.bb3.records import Module, Speaker
from investigator.bb3.turn_draft import Draft, LiveConversation

DOG = "Person 1's Persona: I have a dog."
TEXTS = {
    Module.SDM: "search",
    Module.MDM: "access memory",
    Module.SGM: "dog food",
    Module.MGM: "no persona",
    Module.CKM: "dogs",
    Module.MKM: "I have a dog.",
    Module.SKM: "Dogs eat meat.",
}


class Given:
    """A writer whose texts are given for each module, the same each time; it keeps who was asked what."""

    def __init__(self, texts: Mapping[Module, str] | None = None) -> None:
        self.texts = {**TEXTS, **(texts or {})}
        self.asked: list[tuple[Module, str]] = []

    def write(self, module: Module, prompts: Sequence[Prompted]) -> list[Written]:
        self.asked += [(request.module, prompt) for request, prompt in prompts]
        return [Written(text=self.texts.get(request.module, f"said by {request.module}")) for request, _ in prompts]

    def modules(self) -> list[Module]:
        return [module for module, _ in self.asked]

    def prompt(self, module: Module) -> str:
        return next(prompt for asked, prompt in self.asked if asked is module)


class Shop:
    """A search that finds one document for queries that name it, and keeps its queries."""

    def __init__(self) -> None:
        self.queries: list[str] = []

    def search(self, query: str, count: int) -> list[SearchDocument]:
        self.queries.append(query)
        return [SearchDocument(title=query, text=f"All about {query}.", url=f"shop/{query}")] if "food" in query else []


def remembering(*memories: str, form: MemoryForm = MemoryForm.PREFIXES) -> SessionMemories:
    kept = SessionMemories(form, MemoryOptions(), chance=lambda: 1.0)
    kept.set(dict.fromkeys(memories, 0))
    return kept


def large(writer: Given, shop: Shop | None = None, **options: object) -> ModularChat:
    return ModularChat(PrefixForm(writer), LARGE, ChatOptions.model_validate(options), shop or Shop())


def take_turn(chat: ModularChat, conversation: LiveConversation, text: str) -> Draft:
    conversation.hear(text)
    (draft,) = chat.reply([conversation])
    return draft


def test_a_turn_goes_from_decisions_over_knowledge_to_the_reply_and_what_is_remembered() -> None:
    writer, shop = Given(), Shop()
    conversation = LiveConversation(remembering(DOG))
    draft = take_turn(large(writer, shop), conversation, "What shall I buy?")
    assert writer.modules() == [
        *(Module.SDM, Module.MDM, Module.MGM, Module.SGM, Module.SKM, Module.MKM),
        *(Module.MRM, Module.MGM),
    ]
    assert shop.queries == ["dog food"]
    assert conversation.turns[-1].text == draft.message("bot").text == "said by mrm"


def test_decisions_see_the_last_turn_and_queries_the_whole_conversation() -> None:
    writer = Given()
    chat, conversation = large(writer), LiveConversation(remembering(DOG))
    take_turn(chat, conversation, "Hello.")
    writer.asked.clear()
    take_turn(chat, conversation, "What shall I buy?")
    assert writer.prompt(Module.SDM) == "Person 1: What shall I buy?\nSearch Decision:"
    assert writer.prompt(Module.MDM) == f"Personal Fact: {DOG}\nPerson 1: What shall I buy?\nMemory Decision:"
    heard = "Person 1: Hello.\nPerson 2: said by mrm\nPerson 1: What shall I buy?\n"
    assert writer.prompt(Module.SGM) == f"{heard}Query:"
    assert writer.prompt(Module.MKM) == f"{DOG}\n{heard}Personal Fact:"


def test_without_memories_the_decision_is_asked_for_and_nothing_recalled() -> None:
    writer = Given()
    draft = take_turn(large(writer), LiveConversation(remembering()), "What shall I buy?")
    assert Module.MDM in writer.modules()
    assert Module.MKM not in writer.modules()
    assert not draft.uses_memory


def test_all_kinds_of_knowledge_stand_before_one_reply_topic_memory_and_documents_in_this_order() -> None:
    writer = Given()
    chat = large(writer, contextual_knowledge_decision=Decide.ALWAYS)
    take_turn(chat, LiveConversation(remembering(DOG)), "What shall I buy?")
    (prompt,) = [prompt for _, prompt in writer.asked if prompt.endswith("Person 2:")]
    kinds = ["Previous Topic: dogs", f"Personal Fact: {DOG}", "Interesting Fact: Dogs eat meat."]
    assert [line for line in prompt.splitlines() if line in kinds] == kinds


def test_decisions_query_documents_and_memory_stand_in_the_reply() -> None:
    message = take_turn(large(Given()), LiveConversation(remembering(DOG)), "What shall I buy?").message("bot")
    told = {
        "search_decision": "search",
        "memory_decision": "access memory",
        "search_query": "dog food",
        "search_knowledge": "Dogs eat meat.",
        "memory_knowledge": DOG,
        "search_knowledge_doc_titles": ["dog food"],
        "search_knowledge_doc_content": ["All about dog food."],
        "search_knowledge_doc_urls": ["shop/dog food"],
        "memories": {DOG: 0},
    }
    assert {name: message.get(name) for name in told} == told


def test_a_conversation_is_opened_from_what_is_remembered() -> None:
    writer = Given({Module.ORM: "How is your dog?"})
    conversation = LiveConversation(remembering(DOG))
    draft = large(writer).open(conversation)
    assert writer.prompt(Module.ORM) == f"{DOG}\nOpening:"
    assert draft.message("bot").text == conversation.turns[-1].text == "How is your dog?"
    assert conversation.turns[-1].speaker is Speaker.SELF


def test_a_module_alone_answers_from_the_documents_and_memories_it_is_given() -> None:
    writer = Given()
    document = SearchDocument(title="Dogs", text="They eat meat.")
    asked = [
        ModuleRequest(module=Module.SKM, by=Module.SKM, query="dogs", documents=(document,)),
        ModuleRequest(module=Module.MKM, by=Module.MKM, memories=(DOG,)),
    ]
    assert TokenForm(writer).ask(asked) == [ModuleReply(text="Dogs eat meat."), ModuleReply(text=DOG)]
    PrefixForm(writer).ask(asked)
    assert [prompt for _, prompt in writer.asked[-2:]] == [
        "External Knowledge: Dogs | They eat meat.\nInteresting Fact:",
        f"{DOG}\nPersonal Fact:",
    ]
