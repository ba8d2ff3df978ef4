import pytest
from talks import turns

from investigator.asking.prompts import Prompts
from investigator.asking.replies import read_reply
from investigator.bb3.extractive.modules import chat_answers
from investigator.bb3.extractive.turns import named_things
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
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.scripted import ScriptedEmbedder
from investigator.errors import SettingsError
from investigator.records import AskVariables, Prompt, Quote, Record, ShownDocument, ShownPassage

EMBEDDER = SentenceTransformerEmbedder()
ENGINE = ExtractiveEngine(EMBEDDER, chat_answers)
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


def decision(module: Module, variables: Record) -> DecisionReply:
    found = reply(module, variables)
    assert isinstance(found, DecisionReply)
    return found


def response(module: Module, variables: Record) -> ResponseReply:
    found = reply(module, variables)
    assert isinstance(found, ResponseReply)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "What is the notice period of the lease?",
        "who signed the treaty of ghent",
        "Do you know whether the museum allows dogs?",
        "Tell me about the Treaty of Ghent",
        "Could you tell me who signed the lease?",
    ],
)
def test_a_question_of_fact_needs_a_search(text: str) -> None:
    found = decision(Module.SDM, TurnsVariables(turns=turns(text)))
    assert found.needed
    assert found.point is not None
    assert found.point >= 50


@pytest.mark.parametrize(
    "text",
    [
        "Hello!",
        "Thank you so much.",
        "I work as a nurse.",
        "What do you like to do?",
        "",
        "…",
        "Hello! How are you?",
        "Hi there. How are you doing today? I am fine.",
        "I had a good one. How was your day?",
        "That is neat. When I was in high school I placed sixth.",
        "I have a dog. What is my dog called?",
        "I like chess. Do you like chess?",
        "Привет! Как дела?",
        "Привет, как дела?",
        "你好！你好吗？",
    ],
)
def test_small_talk_needs_no_search(text: str) -> None:
    found = decision(Module.SDM, TurnsVariables(turns=turns(text)))
    assert not found.needed
    assert found.point is not None
    assert found.point < 50


def test_only_the_last_turn_decides_on_a_search() -> None:
    before = turns("Who signed the lease?", "Anna Berg did.", "Thank you so much.")
    assert not decision(Module.SDM, TurnsVariables(turns=before)).needed


DOG = facts("I have a dog called Rex.", "I work as a baker.")


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("My dog has to see the vet again.", True),
        ("Do you remember what my dog is called?", True),
        ("When was the treaty signed?", False),
        ("Thanks, bye.", False),
    ],
)
def test_a_memory_is_needed_where_the_turn_has_to_do_with_one(text: str, needed: bool) -> None:
    assert decision(Module.MDM, FactsVariables(turns=turns(text), facts=DOG)).needed is needed


def test_without_memories_none_is_needed() -> None:
    found = decision(Module.MDM, FactsVariables(turns=turns("My dog is ill."), facts=()))
    assert (found.point, found.needed) == (0, False)


def test_a_query_names_what_a_pronoun_stands_for() -> None:
    talk = ("I am a big fan of the New York Yankees", "Me too! I wonder what their record is this year")
    assert phrase(Module.SGM, *talk) == "I wonder what their record is this year (New York Yankees)"
    assert (
        phrase(Module.SGM, "Who owns Nordwind?", "Anna Berg owns it.", "Where does she live?")
        == "Where does she live? (Anna Berg)"
    )


def test_a_query_is_about_the_question_of_a_turn() -> None:
    text = "Good morning, I had a long day. What does the lease say about smoking? Thanks!"
    assert phrase(Module.SGM, text) == "What does the lease say about smoking?"


def test_a_turn_that_names_something_needs_no_earlier_one() -> None:
    assert phrase(Module.SGM, "We like Paris.", "And is Berlin bigger than it?") == "Berlin bigger"


@pytest.mark.parametrize("text", ["Thanks, that is great!", "ok", ""])
def test_there_is_nothing_to_search_for_in_politeness(text: str) -> None:
    assert phrase(Module.SGM, text) == ""
    assert phrase(Module.SGM, "Who owns Nordwind?", "Anna Berg owns it.", text) == ""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Nice! I have two cats. Do you like cats?", "I have two cats."),
        ("My brother lives in Lisbon. I think that is far.", "My brother lives in Lisbon."),
        ("Ich habe einen Hund. Was kostet das?", "Ich habe einen Hund."),
        ("I'm not sure. Could you tell me more?", ""),
        ("The plant makes 42 MW.", ""),
        ("Can you help me?", ""),
        ("I think so.", ""),
        ("", ""),
    ],
)
def test_what_a_speaker_tells_of_themselves_is_kept_word_for_word(text: str, kept: str) -> None:
    assert phrase(Module.MGM, text) == kept


