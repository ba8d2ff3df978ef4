"""The installed packages, and the variables that change where calls go."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from investigator.doctor.findings import Environment, Extra
from investigator.engines.base import Embedder
from investigator.engines.chat.models import KEY_VARIABLES
from investigator.engines.embedding.embedders import DEFAULT_MODEL
from investigator.errors import EmbedderError

_EXTRAS = {"openai": "langchain-openai", "local": "xllamacpp"}
_WAYS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_PROXY", "ANTHROPIC_BASE_URL", "OLLAMA_HOST")
_OURS = "INVESTIGATOR_"


def environment(embedder: Embedder, variables: Mapping[str, str] | None = None) -> Environment:
    """Return what is installed, whether the embedder works, and the names of the variables that matter.

    `variables` are by default those of this process.
    """
    set_here = os.environ if variables is None else variables
    problem, hint = _trouble(embedder)
    return Environment(
        python=platform.python_version(),
        package=_version("investigator") or "run from its source",
        embedder=embedder.name,
        weights_checked=not problem and embedder.name.startswith(f"{DEFAULT_MODEL}@"),
        embedder_problem=problem,
        embedder_hint=hint,
        extras=tuple(Extra(name=name, library=library, version=_version(library)) for name, library in _EXTRAS.items()),
        variables=tuple(sorted(name for name, value in set_here.items() if value and _matters(name))),
    )


def _trouble(embedder: Embedder) -> tuple[str, str]:
    """Return what is wrong with the embedder and what to do; the bundled one checks its weights before a first text."""
    try:
        embedder.embed(("a text",))
    except EmbedderError as error:
        return error.message, error.hint
    return "", ""


def _matters(name: str) -> bool:
    known = name.upper() in _WAYS or name in _ADDRESSES or name in KEY_VARIABLES.values()
    return known or name.startswith(_OURS)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
