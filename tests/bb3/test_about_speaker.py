"""People's statements and questions about themselves, in four languages."""

from __future__ import annotations

import time

import pytest

from investigator.bb3.memory.about_speaker import (
    asked_topics,
    asks_about_speaker,
    asks_for_everything,
    asks_for_more,
    clauses,
    left_topics,
    names_another,
    told_topics,
)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("My name is Anna.", {"name": "anna"}),
        ("I just moved to Paris", {"home": "paris"}),
        ("I'm 31 years old.", {"age": "31"}),
        ("I now work as a nurse", {"job": "a nurse"}),
        ("My favourite colour is green", {"favorite color": "green"}),
        ("I have two dogs.", {"number of dog": "two"}),
        ("We got divorced", {"marriage": "divorced"}),
        ("Ich heiße Anna", {"name": "anna"}),
        ("Meine Lieblingsfarbe ist blau", {"lieblingsfarbe": "blau"}),
        ("J’habite à Lyon", {"home": "lyon"}),
        ("Je m'appelle Zoé", {"name": "zoe"}),
        ("Ahora vivo en Sevilla", {"home": "sevilla"}),
        ("I have moved from Berlin to Paris", {"home": "paris"}),
        ("Ich bin von Köln nach Hamburg gezogen", {"home": "hamburg"}),
        ("Nos mudamos de Madrid a París", {"home": "paris"}),
        ("Ma sœur s'appelle Julie", {"soeur name": "julie"}),
    ],
)
def test_what_has_one_value_at_a_time_is_told_with_its_value(statement: str, told: dict[str, str]) -> None:
    assert told_topics(statement) == told


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("I moved out of Berlin", "berlin"),
        ("We have just moved from Berlin to Paris.", "berlin"),
        ("I don't live in Berlin any more", "berlin"),
        ("Ich bin aus Köln weggezogen", "koln"),
        ("Je n'habite plus à Lyon", "lyon"),
        ("Me mudé de Madrid a Bilbao", "madrid"),
    ],
)
def test_a_home_that_was_left_is_told_with_its_name(statement: str, value: str) -> None:
    assert left_topics(statement) == {"home": value}


@pytest.mark.parametrize(
    "statement", ["I live in Berlin", "I moved to Paris", "I moved out of my house", "Me mudé a París"]
)
def test_who_tells_where_they_live_has_told_of_no_home_left(statement: str) -> None:
    assert left_topics(statement) == {}


def test_a_sisters_name_is_that_of_another_and_a_last_name_is_ones_own() -> None:
    assert [names_another(topic) for topic in ("sister name", "name", "last name", "home")] == [
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "I live in a house",
        "I am hungry",
        "I work at night",
        "My name is not Anna",
        "My brother is tall",
        "Call me later",
    ],
)
def test_what_may_be_true_beside_another_has_no_topic(statement: str) -> None:
    assert told_topics(statement) == {}


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("Where do I live?", {"home"}),
        ("What's my name?", {"name"}),
        ("Do you remember my name?", {"name"}),
        ("How old am I?", {"age"}),
        ("What is my favorite color?", {"favorite color"}),
        ("Wo wohne ich?", {"home"}),
        ("Où est-ce que j'habite ?", {"home"}),
        ("¿Cuál es mi nombre?", {"name"}),
        ("Who painted it?", set()),
    ],
)
def test_a_question_asks_for_the_topic_that_a_statement_tells(question: str, topics: set[str]) -> None:
    assert asked_topics(question) == topics


@pytest.mark.parametrize(
    "text",
    [
        *("What do you know about me?", "What do you remember of me?", "Tell me everything you know about me."),
        *("What have I told you so far?", "Do you remember me?", "Who am I?", "Was weißt du alles von mir?"),
        *("Erinnerst du dich noch an mich?", "Que sais-tu de moi ?", "Te souviens-tu de moi ?", "¿Qué sabes de mí?"),
        *(
            "¿Te acuerdas de mí?",
            "Что ты знаешь обо мне?",
            "你知道我什么？",
            "私について何を知っていますか",
            "ماذا تعرف عني؟",
        ),
        "מה אתה יודע עליי?",
    ],
)
def test_everything_is_asked_for_in_many_languages(text: str) -> None:
    assert asks_for_everything(text)


@pytest.mark.parametrize(
    "text",
    [
        *("What do you know about Mexico?", "What do you know about my dog?", "What did I tell you about my dog?"),
        *("¿Qué sabes de mi perro?", "Woran erinnerst du dich bei meinem Hund?", "Was weißt du über Michigan?"),
    ],
)
def test_a_question_for_one_thing_is_none_for_everything(text: str) -> None:
    assert not asks_for_everything(text)


def test_who_asks_what_else_there_is_wants_more() -> None:
    assert asks_for_more("What else do you know about me?")
    assert not asks_for_more("What do you know about me?")
    assert not asks_for_more("Erinnerst du dich noch an mich?")


@pytest.mark.parametrize("text", ["Do I have a dog?", "What do I like?", "Habe ich einen Hund?", "Ai-je un chien ?"])
def test_what_only_the_speaker_can_have_told_is_asked_of_oneself(text: str) -> None:
    assert asks_about_speaker(text)


@pytest.mark.parametrize(
    "text",
    ["Do I have to pay the rent?", "Am I allowed to keep dogs?", "How do I end the lease?", "Wann muss ich zahlen?"],
)
def test_what_one_must_or_may_do_is_for_documents_to_say(text: str) -> None:
    assert not asks_about_speaker(text)


def test_a_sentence_is_cut_where_the_speaker_is_named_anew() -> None:
    text = "My name is Anna and I live in Berlin, but my brother and sister do not"
    assert [text[slice(*span)] for span in clauses(text)] == [
        "My name is Anna",
        "I live in Berlin",
        "my brother and sister do not",
    ]


@pytest.mark.parametrize(
    "unit",
    [
        "i have ",
        "what is my ",
        "where do i ",
        "actually ",
        "i live in ",
        "my name ",
        "was ",
        "i moved from ",
        "me mude de ",
    ],
)
def test_a_text_of_any_length_is_looked_at_quickly(unit: str) -> None:
    began = time.process_time()
    for look in (told_topics, left_topics, asked_topics, asks_about_speaker, asks_for_everything):
        look(unit * 20_000)
    assert time.process_time() - began < 10
