from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from investigator import ScriptedEmbedder
from investigator.engines.base import Vectors
from investigator.engines.embedding.cached import CachedEmbedder


class Counting(ScriptedEmbedder):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)


def test_vectors_are_those_of_the_other_and_each_text_is_embedded_once() -> None:
    inner = Counting()
    remembering = CachedEmbedder(inner)
    for texts in (["a b", "c d"], ["c d", "e f", "a b", "e f"], ["a b"]):
        assert np.array_equal(remembering.embed(texts), ScriptedEmbedder().embed(texts))
    assert sorted(inner.texts) == ["a b", "c d", "e f"]
    assert remembering.name == inner.name


def test_no_texts_give_no_vectors() -> None:
    assert CachedEmbedder(ScriptedEmbedder()).embed([]).shape == ScriptedEmbedder().embed([]).shape


def test_what_is_kept_elsewhere_is_not_embedded_as_long_as_it_is_open() -> None:
    inner = Counting()
    remembering = CachedEmbedder(inner, most=0)
    rows = ScriptedEmbedder().embed(["a b", "c d"])
    with remembering.backed_by(
        lambda texts: {text: row for text, row in zip(("a b",), rows, strict=False) if text in texts}
    ):
        assert np.array_equal(remembering.embed(["c d", "a b"]), rows[::-1])
    assert inner.texts == ["c d"]
    remembering.embed(["a b"])
    assert inner.texts == ["c d", "a b"]


def test_what_was_not_used_for_long_is_forgotten() -> None:
    inner = Counting()
    remembering = CachedEmbedder(inner, most=2)
    for text in ("a", "b", "c", "a"):
        remembering.embed([text])
    assert inner.texts == ["a", "b", "c", "a"]


def test_threads_get_the_vectors_of_their_own_texts() -> None:
    remembering = CachedEmbedder(ScriptedEmbedder(), most=5)
    texts = [[f"word{i}", f"word{i + 1}"] for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        for asked, vectors in zip(texts, pool.map(remembering.embed, texts), strict=True):
            assert np.array_equal(vectors, ScriptedEmbedder().embed(asked))
