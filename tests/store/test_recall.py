"""The approximate index compared with the exact one on real vectors; search inside one document is exact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.retrieval.folder_index import workspace_library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.retrieval.vector_search import WholeSearch
from investigator.store.chroma import ChromaIndex
from investigator.store.corpus import Corpus
from investigator.store.vectors import ExactIndex, VectorTable
from investigator.store.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "data" / "examples"
NEAREST = 10
INCLUDED = '["*.txt"]'  # more than a thousand pieces; more would only take longer


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The example papers, split into sentences, with the vectors of the bundled model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("investigator.retrieval.folder_index._SENTENCES_UP_TO", 0)
        yield from _indexed(tmp_path_factory.mktemp("real"))


def _indexed(directory: Path) -> Iterator[Workspace]:
    pieces = ["chunks.target=100"]
    settings = load_settings(None, [*pieces, f"folder.include={INCLUDED}"])
    folder = EXAMPLES / "child-health"
    list(Investigator(folder, settings=settings, workspace=directory).index(vectors=True))
    with Workspace(directory, write=False) as workspace:
        yield workspace


def test_the_approximate_index_finds_what_comparing_with_every_vector_finds(real: Workspace) -> None:
    embedder = SentenceTransformerEmbedder()
    corpus, table = Corpus(real.index), VectorTable(real.index, embedder.name)
    ids = [i for document_id in corpus.document_ids() for i in corpus.chunks_of(document_id)]
    kept = table.get(ids)
    matrix = np.stack([kept[i] for i in ids])
    assert len(matrix) >= 1_000
    chroma = ChromaIndex(real.directory / "chroma", "", table, pytest.fail)
    rows = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [str(json.loads(row)["question"]) for row in rows]
    among = [corpus.chunk_text(corpus.chunk_spans([i])[i]) for i in ids[:: len(ids) // 60]]
    hits = 0
    vectors = embedder.embed([*queries, *among])
    for vector in vectors:
        near = matrix @ vector
        reached = float(np.sort(near)[-NEAREST])  # alike texts have one similarity: either of them is right
        hits += sum(match.similarity >= reached - 1e-4 for match in chroma.nearest(vector, NEAREST))
    assert hits / (NEAREST * len(vectors)) >= 0.98


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A document of two thousand chunks and a short one, with vectors made from words."""
    root = tmp_path_factory.mktemp("long")
    folder = root / "documents"
    folder.mkdir()
    rows = [f"Entry {n}: parish {n * 7 % 97} sold {n * 13 % 89} sacks to mill {n * 3 % 53}. " for n in range(4_400)]
    (folder / "ledger.txt").write_text("".join(rows), encoding="utf-8")
    (folder / "note.txt").write_text("Parish 12 sold 40 sacks to mill 9.", encoding="utf-8")
    settings = load_settings(None, ["chunks.target=100"])
    made = Investigator(folder, embedder=ScriptedEmbedder(), settings=settings, workspace=root / "w")
    list(made.index(vectors=True))
    with Workspace(root / "w", write=False) as workspace:
        yield workspace


@pytest.mark.parametrize("query", ["parish 12 sold sacks to mill 9", "Who sold 40 sacks?", "entry 4000"])
def test_search_inside_a_long_document_is_exact(long: Workspace, query: str) -> None:
    embedder = ScriptedEmbedder()
    corpus, table = Corpus(long.index), VectorTable(long.index, embedder.name)
    ids = list(corpus.chunks_of("ledger.txt"))
    assert len(ids) >= 2_000
    texts = corpus.chunk_texts("ledger.txt", ids)
    near = embedder.embed([texts[i] for i in ids]) @ embedder.embed([query])[0]
    expected = sorted(zip(ids, near.tolist(), strict=True), key=lambda pair: (-round(pair[1], 5), pair[0]))
    index = ExactIndex(table)
    search = WholeSearch(index, corpus, embedder)
    vector = embedder.embed([query])[0]
    assert index.matches(ids[::-1], vector, NEAREST) == table.matches(ids, vector, NEAREST)
    for limit in (NEAREST, 1_500):
        hits = search.nearest(query, limit, "ledger.txt")
        assert {match.document_id for match in hits} == {"ledger.txt"}
        assert [match.similarity for match in hits] == pytest.approx([value for _, value in expected[:limit]])
        certain = {i for i, value in expected if value > hits[-1].similarity + 1e-6}
        assert certain <= {match.chunk_id for match in hits}


def test_the_passages_of_a_long_document_hold_its_best_chunk(long: Workspace) -> None:
    settings = RetrievalSettings(passage_characters=100)
    library = workspace_library(long, ScriptedEmbedder(), settings)
    passages = library.passages("What did entry 3210 say?", "ledger.txt")
    assert "Entry 3210:" in passages[0].text