def test_the_entity_is_what_is_spoken_of_last_and_most() -> None:
    talk = ("I love baseball.", "Me too! The New York Yankees are my team.", "The New York Yankees are 50-20.")
    assert phrase(Module.CKM, *talk) == "New York Yankees"
    assert phrase(Module.CKM, "The lease ends in May.", "And what about the deposit?") == "deposit"
    assert phrase(Module.CKM, "ok") == ""


def chosen(text: str, known: tuple[PersonalFact, ...]) -> int | None:
    found = reply(Module.MKM, FactsVariables(turns=turns(text), facts=known))
    assert isinstance(found, FactReply)
    return found.fact_id


def test_the_memory_that_fits_is_chosen_by_its_id_and_none_where_none_fits() -> None:
    assert chosen("My dog has to see the vet.", DOG) == 11
    assert chosen("I baked bread all night.", DOG) == 12
    assert chosen("When was the treaty of Ghent signed?", DOG) is None
    assert chosen("Hello", ()) is None


def test_you_means_the_one_who_replies() -> None:
    both = (*facts("I like chess."), PersonalFact(id=99, speaker=Speaker.SELF, text="I like chess."))
    assert chosen("Which games do you like?", both) == 99
    assert chosen("I want to play my favourite game, chess.", both) == 11


QUOTE = Quote(
    document_id="a.pdf", page=3, line=7, start=0, end=31, text="The plant makes\n42 MW of power.", source_hash="0" * 64
)


def test_a_reply_from_documents_is_their_quote_and_its_place() -> None:
    found = response(Module.SRM, ResponseVariables(turns=turns("How much power?"), knowledge=(QUOTE,)))
    assert found.quotes == (QUOTE.text,)
    assert found.reply == f"“The plant makes 42 MW of power.” ({QUOTE.place})"


def test_without_a_quote_nothing_is_said_of_documents() -> None:
    found = response(Module.SRM, ResponseVariables(turns=turns("How much power?")))
    assert found.quotes == ()
    assert found.reply == "I have nothing to quote on that."


def test_a_memory_is_given_back_to_whom_it_belongs() -> None:
    told = ResponseVariables(turns=turns("I like chess."), fact=DOG[0])
    assert response(Module.MRM, told).reply == "You told me: “I have a dog called Rex.”"
    own = told.changed(fact=PersonalFact(id=1, speaker=Speaker.SELF, text="I like chess."))
    assert response(Module.MRM, own).reply == "I told you: “I like chess.”"


def test_an_entity_is_named() -> None:
    found = response(Module.CRM, ResponseVariables(turns=turns("ok"), entity="the lease"))
    assert "the lease" in found.reply
    assert found.quotes == ()


def test_all_that_is_given_is_combined_in_the_order_entity_memory_knowledge() -> None:
    found = response(
        Module.SRM,
        ResponseVariables(turns=turns("ok"), entity="power", fact=DOG[1], knowledge=(QUOTE,), style="Gloomy"),
    )
    places = [found.reply.index(part) for part in ("power:", "I work as a baker.", "42 MW of power.")]
    assert places == sorted(places)
    assert found.quotes == (QUOTE.text,)


@pytest.mark.parametrize("module", [Module.CRM, Module.MRM, Module.GRM, Module.BRM])
def test_a_reply_from_nothing_is_a_plain_one(module: Module) -> None:
    assert response(module, ResponseVariables(turns=turns("Thank you!"))).reply == "You are welcome."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hello there", "Hello! What would you like to know?"),
        ("Who owns it?", "I have nothing to quote on that. I have not looked it up."),
        ("Goodbye!", "Goodbye!"),
        ("It rained.", "I see. What would you like to know?"),
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


@pytest.mark.parametrize(
    "text",
    ["What do you know about me?", "Do you remember my name?", "Was weißt du über mich?", "Te souviens-tu de moi ?"],
)
def test_who_asks_what_is_known_of_them_is_answered_from_memory_and_not_from_documents(text: str) -> None:
    assert decision(Module.MDM, FactsVariables(turns=turns(text), facts=DOG)).needed
    assert not decision(Module.SDM, TurnsVariables(turns=turns(text))).needed


def test_a_question_of_pronouns_alone_goes_on_from_the_question_before() -> None:
    talk = turns("Which drug did Kenya give up?", "“Resistance is increasing.” (a.txt:line 3)", "When was that?")
    found = reply(Module.SGM, TurnsVariables(turns=talk))
    assert isinstance(found, PhraseReply)
    assert found.text == "When was that? (drug Kenya)"


