"""Questions are recognised in languages that the default embedder does not know."""

from __future__ import annotations

import pytest

from investigator.bb3.courtesies import is_polite_elsewhere
from investigator.bb3.extractive.asking_forms import after_greeting, has_question_mark
from investigator.bb3.extractive.deciding import decide_search
from investigator.bb3.extractive.turn_kinds import TurnKinds
from investigator.bb3.extractive.turns import is_question, key_terms
from investigator.bb3.records import Speaker, Turn
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.language.terms import is_latin, tokens

KINDS = TurnKinds(SentenceTransformerEmbedder())


def searches(text: str) -> bool:
    return decide_search([Turn(speaker=Speaker.PARTNER, text=text)], KINDS).needed


QUESTIONS = {
    "Arabic": "ما هو الإيجار السنوي؟",
    "Hebrew": "מהו שכר הדירה השנתי?",
    "Persian": "اجاره سالانه چقدر است؟",
    "Chinese": "年租金是多少？",
    "Japanese": "年間の賃料はいくらですか？",
    "Korean": "연간 임대료는 얼마입니까?",
    "Hindi": "वार्षिक किराया कितना है?",
    "Thai": "ค่าเช่ารายปีเท่าไหร่?",
    "Greek": "Ποιο είναι το ετήσιο ενοίκιο;",
    "Russian": "Какова годовая арендная плата?",
    "Ukrainian": "Яка річна орендна плата?",
    "Armenian": "Որքա՞ն է տարեկան վարձը",
    "Amharic": "ዓመታዊ ኪራይ ስንት ነው፧",
    "Georgian": "რამდენია წლიური ქირა?",
    "Turkish": "Yıllık kira bedeli kaç eurodur?",
    "Polish": "Ile wynosi roczny czynsz najmu?",
    "Vietnamese": "Tiền thuê hàng năm là bao nhiêu?",
}
STATEMENTS = {
    "Arabic": "أحب الشاي.",
    "Hebrew": "אני אוהב תה.",
    "Chinese": "我喜欢茶。",
    "Japanese": "お茶が好きです。",
    "Hindi": "मुझे चाय पसंद है।",
    "Thai": "ฉันชอบชา",
    "Greek": "Μου αρέσει το τσάι· είναι καλό.",
    "Russian": "Я люблю чай.",
    "Korean": "저는 차를 좋아해요.",
}
GREETINGS = [
    "كيف حالك؟",
    "מה שלומך?",
    "你好吗？",
    "お元気ですか？",
    "Как дела?",
    "Τι κάνεις;",
    "आप कैसे हैं?",
    "สบายดีไหม?",
    "잘 지내?",
]


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_needs_a_search_whatever_its_script(text: str) -> None:
    assert is_question(text)
    assert searches(text)


@pytest.mark.parametrize("language", ["Arabic", "Hebrew", "Chinese", "Japanese", "Korean", "Hindi", "Thai", "Russian"])
def test_a_question_is_seen_without_its_mark(language: str) -> None:
    assert searches(QUESTIONS[language].rstrip("?？؟;"))


@pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_needs_none(text: str) -> None:
    assert not searches(text)


@pytest.mark.parametrize("text", GREETINGS)
def test_to_ask_how_one_is_needs_none(text: str) -> None:
    assert is_polite_elsewhere(text)
    assert not searches(text)


def test_a_question_is_what_stands_behind_a_greeting() -> None:
    assert after_greeting("Привет, где дом?") == "где дом?"
    assert after_greeting("你好，房子在哪里？") == "房子在哪里？"
    assert after_greeting("Дом, где он?") == "Дом, где он?"
    assert after_greeting("Привет!") == "Привет!"


def test_a_semicolon_asks_in_greek_only() -> None:
    assert has_question_mark("Πού είναι;")
    assert has_question_mark("Πού είναι\u037e")
    assert not has_question_mark("It rains; it pours;")


def test_a_word_is_whole_with_its_vowel_signs() -> None:
    assert tokens("वार्षिक किराया क्या है?") == ["वार्षिक", "किराया", "क्या", "है"]
    assert tokens("ค่าเช่า don't U.S. e-mail") == ["ค่าเช่า", "don't", "U.S", "e-mail"]
    assert key_terms("Какова годовая плата?") == ["годовая", "плата"]


def test_the_letters_tell_whether_the_embedder_knows_a_language() -> None:
    assert is_latin("Größe 42")
    assert is_latin("…")
    assert not is_latin("цена iPhone сегодня")
