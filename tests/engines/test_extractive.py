import pytest

from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.extractive.asking import ask
from investigator.engines.extractive.planning import plan
from investigator.engines.extractive.thinking import think
from investigator.engines.scripted import ScriptedEmbedder
from investigator.errors import SettingsError
from investigator.questions.answer_types import AnswerType, expected_type, finding, holds_type
from investigator.records import (
    AnswerReply,
    AnswerVariables,
    AskVariables,
    DocumentCard,
    Evidence,
    Memory,
    Need,
    Passage,
    PlanVariables,
    Prompt,
    QuestionVariables,
    Quote,
    Record,
    ReflectReply,
    ReflectVariables,
    TermFrequency,
    ThinkReply,
    ThinkVariables,
)

ENGINE = ExtractiveEngine(ScriptedEmbedder())


def replied(variables: Record, reply_type: type[Record]) -> Record:
    """Return the engine's reply, parsed from its text."""
    return reply_type.model_validate_json(ENGINE.reply(Prompt("t/t", variables, "never read", reply_type)).text)


def thinking(question: str, **shares: float) -> list[str]:
    frequencies = tuple(TermFrequency(term=t.replace("_", " "), document_share=s) for t, s in shares.items())
    variables = ThinkVariables(
        question=question, mission="-", strategy="-", documents=(), document_count=9, term_frequencies=frequencies
    )
    return [need.term for need in think(variables).needs]


def test_a_word_that_stands_for_a_noun_is_no_need() -> None:
    assert thinking("Which trial is older, the one in Gambia or the one in Peru?") == [
        "trial",
        "older",
        "Gambia",
        "Peru",
    ]
    assert "one" in thinking("What is the one child policy?", one_child=0.1)[0]


def asking(question: str, *texts: str, needs: tuple[Need, ...] = ()) -> AskVariables:
    passages = tuple(Passage(document_id="d", start=0, end=len(text), text=text, score=0.5) for text in texts)
    return AskVariables(
        main_question=question,
        mission="-",
        sub_question=question,
        document_id="d",
        document_title="d",
        needs=needs,
        passages=passages,
    )


def test_names_and_phrases_of_the_documents_stay_together_and_asking_words_go() -> None:
    assert thinking("How long did the Nile Basin Initiative last?") == ["Nile Basin Initiative", "last"]
    assert thinking("What was the sample size?", sample_size=0.2) == ["sample size"]
    assert thinking("What was the sample size?") == ["sample", "size"]
    assert thinking('Who said "never again" to Mr Brown?') == ["never again", "said", "Mr Brown"]


@pytest.mark.parametrize("question", ["what is the of", "?!", "什么是蒸汽机"])
def test_every_question_needs_something(question: str) -> None:
    assert thinking(question)


def test_a_rare_word_weighs_more_than_one_that_stands_everywhere() -> None:
    frequencies = (TermFrequency(term="malaria", document_share=0.9), TermFrequency(term="vaccine", document_share=0.0))
    variables = ThinkVariables(
        question="malaria vaccine?",
        mission="-",
        strategy="-",
        documents=(),
        document_count=9,
        term_frequencies=frequencies,
    )
    reply = replied(variables, ThinkReply)
    assert isinstance(reply, ThinkReply)
    weights = {need.term: need.weight for need in reply.needs}
    assert weights["vaccine"] > weights["malaria"]


def planning(*cards: DocumentCard, past: tuple[str, ...] = (), limit: int = 6) -> list[str]:
    variables = PlanVariables(
        question="Q?",
        mission="-",
        strategy="-",
        needs=(Need(term="power"),),
        documents=cards,
        history=(),
        unknown_infos=(),
        past_strategies=past,
        step_limit=limit,
    )
    return [step.document_id for step in plan(variables).steps]


def card(name: str, match: float, asked: int = 0) -> DocumentCard:
    return DocumentCard(document_id=name, title=name, match=match, asked=asked)


def test_the_best_matching_documents_are_asked_first_and_poor_ones_not_at_all() -> None:
    assert planning(card("a", 0.5), card("b", 0.9), card("c", 0.01)) == ["b", "a"]
    assert planning(card("a", 0.8), card("b", 0.9), card("c", 0.7), limit=2) == ["b", "a"]


