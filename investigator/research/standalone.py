"""Opens a finder or an index for a class of the method that is used by itself, without an Investigator."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

from investigator.asking.client import EngineClient
from investigator.asking.prompts import Prompts
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.roles import Role
from investigator.errors import SettingsError
from investigator.retrieval.folder_index import workspace_library
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.store.in_memory import InMemoryJournal
from investigator.store.workspace import Workspace, has_database

_EMBEDDER = "all-MiniLM-L6-v2"


def default_client() -> EngineClient:
    """Return a client of the built-in finder, with a journal in memory."""
    engine = ExtractiveEngine(_embedder())
    return EngineClient(dict.fromkeys(Role, engine), Prompts(), InMemoryJournal(lambda _: None), time.monotonic)


def open_library(directory: str | Path) -> Library:
    """Open the library of an indexed workspace that was made with the default settings.

    Raises SettingsError if the directory contains no workspace.
    """
    if not has_database(Path(directory)):
        raise SettingsError(
            f"no workspace found in {directory}",
            hint='Index the folder first, for example with: investigator ask FOLDER "question"',
        )
    return workspace_library(Workspace(Path(directory), write=False), _embedder(), RetrievalSettings())


@cache  # so that the model is loaded only once even if many parts are used by themselves
def _embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder(_EMBEDDER)
