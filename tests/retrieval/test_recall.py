"""What the indexes find, against looking at every vector."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.base import Embedder
from investigator.engines.embedders import SentenceTransformerEmbedder
from investigator.retrieval.vector_search import WholeSearch
from investigator.store.chroma import ChromaIndex
from investigator.store.corpus import Corpus
from investigator.store.vectors import VectorTable
from investigator.store.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "data/examples/child-health"
QUERIES = 40
WORDS = 8


@contextmanager
def opened(folder: Path, embedder: Embedder) -> Iterator[tuple[Corpus, WholeSearch]]:
    """The corpus of a folder, and the search over all its vectors."""
    list(Investigator(folder, embedder=embedder).index(vectors=True))
    with Workspace(folder / ".investigator", write=False) as workspace:
        corpus, table = Corpus(workspace.database), VectorTable(workspace.database, embedder.name)
        index = ChromaIndex(workspace.directory / "chroma", table, lambda text: pytest.fail(text))
        yield corpus, WholeSearch(index, corpus, table, embedder)


@pytest.fixture(scope="module")
def pieces() -> list[str]:
    """Some thousand different pieces of real articles, of a dozen words each."""
    found: dict[str, None] = {}
    for file in sorted((*EXAMPLES.glob("*.txt"), *EXAMPLES.glob("*.md"), *EXAMPLES.glob("*.xml"))):
        words = re.sub(r"<[^>]*>|[#|*]", " ", file.read_text(encoding="utf-8")).split()
        found.update((" ".join(words[i : i + WORDS]), None) for i in range(0, len(words) - WORDS, WORDS))
    return list(found)


def test_the_folder_wide_index_finds_nearly_all_of_the_ten_nearest(pieces: list[str], tmp_path: Path) -> None:
    texts, queries = pieces[:-QUERIES], pieces[-QUERIES:]
    assert len(texts) > 2_500
    for start in range(0, len(texts), 100):
        pages = "\n\n".join(f"# {start + i}\n\n{text}" for i, text in enumerate(texts[start : start + 100]))
        (tmp_path / f"{start:05}.md").write_text(pages, encoding="utf-8")
    embedder = SentenceTransformerEmbedder()
    with opened(tmp_path, embedder) as (corpus, search):
        spans = {i: chunk for name in corpus.document_ids() for i, chunk in corpus.chunks_of(name).items()}
        assert len(spans) == len(texts)
        vectors = embedder.embed([corpus.chunk_text(chunk) for chunk in spans.values()])
        ids, hits = np.array(list(spans)), 0
        for query, vector in zip(queries, embedder.embed(queries), strict=True):
            exact = set(ids[np.argsort(-(vectors @ vector))[:10]].tolist())
            hits += len(exact & {match.chunk_id for match in search.nearest(query, 10)})
    assert hits / (10 * QUERIES) >= 0.98


def test_the_search_inside_a_document_looks_at_every_vector(tmp_path: Path) -> None:
    embedder = ScriptedEmbedder()
    paragraphs = [f"# {i}\n\nword{i % 97} word{i % 89} word{i % 83} about the mill." for i in range(1_500)]
    (tmp_path / "long.md").write_text("\n\n".join(paragraphs), encoding="utf-8")
    (tmp_path / "other.md").write_text("word1 word2 word3", encoding="utf-8")
    with opened(tmp_path, embedder) as (corpus, search):
        vectors = embedder.embed([corpus.chunk_text(chunk) for chunk in corpus.chunks_of("long.md").values()])
        assert len(vectors) > 1_000
        for query in ("word3 word88", "word96", "mill"):
            near = np.sort(vectors @ embedder.embed([query])[0])[::-1][:50]
            found = search.nearest(query, 50, "long.md")
            assert np.allclose([match.similarity for match in found], near, atol=1e-6)
            assert {match.document_id for match in found} == {"long.md"}
