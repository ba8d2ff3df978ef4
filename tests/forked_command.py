"""The command `investigator` for a process that forks: the usual modules are loaded, and no file is open."""

import sys

import langchain_openai  # noqa: F401

import investigator.cli.ask
import investigator.services.investigations  # noqa: F401
from investigator.cli.main import run


def main(*words: str) -> None:
    """Run the command with these words."""
    sys.argv = ["investigator", *words]
    run()
