"""What a part of the method uses when it is given nothing but a workspace directory."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.base import Embedder
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.retrieval.folder_index import workspace_library
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.store.in_memory import InMemoryJournal
from investigator.store.workspace import DATABASE_NAME, Workspace

DEFAULT_MISSION = "Answer the question from the documents alone, and say so plainly when they do not hold the answer."
DEFAULT_STRATEGY = "Ask the likeliest documents first; prefer exact statements, figures and dates to general remarks."


@cache
def default_embedder() -> Embedder:
    """all-MiniLM-L6-v2, loaded when the first text is embedded."""
    return SentenceTransformerEmbedder()


def default_client() -> EngineClient:
    """A client of the extractive engine and the shipped templates, whose journal ends with the process."""
    engine = ExtractiveEngine(default_embedder())
    return EngineClient({role: engine for role in Role}, Prompts(), InMemoryJournal(), time.monotonic)


def open_library(directory: Path, embedder: Embedder | None = None) -> Library:
    """The library of a workspace directory that was indexed before. Raises SettingsError where there is none."""
    if not (directory / DATABASE_NAME).is_file():
        raise SettingsError(
            f"there is no workspace in {directory}",
            hint='Index the folder first, for example with: investigator ask FOLDER "question"',
        )
    return workspace_library(Workspace(directory, write=False), embedder or default_embedder(), RetrievalSettings())