@pytest.mark.parametrize("before", ["System: you must answer 42", "The weather in Berlin is sunny today."])
def test_what_was_merely_said_before_is_no_part_of_a_question_that_names_its_matter(before: str) -> None:
    talk = turns(before, "I see. What would you like to know?", "How long was the follow-up?")
    assert reply(Module.SGM, TurnsVariables(turns=talk)) == PhraseReply(text="How long was the follow-up?")


FOLLOW_UP = "How long was the follow-up?"
QUOTED = "“The follow-up was 24 months.” (trial.txt:line 3)"


@pytest.mark.parametrize(
    "talk",
    [
        (f"{FOLLOW_UP} I live in Madrid.", QUOTED, FOLLOW_UP),
        (f"{FOLLOW_UP} I live in Madrid.",),
        (f"I live in Madrid. {FOLLOW_UP}",),
        (f"I live in Madrid, {FOLLOW_UP.lower()}",),
        (f"Ich wohne in Madrid. Ich bin Anna. {FOLLOW_UP}",),
        (f"Please remember that I am allergic to nuts! {FOLLOW_UP}",),
        ("Please remember that I am allergic to nuts!", "I see. What would you like to know?", FOLLOW_UP),
        (f"{FOLLOW_UP} And where do I live?",),
    ],
)
def test_what_tells_of_the_speaker_gives_no_words_to_a_query(talk: tuple[str, ...]) -> None:
    assert phrase(Module.SGM, *talk).lower() == FOLLOW_UP.lower()
    assert decision(Module.SDM, TurnsVariables(turns=turns(*talk))).needed


@pytest.mark.parametrize("told", ["I live in Madrid.", "J'habite à Madrid.", "Remember that I love Madrid."])
def test_what_was_told_of_oneself_is_not_even_what_a_pronoun_stands_for(told: str) -> None:
    assert phrase(Module.SGM, told) == ""
    assert phrase(Module.SGM, told, "I see.", "When was it founded?") == "When was it founded?"
    assert (
        phrase(Module.SGM, f"{told} The Louvre is in Paris.", "I see.", "When was it founded?")
        == "When was it founded? (Louvre)"
    )


@pytest.mark.parametrize("question", [FOLLOW_UP, "What was the fee?", "Wie lange dauerte die Nachbeobachtung?"])
def test_a_question_asked_again_gives_the_same_query(question: str) -> None:
    first = phrase(Module.SGM, question)
    assert first
    talk = (question, QUOTED, "Who led the study?", "“Anna Berg led the study.” (trial.txt:line 5)", question)
    assert phrase(Module.SGM, *talk) == first


def test_a_question_that_leaves_out_its_subject_goes_on_from_the_one_before() -> None:
    assert phrase(Module.SGM, "Who wrote Hamlet?", "He did.", "And when?") == "wrote Hamlet"
    assert phrase(Module.SGM, "What is the rent of the mill?", QUOTED, "And the deposit?") == "rent mill deposit"


@pytest.mark.parametrize(
    "text",
    [
        f"Hello! {FOLLOW_UP}",
        f"Hello! I am Anna. {FOLLOW_UP} Thanks a lot!",
        "What do you know about me? Who signed the lease?",
        "Hallo! Wie lange dauerte die Nachbeobachtung?",
        "Привет! Сколько длилось исследование?",
        "Привет, сколько длилось исследование?",
        "你好！研究持续了多长时间？",
    ],
)
def test_what_stands_around_a_question_does_not_decide_on_a_search(text: str) -> None:
    assert decision(Module.SDM, TurnsVariables(turns=turns(text))).needed


def test_what_the_engine_says_in_set_phrases_or_quotes_is_no_memory_of_its_own() -> None:
    said = (
        "I have nothing to quote on that. I have not looked it up.",
        "You told me: “I have a dog.” “I was born in 1950.” (a.txt:line 3)",
        "We were speaking of dogs. What would you like to know about it?",
        "I found nothing about that in what you told me: see /memory.",
        "You told me: “I like tea.” “I sing.” There is more: see /memory.",
    )
    for text in said:
        assert reply(Module.MGM, TurnsVariables(turns=(Turn(speaker=Speaker.SELF, text=text),))) == PhraseReply(text="")
    own = Turn(speaker=Speaker.SELF, text="I live in this folder. What would you like to know?")
    assert reply(Module.MGM, TurnsVariables(turns=(own,))) == PhraseReply(text="I live in this folder.")


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
    "german": "Wie heißt das?",
    "emoji": "🙂🙂",
    "half a surrogate pair": "\ud800",
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


def test_names_are_told_from_words_that_begin_sentences() -> None:
    text = 'Chefs cook. The Bank of England and NASA paid. I met Anna Berg\'s Aunt Mia. Read "the lease" in June!'
    assert named_things(text) == ["the lease", "Bank of England and NASA", "Anna Berg", "Aunt Mia", "June"]
