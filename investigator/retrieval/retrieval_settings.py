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
        raise ValueError("retrieval.chroma is written as http://HOST:PORT")
    return address


class RetrievalSettings(Record):
    """Settings for searching passages."""

    passages: int = Field(default=5, ge=1, le=50, description="maximum passages of a document in one question")
    passage_characters: int = Field(
        default=3_000, ge=100, le=50_000, description="maximum length of a chunk merged with its neighbours"
    )
    documents: int = Field(default=5, ge=1, le=100, description="likeliest documents that a search examines")
    reranked: int = Field(default=15, ge=0, le=500, description="chunks of a document that the reranker scores")
    reranker: str = Field(
        default="sentences", min_length=1, description='"sentences", or a cross-encoder of sentence-transformers'
    )
    depth: int = Field(default=30, ge=1, le=500, description="chunks that each half of the search returns")
    breadth: int = Field(default=300, ge=1, le=5000, description="chunks examined to rank the documents of a folder")
    candidates: int = Field(
        default=60, ge=1, le=1000, description="chunks that get vectors for a question while the index has no vectors"
    )
    embed_first: int = Field(
        default=400, ge=0, description="maximum chunks that are embedded before the first question"
    )
    exact_up_to: int = Field(
        default=100_000,
        ge=0,
        description="maximum vectors that are all compared with a query; larger numbers go to Chroma",
    )
    chroma: Annotated[str, AfterValidator(_known_address)] = Field(
        default="",
        exclude=True,  # vectors may be compared anywhere with the same result
        description="a Chroma server for larger numbers, as http://HOST:8000; empty: Chroma on this machine",
    )
    sentences_up_to: int = Field(
        default=10_000,
        ge=0,
        description="maximum chunks for which index --vectors also computes sentence vectors; otherwise questions do",
    )
    snippet_characters: int = Field(
        default=300, ge=50, le=2000, description="maximum length of a document's nearest passage"
    )