def test_a_document_is_asked_once_and_a_later_round_may_find_nothing_left() -> None:
    assert planning(card("a", 0.9, asked=1), card("b", 0.8), past=("one",)) == ["b"]
    assert planning(card("a", 0.9, asked=1), card("b", 0.01), past=("one",)) == []


def test_a_first_round_looks_at_two_documents_however_poor() -> None:
    assert planning(card("a", 0.02), card("b", 0.01), card("c", 0.0)) == ["a", "b"]


def test_the_sentence_that_answers_is_quoted_word_for_word() -> None:
    text = "It lies in Emsland. The power plant makes 42 MW of power. Apples are green."
    reply = ask(asking("How much power does the power plant make?", text), ScriptedEmbedder())
    assert reply.quotes[0] == "The power plant makes 42 MW of power."
    assert reply.quotes[0] in text


def test_a_passage_about_it_scores_above_one_about_something_else() -> None:
    question, needs = "Who owns the power plant?", (Need(term="power plant", weight=0.9), Need(term="owns", weight=0.6))
    near = ask(
        asking(question, "The power plant is owned by Anna Berg, who owns two.", needs=needs), ScriptedEmbedder()
    )
    far = ask(asking(question, "Apples are green and pears are yellow in autumn.", needs=needs), ScriptedEmbedder())
    assert near.point is not None
    assert far.point is not None
    assert near.point > far.point + 20


@pytest.mark.parametrize("text", ["", "   ", "x", "!!!"])
def test_passages_without_a_sentence_say_nothing(text: str) -> None:
    reply = ask(asking("Who?", text), ScriptedEmbedder())
    assert (reply.point, reply.quotes) == (0, ())


def test_a_sentence_without_an_end_is_quoted_in_pieces_of_lines() -> None:
    table = "\n".join(f"row {i} power {i * 7}" for i in range(200))
    reply = ask(asking("power row 3", table), ScriptedEmbedder())
    assert all(len(quote) <= 500 and quote in table for quote in reply.quotes)


QUOTES = tuple(
    Quote(document_id=f"{i}.txt", page=None, line=i, start=0, end=9, text=text, source_hash="h")
    for i, text in enumerate(("The power plant makes 42 MW.", "Anna owns a boat."), 1)
)


def test_reflection_knows_what_quotes_hold_and_names_what_they_do_not() -> None:
    memories = tuple(
        Memory(id=i, target_document_id=quote.document_id, question="q", reply="r", point=80, quotes=(quote,))
        for i, quote in enumerate(QUOTES, 1)
    )
    needs = (Need(term="power"), Need(term="plant"), Need(term="owner of Mars"))
    reply = replied(ReflectVariables(question="q", mission="-", needs=needs, memories=memories), ReflectReply)
    assert isinstance(reply, ReflectReply)
    power, _, mars = reply.knowledge
    assert [(info.info, info.memory_ids, info.document_ids) for info in power.known_infos] == [
        ("The power plant makes 42 MW.", (1,), ("1.txt",))
    ]
    assert [relation.term for relation in power.relations] == ["plant"]
    assert mars.known_infos == ()
    assert mars.unknown_infos == ("what the documents say about owner of Mars",)


def test_the_answer_gives_the_strongest_quotes_once() -> None:
    texts = [("The plant makes 42 MW.", 90), ("The plant makes 42 MW now.", 80), ("It is old.", 75), ("Far off.", 20)]
    evidence = tuple(
        Evidence(id=f"E{i}", text=text, document_id="d", place="d:1", point=p) for i, (text, p) in enumerate(texts, 1)
    )
    variables = AnswerVariables(question="q", mission="-", evidence=evidence, unknown_infos=())
    reply = replied(variables, AnswerReply)
    assert isinstance(reply, AnswerReply)
    assert [(claim.text, claim.evidence) for claim in reply.claims] == [
        ("The plant makes 42 MW.", ("E1",)),
        ("It is old.", ("E3",)),
    ]


