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
    reranker: str = Field(
        default="sentences",
        min_length=1,
        description='reranker: "sentences", or a sentence-transformers cross-encoder',
    )
    chroma: Annotated[str, AfterValidator(_known_address)] = Field(
        default="",
        exclude=True,  # the result does not depend on where vectors are compared
        description="Chroma server for more than 100,000 vectors, as http://HOST:8000; empty: this machine",
    )
