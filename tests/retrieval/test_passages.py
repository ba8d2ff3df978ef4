"""Passages are spans of a document that never overlap, stay on their page, and respect the maximum length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.retrieval.library import Library

CHARACTERS = 500
LONG = "word " * 400  # one sentence without an end, longer than a passage may be
QUERY = "When was the lock of parish 7 repaired?"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Return a text, a text with headings, and a sentence without an end."""
    folder = tmp_path_factory.mktemp("passages")
    rows = [f"The lock of parish {n} was repaired in {1700 + n}. The town paid {n * 3} crowns." for n in range(80)]
    (folder / "plain.txt").write_text("\n".join(rows), encoding="utf-8")
    sections = [f"# Parish {n}\n\n{row}\r\n\n" for n, row in enumerate(rows)]
    (folder / "headed.md").write_text("".join(sections), encoding="utf-8", newline="")
    (folder / "long.txt").write_text(f"The lock was repaired. {LONG}", encoding="utf-8")
    sizes = [f"retrieval.passage_characters={CHARACTERS}", "chunks.target=400"]
    settings = load_settings(None, [*sizes, "retrieval.passages=8"])
    with Investigator(folder, embedder=ScriptedEmbedder(), settings=settings).library() as opened:
        yield opened


@pytest.mark.parametrize("document_id", ["plain.txt", "headed.md", "long.txt"])
def test_a_passage_is_the_text_at_its_span_and_no_two_share_a_character(library: Library, document_id: str) -> None:
    text = library.document(document_id).text
    passages = library.passages(QUERY, document_id)
    assert passages
    for passage in passages:
        assert passage.text == text[passage.start : passage.end] != ""
        assert passage.line == text.count("\n", 0, passage.start) + 1
        assert passage.heading.startswith("Parish") is (document_id == "headed.md")
    for entry, other in combinations(passages, 2):
        assert entry.end <= other.start or other.end <= entry.start


@pytest.mark.parametrize("document_id", ["plain.txt", "headed.md"])
def test_a_passage_is_no_longer_than_set_though_longer_than_a_sentence(library: Library, document_id: str) -> None:
    lengths = [len(passage.text) for passage in library.passages(QUERY, document_id)]
    assert max(lengths) <= CHARACTERS
    assert max(lengths) > CHARACTERS / 2


def test_a_chunk_that_is_longer_than_a_passage_stands_alone(library: Library) -> None:
    passages = library.passages("word", "long.txt")
    assert len(passages[0].text) > CHARACTERS


def test_passages_come_best_first_and_hold_what_is_asked_for(library: Library) -> None:
    passages = library.passages(QUERY, "headed.md")
    assert "parish 7 " in passages[0].text
    assert all(entry.score >= other.score for entry, other in pairwise(passages))
    assert all(0.0 <= passage.score <= 1.0 for passage in passages)


def test_a_passage_never_crosses_a_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    from pptx import Presentation

    folder = tmp_path_factory.mktemp("pages")
    slides = Presentation()
    for number in range(6):
        slide = slides.slides.add_slide(slides.slide_layouts[5])
        slide.shapes.title.text = f"The lock of parish {number} was repaired."
    slides.save(str(folder / "slides.pptx"))
    with Investigator(folder, embedder=ScriptedEmbedder()).library() as library:
        passages = library.passages(QUERY, "slides.pptx")
        pages = {span.page: span for span in library.document("slides.pptx").pages}
    assert len(passages) > 1
    assert len({passage.page for passage in passages}) == len(passages)
    for passage in passages:
        assert passage.page is not None
        assert pages[passage.page].start <= passage.start < passage.end <= pages[passage.page].end


def test_a_document_that_is_not_there_has_no_passages(library: Library) -> None:
    with pytest.raises(KeyError):
        library.passages(QUERY, "nowhere.txt")
