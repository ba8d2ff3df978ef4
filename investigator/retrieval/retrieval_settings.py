"""Settings for searching a folder."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from investigator.records import Record
from investigator.secrets import register_address


def _known_address(address: str) -> str:
    register_address(address, user=False)
    parts = urlsplit(address)
    if address and not (parts.scheme in {"http", "https"} and parts.hostname and parts.path in {"", "/"}):
        raise ValueError("retrieval.chroma must be written as http://HOST:PORT")
    return address


class RetrievalSettings(Record):
    """Settings for searching passages."""

    passages: int = Field(
        default=5, ge=1, le=50, description="maximum number of passages from one document per question"
    )
    passage_characters: int = Field(
        default=3_000,
        ge=100,
        le=50_000,
        description="maximum length of a passage, which is a chunk merged with its neighbours, in characters",
    )
    documents: int = Field(
        default=5, ge=1, le=100, description="number of documents that a search examines, most promising first"
    )
    reranked: int = Field(
        default=15, ge=0, le=500, description="number of chunks of a document that the reranker scores"
    )
    reranker: str = Field(
        default="sentences",
        min_length=1,
        description='reranker: "sentences", or a sentence-transformers cross-encoder',
    )
    depth: int = Field(
        default=30,
        ge=1,
        le=500,
        description="number of chunks that keyword search and vector search each return",
    )
    breadth: int = Field(
        default=300, ge=1, le=5000, description="number of chunks examined to rank the documents in a folder"
    )
    candidates: int = Field(
        default=60,
        ge=1,
        le=1000,
        description="number of chunks whose vectors are computed for a question while the index has no vectors",
    )
    embed_first: int = Field(
        default=400, ge=0, description="maximum number of chunks that are embedded before the first question"
    )
    exact_up_to: int = Field(
        default=100_000,
        ge=0,
        description="maximum number of vectors for exact search; beyond it, Chroma is used",
    )
    chroma: Annotated[str, AfterValidator(_known_address)] = Field(
        default="",
        exclude=True,  # the result does not depend on where vectors are compared
        description="Chroma server for more than exact_up_to vectors, as http://HOST:8000; empty: Chroma runs on this "
        "machine",
    )
    sentences_up_to: int = Field(
        default=10_000,
        ge=0,
        description=(
            "maximum number of chunks for which index --vectors also computes sentence vectors; beyond it, "
            "they are computed when a question needs them"
        ),
    )
    snippet_characters: int = Field(
        default=300,
        ge=50,
        le=2000,
        description="maximum length of the excerpt that represents a document, in characters",
    )