def test_every_document_has_its_say_before_one_has_its_second() -> None:
    rows = [("a", "Ants are small.", 95), ("a", "Bees fly far.", 95), ("b", "Cats sleep long.", 80)]
    evidence = tuple(
        Evidence(id=f"E{i}", text=text, document_id=name, place=name, point=p)
        for i, (name, text, p) in enumerate(rows, 1)
    )
    reply = replied(AnswerVariables(question="q", mission="-", evidence=evidence, unknown_infos=()), AnswerReply)
    assert isinstance(reply, AnswerReply)
    assert [claim.evidence for claim in reply.claims] == [("E1",), ("E3",), ("E2",)]


def test_where_no_reply_is_sure_the_nearest_quotes_come_first() -> None:
    rows = [("a", "The meeting closed at nine.", 12), ("b", "Cats sleep long.", 3), ("b", "The boat left at seven.", 3)]
    evidence = tuple(
        Evidence(id=f"E{i}", text=text, document_id=name, place=name, point=p)
        for i, (name, text, p) in enumerate(rows, 1)
    )
    asked = AnswerVariables(question="When did the boat leave?", mission="-", evidence=evidence, unknown_infos=())
    reply = replied(asked, AnswerReply)
    assert isinstance(reply, AnswerReply)
    assert reply.claims[0].evidence == ("E3",)


def test_a_template_that_is_none_of_the_methods_is_refused() -> None:
    variables = QuestionVariables(document_id="a", purpose="b", perspectives="c")
    with pytest.raises(SettingsError, match="t/t"):
        ENGINE.reply(Prompt("t/t", variables, "x", AnswerReply))


@pytest.mark.parametrize(
    ("question", "kind", "holding", "other"),
    [
        ("When was it built?", AnswerType.DATE, "It was built in 1988.", "It was built of stone."),
        ("How many people live there?", AnswerType.NUMBER, "Some 40 live there.", "People live there."),
        ("Who built it?", AnswerType.NAME, "It was built by Anna Berg.", "It was built by workers."),
    ],
)
def test_the_kind_of_answer_is_known_and_looked_for(question: str, kind: AnswerType, holding: str, other: str) -> None:
    assert expected_type(question) is kind
    assert holds_type(kind, holding, question) == 1.0
    assert holds_type(kind, other, question) == 0.0
    assert expected_type("Explain it.") is AnswerType.ANY


@pytest.mark.parametrize("question", ["What majority is needed to change the rules?", "How do I change the password?"])
def test_to_change_something_asks_for_no_comparison(question: str) -> None:
    assert expected_type(question) is AnswerType.ANY
    assert expected_type("How did the rules change?") is AnswerType.COMPARISON


def test_where_a_difference_is_asked_for_the_finding_is_preferred_to_what_was_done() -> None:
    question = "What was the difference in weight between the diet group and the control group?"
    assert expected_type(question) is AnswerType.COMPARISON
    done = "The weight of the diet group and of the control group was measured each week."
    found = "The weight of the diet group was significantly lower than that of the control group (p < 0.01)."
    assert finding(AnswerType.COMPARISON, found) > finding(AnswerType.COMPARISON, done)
    assert ask(asking(question, f"{done} {found}"), ScriptedEmbedder()).quotes[0].endswith(found)


def test_neighbouring_sentences_are_one_quote_as_it_stands() -> None:
    text = "The old mill burned down.\n  The mill burned down early. Apples are green and pears are yellow in autumn."
    quotes = ask(asking("When did the mill burn down?", text), ScriptedEmbedder()).quotes
    assert quotes[0] == "The old mill burned down.\n  The mill burned down early."


def test_a_document_that_a_search_found_unlikely_gets_a_lower_point() -> None:
    text = "The mill burned down in May."

    def judged(match: float) -> int:
        passage = Passage(
            document_id="d", start=0, end=28, text=text, similarity=0.8, overlap=0.7, document_match=match
        )
        variables = asking("When did the mill burn down?", text).changed(passages=(passage,))
        return ask(variables, ScriptedEmbedder()).point or 0

    assert judged(0.95) > judged(0.5) > judged(0.05)
