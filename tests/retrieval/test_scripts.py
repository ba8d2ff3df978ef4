"""Documents in scripts without spaces or capitals are found by their words alone, and by the whole search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.retrieval.chunk_search import Half
from investigator.retrieval.library import Library

TEXTS = {
    "zh.txt": "蒸汽机是由詹姆斯·瓦特改良的。它改变了十八世纪的工业。",
    "zh-other.txt": "长江是中国最长的河流，全长约六千三百公里。",
    "ja.txt": "東京タワーは1958年に完成した電波塔です。高さは333メートルです。",
    "ja-other.txt": "京都には多くの寺院と神社があります。",
    "ko.txt": "한글은 세종대왕이 1443년에 창제하였다.",
    "ko-other.txt": "부산은 대한민국의 항구 도시이다.",
    "th.txt": "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย ก่อตั้งเมื่อปี พ.ศ. 2325",
    "th-other.txt": "ช้างเป็นสัตว์บกที่ใหญ่ที่สุดในโลก",
    "ar.txt": "تأسست جامعة القرويين في مدينة فاس سنة 859 ميلادية.",
    "ar-other.txt": "نهر النيل هو أطول أنهار أفريقيا.",
    "ru.txt": "Чайковский написал балет «Щелкунчик» в 1892 году.",
    "el.txt": "Ο Παρθενώνας χτίστηκε τον πέμπτο αιώνα.",
}
QUESTIONS = {
    "zh.txt": "谁改良了蒸汽机？",
    "zh-other.txt": "长江全长多少公里？",
    "ja.txt": "東京タワーはいつ完成しましたか？",
    "ja-other.txt": "京都に寺院はありますか？",
    "ko.txt": "세종대왕이 무엇을 창제하였나?",
    "ko-other.txt": "부산은 어떤 도시인가?",
    "th.txt": "เมืองหลวงของประเทศไทยคืออะไร",
    "th-other.txt": "สัตว์บกที่ใหญ่ที่สุดคืออะไร",
    "ar.txt": "متى تأسست جامعة القرويين؟",
    "ar-other.txt": "ما هو أطول أنهار أفريقيا؟",
    "ru.txt": "Когда Чайковский написал «Щелкунчик»?",
    "el.txt": "Πότε χτίστηκε ο Παρθενώνας;",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Investigator(folder, embedder=ScriptedEmbedder()).library() as opened:
        yield opened


@pytest.mark.parametrize("half", list(Half))
@pytest.mark.parametrize("document_id", list(QUESTIONS))
def test_each_half_of_the_search_finds_what_is_asked_in_its_script(
    library: Library, document_id: str, half: Half
) -> None:
    assert library.ranked(QUESTIONS[document_id], 5, half)[0].document_id == document_id


@pytest.mark.parametrize("document_id", list(QUESTIONS))
def test_the_whole_search_puts_the_document_and_its_passage_first(library: Library, document_id: str) -> None:
    question = QUESTIONS[document_id]
    assert library.cards((question,))[0].document_id == document_id
    assert library.passages(question)[0].document_id == document_id
    assert library.hits(question, 3)[0].passage.document_id == document_id


@pytest.mark.parametrize(
    ("query", "document_id"), [("瓦", "zh.txt"), ("塔", "ja.txt"), ("ก", "th.txt"), ("글", "ko.txt"), ("ف", "ar.txt")]
)
def test_a_query_of_one_character_ends_in_a_ranking(library: Library, query: str, document_id: str) -> None:
    assert {card.document_id for card in library.cards((query,))} == set(TEXTS)
    assert library.passages(query, document_id)[0].text == TEXTS[document_id]


@pytest.mark.parametrize("query", ["?", "。", "、", "\u0301", "💥", "\u200b", "\u0e31"])
def test_a_query_without_a_word_ends_in_a_ranking(library: Library, query: str) -> None:
    assert {card.document_id for card in library.cards((query,))} == set(TEXTS)
    assert library.ranked(query, 5, Half.WORDS) == ()


def test_full_width_and_half_width_forms_meet(library: Library) -> None:
    assert library.ranked("３３３", 3, Half.WORDS)[0].document_id == "ja.txt"
    assert library.ranked("ﾀﾜｰ 電波塔", 3, Half.WORDS)[0].document_id == "ja.txt"
