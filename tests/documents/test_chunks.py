"""Chunks contain the whole text in order, end with sentences, and do not cross pages or headings."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from investigator.documents.chunks import ChunkSettings, split
from investigator.records import Document, Heading, PageSpan

DEFAULT = ChunkSettings()
SENTENCE = "The mill was sold in May for 3.5 million, as Mr. Tulliver had feared. "


def document(text, pages=(), headings=()):
    return Document(
        id="a.txt", title="a", media_type="text/plain", content_hash="h", text=text, pages=pages, headings=headings
    )


def texts(source, settings=DEFAULT):
    return [source.text[chunk.start : chunk.end] for chunk in split(source, settings)]


def test_a_short_text_is_one_chunk():
    assert texts(document("  A mill.\n")) == ["A mill."]


def test_no_text_has_no_chunks():
    assert split(document(""), DEFAULT) == ()
    assert split(document(" \n\t "), DEFAULT) == ()


def test_chunks_end_with_sentences_and_are_neither_short_nor_long():
    chunks = texts(document(SENTENCE * 100))
    assert all(chunk.startswith("The mill") and chunk.endswith("feared.") for chunk in chunks)
    assert all(600 <= len(chunk) <= 800 for chunk in chunks[:-1])


def test_a_chunk_rather_ends_with_a_paragraph():
    paragraph = (SENTENCE * 9).strip()
    assert texts(document(f"{paragraph}\n\n{paragraph}")) == [paragraph, paragraph]


def test_short_paragraphs_share_a_chunk():
    assert len(texts(document("One.\n\nTwo.\n\nThree."))) == 1


def test_no_chunk_crosses_a_page():
    source = document(
        "On page one\n\ncontinued here.", pages=(PageSpan(page=4, start=0, end=11), PageSpan(page=5, start=13, end=28))
    )
    assert [(c.page, source.text[c.start : c.end]) for c in split(source, DEFAULT)] == [
        (4, "On page one"),
        (5, "continued here."),
    ]


def test_a_heading_begins_a_chunk_and_headings_in_a_row_begin_it_together():
    text = "Intro.\n\n# Part\n\n## Costs\n\nHigh.\n\n## Gains\n\nNone."
    headings = tuple(Heading(text=h.strip("# "), start=text.index(h)) for h in ("# Part", "## Costs", "## Gains"))
    source = document(text, headings=headings)
    assert [(c.heading, source.text[c.start : c.end]) for c in split(source, DEFAULT)] == [
        ("", "Intro."),
        ("Part", "# Part\n\n## Costs\n\nHigh."),
        ("Gains", "## Gains\n\nNone."),
    ]


def test_the_front_matter_of_a_markdown_file_is_a_chunk_of_its_own():
    front, body = "---\ntitle: Mills\n---\n", "They grind.\n\n# References\n\n1. Smith, Mills."
    source = document(front + body, headings=(Heading(text="References", start=len(front) + body.index("#")),))
    markdown = source.changed(media_type="text/markdown")
    assert texts(markdown) == [front.strip(), "They grind.", "# References\n\n1. Smith, Mills."]


def test_a_long_sentence_is_cut_at_blanks_only():
    words = [f"word{number}" for number in range(1000)]
    chunks = texts(document(" ".join(words)))
    assert max(map(len, chunks)) <= 1200
    assert " ".join(chunks).split() == words


def test_rows_are_not_cut():
    rows = [f"name: Ada {number}; role: engineer; town: Bonn" for number in range(300)]
    assert "\n".join(texts(document("\n".join(rows)))).split("\n") == rows


@st.composite
def documents(draw):
    text = draw(st.text(alphabet=st.sampled_from("ab .\n\t!?é。\u00a0x1|#"), max_size=900))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pages = tuple(PageSpan(page=n, start=a, end=b) for n, (a, b) in enumerate(pairwise([0, *cuts, len(text)]), start=1))
    starts = sorted(draw(st.sets(st.integers(0, max(len(text) - 1, 0)), max_size=5)))
    return document(text, pages, tuple(Heading(text="h", start=start) for start in starts))


@given(documents(), st.integers(100, 300))
def test_chunks_hold_everything_once_and_in_order(source, target):
    settings = ChunkSettings(target=target)
    chunks = split(source, settings)
    covered = [offset for chunk in chunks for offset in range(chunk.start, chunk.end)]
    assert covered == sorted(set(covered))
    assert {i for i, character in enumerate(source.text) if not character.isspace()} <= set(covered)
    for chunk in chunks:
        assert 0 < chunk.end - chunk.start <= settings.maximum
        assert not source.text[chunk.start].isspace()
        assert any(page.start <= chunk.start and chunk.end <= page.end for page in source.pages)


@pytest.mark.parametrize(
    "unit", [SENTENCE, "abcdefghij", "今天天气很好。", "name: Bob; age: 3\n", "a.\n\n", "......", " "]
)
def test_a_large_text_of_one_kind_is_split_in_time_proportional_to_its_length(unit):
    def split_in(length):
        source = document(unit * (length // len(unit)))
        begin = time.thread_time()
        return source, split(source, DEFAULT), time.thread_time() - begin

    _, _, few = split_in(40_000)
    source, chunks, many = split_in(400_000)
    assert many < 40 * few + 0.05  # 10 times as long; all pairs of places would take 100 times
    assert sum(c.end - c.start for c in chunks) >= 0.85 * len(source.text.strip())
