"""A search gives the same result, byte for byte, however documents are distributed over shards."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shards import HeldHere, copied

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.embedding.rerankers import open_reranker
from investigator.retrieval.gathering import GatheredCorpus, GatheredVectors, GatheredWords
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.retrieval.shard import Shard
from investigator.retrieval.vector_search import WholeSearch
from investigator.store.corpus import Corpus
from investigator.store.full_text import FullText
from investigator.store.vectors import ExactIndex, VectorTable

TOPICS = ("iron supplements", "malaria in children", "covid-19 vaccines", "river pumps", "the budget of 2021")
TEXTS = {
    f"{name}.md": f"# Report {number} on {TOPICS[number % 5]}\n\n"
    + "\n\n".join(
        f"In {2010 + number} the {name} team studied {TOPICS[(number + turn) % 5]}. "
        f"It counted {7 * turn + number} cases of {TOPICS[(number * turn) % 5]}, "
        f"and {TOPICS[turn % 5]} cost {number + 2} euros. {'Nothing else. ' * turn}"
        for turn in range(1 + number)
    )
    for number, name in enumerate(("alder", "birch", "cedar", "elm", "fir", "hazel", "oak", "yew", "zélkova"))
}
QUESTIONS = (
    "What did covid-19 vaccines cost in 2015?",
    'Which report is about "river pumps" and the budget of 2021?',
    "Who painted the ceiling?",
    "vacines",
)
EMBEDDER = ScriptedEmbedder()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """The index from which all shards are made."""
    folder = tmp_path_factory.mktemp("folder")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "empty.pdf").write_bytes(b"no document")
    investigator = Investigator(folder, embedder=EMBEDDER, settings=load_settings(None, ["chunks.target=200"]))
    for _ in investigator.index(vectors=True):
        pass
    with investigator.open_workspace(write=False) as workspace:
        yield Corpus(workspace.index)


@pytest.fixture(scope="module")
def alone(whole: Corpus) -> list[object]:
    """Return the results of the single index."""
    return contents(one_library(whole))


def one_library(corpus: Corpus) -> Library:
    database = corpus._database
    vectors = WholeSearch(ExactIndex(VectorTable(database, EMBEDDER.name)), corpus, EMBEDDER)
    return Library(corpus, FullText(database), vectors, open_reranker("sentences", EMBEDDER), RetrievalSettings())


def contents(library: Library) -> list[object]:
    """Return everything that the method may request from a library."""
    results: list[object] = [library.document_ids(), library.unreadable(), library.left_out()]
    for number, question in enumerate(QUESTIONS):
        queries = (question, QUESTIONS[number - 1])
        results += [library.cards(queries), library.passages(question), library.hits(question, 20)]
        results += [library.passages(question, name) for name in library.document_ids()]
        results += [library.hits(question, 5, "oak.md"), library.standings(question)]
    return [without_ids(entry) for entry in results]


def without_ids(results: object) -> object:
    """Remove the numbers of chunks, which differ between indexes and are never shown."""
    if isinstance(results, tuple) and results and hasattr(results[0], "best"):
        return [(entry.document_id, entry.chance, entry.standing, entry.best and entry.best.score) for entry in results]
    return results


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(homes=st.lists(st.integers(0, 3), min_size=len(TEXTS), max_size=len(TEXTS)), shards=st.integers(4, 6))
def test_a_search_over_shards_says_what_one_index_says(
    homes: list[int], shards: int, whole: Corpus, alone: list[object]
) -> None:
    with TemporaryDirectory() as place, ExitStack() as closing:
        databases = {}
        for number in range(shards):
            own = [name for name, home in zip(sorted(TEXTS), homes, strict=True) if home == number]
            databases[number] = copied(whole, own, Path(place) / f"{number}.db", EMBEDDER)
            closing.callback(databases[number].close)
        unread = [file for file in whole.files() if file.path == "empty.pdf"]
        Corpus(databases[homes[0]]).put(unread, ())
        corpora = {number: Corpus(database) for number, database in databases.items()}
        corpus = GatheredCorpus(corpora, shards, whole.left_out())
        held = HeldHere({number: Shard(database, EMBEDDER.name) for number, database in databases.items()})
        words, vectors = GatheredWords(held, corpus), GatheredVectors(held, corpus, EMBEDDER)
        library = Library(corpus, words, vectors, open_reranker("sentences", EMBEDDER), RetrievalSettings())
        assert contents(library) == alone
