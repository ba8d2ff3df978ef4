from collections.abc import Iterator

import numpy as np
import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.documents.chunks import ChunkSettings, split
from investigator.retrieval.library import Library

TEXTS = {
    "annual-report-2021.md": "# Annual report 2021\n\nRevenue was 40 million euros.\n\n# Staff\n\nWe were 210 people.",
    "annual-report-2022.md": "# Annual report 2022\n\nRevenue was 52 million euros.\n\n# Staff\n\nWe were 230 people.",
    "menu.txt": "Soup, bread and cheese. " * 60,
    "zh.txt": "蒸汽机是由詹姆斯瓦特改良的。它改变了工业。",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("folder")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Investigator(folder, embedder=ScriptedEmbedder()).library() as opened:
        yield opened


def test_a_document_is_chosen_by_its_title_and_date(library: Library) -> None:
    assert library.cards(("What was the revenue in the 2022 report?",))[0].document_id == "annual-report-2022.md"
    assert library.cards(("What was the revenue in the 2021 report?",))[0].document_id == "annual-report-2021.md"


def test_every_document_has_a_card_with_a_match_in_range(library: Library) -> None:
    cards = library.cards(("soup",))
    assert {card.document_id for card in cards} == set(TEXTS)
    assert all(0.0 <= card.match <= 1.0 for card in cards)
    assert cards[0].document_id == "menu.txt"


def test_a_passage_is_what_stands_at_its_span_and_line(library: Library) -> None:
    passage = library.passages(("How many people were staff?",), "annual-report-2022.md")[0]
    text = TEXTS[passage.document_id]
    assert passage.text == text[passage.start : passage.end]
    assert "230 people" in passage.text
    assert passage.line == text[: passage.start].count("\n") + 1
    assert passage.heading == "Staff"


def test_search_in_one_document_stays_in_it(library: Library) -> None:
    found = library.passages(("revenue",), "menu.txt")
    assert {passage.document_id for passage in found} == {"menu.txt"}


def test_scripts_without_spaces_are_found(library: Library) -> None:
    assert library.cards(("瓦特改良了什么？",))[0].document_id == "zh.txt"


def test_the_vector_search_inside_a_document_is_exact(library: Library) -> None:
    embedder = ScriptedEmbedder()
    query = "cheese and soup"
    passages = library.passages((query,), "menu.txt")
    document = library.document("menu.txt")
    spans = split(document, ChunkSettings())
    vectors = embedder.embed([document.text[c.start : c.end] for c in spans])
    best = spans[int(np.argmax(vectors @ embedder.embed([query])[0]))]
    assert any(passage.start <= best.start and best.end <= passage.end for passage in passages)
