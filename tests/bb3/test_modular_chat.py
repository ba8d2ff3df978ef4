"""A turn goes through its steps as the options define, for one conversation or many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from investigator.asking.budget import BudgetSpent
from investigator.bb3.chat_options import ChatOptions, Conditioning, Decide
from investigator.bb3.exchange import FAILED, ModuleReply, ModuleRequest, SearchDocument
from investigator.bb3.memory.session import MemoryOptions, SessionMemories
from investigator.bb3.memory.text import MemoryForm
from investigator.bb3.modular_chat import ModularChat
from investigator.bb3.module_table import CHAT, LARGE, SMALL, Family
from investigator.bb3.records import Module, Speaker
from investigator.bb3.turn_draft import LiveConversation, TurnDraft
from investigator.errors import EngineError
from investigator.records import Quote, StopReason

DOCUMENTS = (SearchDocument(title="Moon", text="The moon is far."), SearchDocument(title="Sun", text="It is hot."))
FAILURE = ModuleReply(text=FAILED, failed=True)
DOG = "Person 1's Persona: I have a dog."
Given = ModuleReply | Exception | Callable[[ModuleRequest], ModuleReply]


class Modules:
    """Returns given replies, and records the requests of each batch."""

    def __init__(self, replies: Mapping[Module, Given] | None = None) -> None:
        usual: dict[Module, Given] = {
            Module.SDM: ModuleReply(text="search", needed=True),
            Module.MDM: ModuleReply(text="access memory", needed=True),
            Module.MKM: ModuleReply(text=DOG),
            Module.MGM: ModuleReply(text=""),
        }
        self.replies = {**usual, **(replies or {})}
        self.batches: list[list[ModuleRequest]] = []

    def ask(self, requests: Sequence[ModuleRequest]) -> list[ModuleReply]:
        self.batches.append(list(requests))
        return [self._reply(request) for request in requests]

    def _reply(self, request: ModuleRequest) -> ModuleReply:
        given = self.replies.get(request.module, ModuleReply(text=f"{request.module} says"))
        if isinstance(given, Exception):
            raise given
        return given(request) if callable(given) else given

    @property
    def asked(self) -> list[Module]:
        return [request.module for batch in self.batches for request in batch]

    def of(self, module: Module) -> list[ModuleRequest]:
        return [request for batch in self.batches for request in batch if request.module is module]


class Search:
    """A search that returns the documents, or fails."""

    def __init__(self, found: Sequence[SearchDocument] | Exception = DOCUMENTS) -> None:
        self.found = found
        self.queries: list[tuple[str, int]] = []

    def search(self, query: str, count: int) -> Sequence[SearchDocument]:
        self.queries.append((query, count))
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def conversation(text: str = "I look at the moon.", memories: Sequence[str] = (DOG,)) -> LiveConversation:
    kept = SessionMemories(MemoryForm.PREFIXES, MemoryOptions(), chance=lambda: 1.0)
    kept.set(dict.fromkeys(memories, 3))
    made = LiveConversation(kept)
    made.hear(text)
    return made


def turn(
    modules: Modules,
    options: ChatOptions | None = None,
    *,
    search: Search | None = None,
    family: Family = CHAT,
    memories: Sequence[str] = (DOG,),
) -> TurnDraft:
    chat = ModularChat(modules, family, options or ChatOptions(), search or Search())
    (draft,) = chat.reply([conversation(memories=memories)])
    return draft


def decided(search: Decide = Decide.NEVER, memory: Decide = Decide.NEVER, topic: Decide = Decide.NEVER) -> ChatOptions:
    return ChatOptions(search_decision=search, memory_decision=memory, contextual_knowledge_decision=topic)


@pytest.mark.parametrize("search", Decide)
@pytest.mark.parametrize("memory", Decide)
@pytest.mark.parametrize("topic", Decide)
def test_what_is_decided_beforehand_asks_no_module(search: Decide, memory: Decide, topic: Decide) -> None:
    modules = Modules()
    draft = turn(modules, decided(search, memory, topic))
    assert (Module.SDM in modules.asked, Module.MDM in modules.asked) == (
        search is Decide.COMPUTE,
        memory is Decide.COMPUTE,
    )
    uses_search, uses_memory = search is not Decide.NEVER, memory is not Decide.NEVER
    assert (Module.SKM in modules.asked, Module.MKM in modules.asked) == (uses_search, uses_memory)
    uses_topic = topic is Decide.ALWAYS or (topic is Decide.COMPUTE and not uses_search and not uses_memory)
    assert (Module.CKM in modules.asked) == uses_topic
    assert ("search_decision" in draft.decisions) == (search is Decide.COMPUTE)


@pytest.mark.parametrize("module", [Module.SDM, Module.MDM])
def test_a_decision_against_is_followed(module: Module) -> None:
    modules = Modules({module: ModuleReply(text="no", needed=False)})
    turn(modules, decided(Decide.COMPUTE, Decide.COMPUTE))
    left_out = {Module.SDM: Module.SKM, Module.MDM: Module.MKM}[module]
    assert left_out not in modules.asked


@pytest.mark.parametrize("family", [CHAT, LARGE])
@pytest.mark.parametrize("decide", [Decide.ALWAYS, Decide.COMPUTE])
def test_nothing_is_recalled_where_nothing_is_remembered(decide: Decide, family: Family) -> None:
    modules = Modules()
    draft = turn(modules, decided(memory=decide), memories=(), family=family)
    assert (Module.MDM in modules.asked) is (decide is Decide.COMPUTE and family is LARGE)  # BB3 asks
    assert Module.MKM not in modules.asked
    assert not draft.uses_memory


def test_nothing_is_noted_of_a_turn_that_only_asks() -> None:
    modules = Modules()
    ModularChat(modules, CHAT, decided()).reply([conversation("What about the moon? And the sun?")])
    assert [request.turns[-1].speaker for request in modules.of(Module.MGM)] == [Speaker.SELF]


def test_documents_and_query_go_to_the_knowledge_module() -> None:
    modules, search = Modules({Module.SGM: ModuleReply(text="moon")}), Search()
    draft = turn(modules, decided(Decide.ALWAYS).changed(inject_query_string="wiki", n_docs=2))
    (request,) = modules.of(Module.SKM)
    assert (request.query, request.documents) == ("moon wiki", DOCUMENTS)
    assert draft.query == "moon wiki"
    turn(modules, decided(Decide.ALWAYS).changed(n_docs=2), search=search)
    assert search.queries == [("moon", 2)]
    several = Modules({Module.SGM: ModuleReply(text="moon\n\nsun ")})
    assert turn(several, decided(Decide.ALWAYS).changed(inject_query_string="wiki")).query == "moon wiki\nsun wiki"


def test_knowledge_is_combined_in_the_order_of_the_readme() -> None:
    modules = Modules({Module.SKM: ModuleReply(text="far")})
    draft = turn(modules, decided(Decide.ALWAYS, Decide.ALWAYS, Decide.ALWAYS))
    (request,) = [r for batch in modules.batches for r in batch if r.by is Module.SRM]
    assert (request.entity, request.memory, request.knowledge) == ("ckm says", DOG, "far")
    assert draft.kinds == ["entity", "memory", "knowledge"]
    assert draft.message("bot")["best_module"] == "Combined Response"


@pytest.mark.parametrize("family", [CHAT, LARGE, SMALL])
def test_of_separate_replies_the_likeliest_is_said(family: Family) -> None:
    scores = {"entity": -3.0, "memory": -1.0, "knowledge": -2.0}

    def reply(request: ModuleRequest) -> ModuleReply:
        (kind,) = [kind for kind in scores if getattr(request, kind)]
        return ModuleReply(text=f"on {kind}", score=scores[kind])

    modules = Modules({Module.CRM: reply, Module.MRM: reply, Module.SRM: reply})
    options = decided(Decide.ALWAYS, Decide.ALWAYS, Decide.ALWAYS)
    draft = turn(modules, options.changed(knowledge_conditioning=Conditioning.SEPARATE), family=family)
    assert draft.chosen is not None
    assert draft.chosen.text == "on memory"
    message = draft.message("bot")
    assert (message["contextual_dialogue"], message["search_dialogue"]) == ("on entity", "on knowledge")


@pytest.mark.parametrize(("combined", "said"), [(-5.0, "apart"), (-1.0, "together")])
@pytest.mark.parametrize("family", [CHAT, LARGE, SMALL])
def test_conditioning_on_both_says_the_best_of_all(family: Family, combined: float, said: str) -> None:
    def reply(request: ModuleRequest) -> ModuleReply:
        together = sum(bool(text) for text in (request.entity, request.memory, request.knowledge)) > 1
        return ModuleReply(text="together", score=combined) if together else ModuleReply(text="apart", score=-3.0)

    modules = Modules({Module.CRM: reply, Module.MRM: reply, Module.SRM: reply})
    options = decided(Decide.ALWAYS, Decide.ALWAYS, Decide.ALWAYS)
    draft = turn(modules, options.changed(knowledge_conditioning=Conditioning.BOTH), family=family)
    assert draft.chosen is not None
    assert draft.chosen.text == said


def test_of_separate_replies_one_that_failed_is_not_said() -> None:
    failed = ModuleReply(text=FAILED, score=9.0, failed=True)
    modules = Modules({Module.SRM: failed, Module.MRM: ModuleReply(text="your dog", score=-9.0)})
    options = decided(Decide.ALWAYS, Decide.ALWAYS).changed(knowledge_conditioning=Conditioning.SEPARATE)
    draft = turn(modules, options)
    assert draft.chosen is not None
    assert draft.chosen.text == "your dog"


@pytest.mark.parametrize("found", [(), EngineError("nobody is there"), EngineError("it broke")])
def test_a_search_that_finds_nothing_or_fails_leaves_a_topic(found: Sequence[SearchDocument] | Exception) -> None:
    modules = Modules()
    message = turn(modules, decided(Decide.ALWAYS), search=Search(found)).message("bot")
    assert Module.SKM not in modules.asked
    assert (message["contextual_knowledge"], message["text"]) == ("ckm says", "crm says")
    assert message["search_result_failure"] is True
    assert message.get("search_problem") == (str(found) if isinstance(found, Exception) else None)


def test_an_empty_query_searches_nothing() -> None:
    search = Search()
    draft = turn(Modules({Module.SGM: ModuleReply(text="")}), decided(Decide.ALWAYS), search=search)
    assert search.queries == []
    assert draft.problems["search_result_failure"]


def test_without_a_search_nothing_is_found() -> None:
    modules = Modules()
    (draft,) = ModularChat(modules, CHAT, decided(Decide.ALWAYS)).reply([conversation()])
    assert draft.problems["search_result_failure"]
    assert Module.SKM not in modules.asked


def test_a_query_that_failed_leaves_all_knowledge_out() -> None:
    modules = Modules({Module.SGM: ModuleReply(text=FAILED, failed=True)})
    draft = turn(modules, decided(Decide.ALWAYS, Decide.ALWAYS, Decide.ALWAYS))
    assert draft.kinds == []
    assert not {Module.SKM, Module.MKM, Module.CKM} & set(modules.asked)


def test_a_memory_that_the_model_made_up_does_not_end_the_turn() -> None:
    talk = conversation()
    modules = Modules({Module.MKM: ModuleReply(text="Person 1's Persona: I have a cat.")})
    (draft,) = ModularChat(modules, SMALL, decided(memory=Decide.ALWAYS), Search()).reply([talk])
    talk.memories.end_turn(draft.memories_used)
    assert draft.message("bot")["text"] == "mrm says"
    assert talk.memories.texts() == {DOG: 4}


def test_a_memory_that_is_told_again_does_not_end_the_turn() -> None:
    talk = conversation()
    modules = Modules({Module.MGM: ModuleReply(text="I have a dog.")})
    ModularChat(modules, LARGE, decided(memory=Decide.ALWAYS), Search()).reply([talk])
    assert [text for text in talk.memories.texts() if text.startswith("Person 1")] == [DOG]


def test_both_speakers_are_remembered_each_as_its_own() -> None:
    def made(request: ModuleRequest) -> ModuleReply:
        return ModuleReply(text=f"I am the {request.turns[-1].speaker}.")

    talk = conversation(memories=())
    ModularChat(Modules({Module.MGM: made}), CHAT, decided(), Search()).reply([talk])
    assert list(talk.memories.texts()) == [
        "Person 2's Persona: I am the self.",
        "Person 1's Persona: I am the partner.",
    ]


def test_what_documents_say_is_no_memory_of_the_one_who_quotes_it() -> None:
    quote = Quote(document_id="d", page=None, line=1, start=0, end=12, text="I am a moon.", source_hash="h")
    said = ModuleReply(text="I am a moon.", quotes=(quote,))
    modules = Modules({Module.SKM: said, Module.SRM: said, Module.MGM: ModuleReply(text="I am a moon.")})
    talk = conversation(memories=())
    ModularChat(modules, CHAT, decided(Decide.ALWAYS), Search()).reply([talk])
    assert [request.turns[-1].speaker for request in modules.of(Module.MGM)] == [Speaker.PARTNER]
    assert list(talk.memories.texts()) == ["Person 1's Persona: I am a moon."]


@pytest.mark.parametrize(
    ("problem", "told"), [(EngineError("no model"), "no model"), (BudgetSpent(StopReason.CALLS), "stopped(calls)")]
)
def test_a_reply_is_said_though_nothing_of_it_can_be_remembered(problem: Exception, told: str) -> None:
    def made(request: ModuleRequest) -> ModuleReply:
        if request.turns[-1].speaker is Speaker.SELF:
            raise problem
        return ModuleReply(text="I like the moon.")

    talk = conversation(memories=())
    (draft,) = ModularChat(Modules({Module.MGM: made}), CHAT, decided(), Search()).reply([talk])
    message = draft.message("bot")
    assert (message["text"], message["memory_problem"]) == ("vrm says", told)
    assert list(talk.memories.texts()) == ["Person 1's Persona: I like the moon."]


def test_a_reply_or_an_opening_that_failed_is_no_turn() -> None:
    talk = conversation()
    chat = ModularChat(Modules(dict.fromkeys((Module.VRM, Module.ORM), FAILURE)), CHAT, decided(), Search())
    chat.reply([talk])
    chat.open(talk)
    assert len(talk.turns) == 1


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Person 1's Persona: I have a dog. How is it?", "I have a dog. How is it?"),
        ("Person 2: Hello! How is your dog?", "Hello! How is your dog?"),
        ("I heard of Person 1’s dog.", "I heard of  dog."),
        ("Hi Person 1! How is your dog?", "Hi ! How is your dog?"),
    ],
)
def test_an_opening_begins_with_no_prefix_of_a_memory_or_a_turn(said: str, shown: str) -> None:
    modules = Modules({Module.ORM: ModuleReply(text=said)})
    talk = LiveConversation(conversation().memories)
    assert ModularChat(modules, LARGE, decided(), Search()).open(talk).message("bot")["text"] == shown
    assert modules.of(Module.ORM)[0].memories == (DOG,)


@pytest.mark.parametrize("family", [SMALL, LARGE, CHAT])
def test_of_an_episode_that_ended_nothing_goes_into_the_next_prompt(family: Family) -> None:
    talk = conversation(text="Is the moon far?")
    always = decided(Decide.ALWAYS, Decide.ALWAYS)
    ModularChat(Modules(), family, always, Search()).reply([talk])
    talk.end()
    talk.hear("Hello")
    modules = Modules()
    ModularChat(modules, family, always, Search(found=())).reply([talk])
    prompts = " ".join(request.model_dump_json() for batch in modules.batches for request in batch)
    assert "Hello" in prompts
    assert not [word for word in ("moon", "dog") if word in prompts]


def test_each_step_is_asked_once_for_all_conversations() -> None:
    modules = Modules()
    chat = ModularChat(modules, CHAT, decided(Decide.ALWAYS, Decide.ALWAYS), Search())
    chat.reply([conversation(f"Question {number}") for number in range(5)])
    assert {len(batch) for batch in modules.batches} == {5}
    assert len(modules.batches) == len(set(modules.asked)) + 1  # memories are made twice, of each speaker


def test_conversations_of_a_batch_keep_their_own_documents() -> None:
    class Own:
        def search(self, query: str, count: int) -> Sequence[SearchDocument]:
            return [SearchDocument(text=f"about {query}")] if query != "nothing" else []

    def query(request: ModuleRequest) -> ModuleReply:
        return ModuleReply(text=request.turns[-1].text)

    modules = Modules({Module.SGM: query})
    talks = [conversation(text) for text in ("nothing", "sun", "moon")]
    drafts = ModularChat(modules, LARGE, decided(Decide.ALWAYS), Own()).reply(talks)
    found = [draft.message("bot")["search_knowledge_doc_content"] for draft in drafts]
    assert found == [[], ["about sun"], ["about moon"]]
    assert [request.documents[0].text for request in modules.of(Module.SKM)] == ["about sun", "about moon"]


def test_an_unreachable_engine_ends_the_turn() -> None:
    modules = Modules({Module.SDM: EngineError("nobody is there")})
    with pytest.raises(EngineError):
        turn(modules, decided(Decide.COMPUTE))
