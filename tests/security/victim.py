"""Does with a folder what a user does: `python victim.py FOLDER [WORKSPACE]`. Prints all that is said of it.

An error of this package is an outcome like any other; anything else ends the process with a traceback.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory
from investigator.errors import InvestigatorError

QUESTION = "How deep is the harbour?"


def main(folder: str, workspace: str | None = None) -> None:
    """Index, search, ask, list, show, replay and remember."""

    def opened() -> Investigator:
        return Investigator(folder, workspace=workspace, embedder=ScriptedEmbedder())

    def remembered() -> object:
        with open_memory(opened()) as memory:
            return [memory.memories(user) for user in memory.users()]

    uses: tuple[Callable[[], object], ...] = (
        lambda: opened().runs(),
        remembered,
        lambda: list(opened().index(vectors=True)),
        lambda: list(opened().investigate(QUESTION)),
        lambda: opened().search(QUESTION),
        lambda: opened().status(),
        lambda: [opened().show(run.id) for run in opened().runs()],
        lambda: [opened().replay(run.id) for run in opened().runs()],
        remembered,
    )
    for use in uses:
        try:
            sys.stdout.write(f"{use()}\n")
        except InvestigatorError as error:
            sys.stdout.write(f"error: {error.message}\nhint: {error.hint}\n")


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2]))
    main(*sys.argv[1:])
