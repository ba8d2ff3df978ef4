"""The command `investigator` for a process that forks: what most commands load is loaded, and nothing is open."""

import sys

import langchain_openai  # noqa: F401

import investigator.cli.ask
import investigator.services.run_service  # noqa: F401
from investigator.cli.main import run


def main(*words: str) -> None:
    """Run the command with these words."""
    sys.argv = ["investigator", *words]
    run()
