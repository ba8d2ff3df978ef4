"""Does with folders what a user does, and prints all that is said of each: `python victim.py < scenes.json`.

A scene is an object with `arguments` (folder, workspace or null), `environment` and `here`, the current folder. A line
of JSON answers each. An error of this package is an outcome like any other; what else is raised is said as a crash.
"""

import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory
from investigator.errors import InvestigatorError

QUESTION = "How deep is the harbour?"


def output_of(folder: str, workspace: str | None) -> str:
    """Ask (which builds the index), search, list, show, replay, verify and remember; return all the results."""

    def opened() -> Investigator:
        return Investigator(folder, workspace=workspace, embedder=ScriptedEmbedder())

    def remembered() -> object:
        with open_memory(opened()) as memory:
            return [(memory.memories(user), memory.search(user, "harbour")) for user in memory.users()]

    def stored() -> object:
        listed = opened().runs()
        return [*listed, *(opened().show(run.id) for run in listed)]

    uses: tuple[Callable[[], object], ...] = (
        stored,
        remembered,
        lambda: list(opened().investigate(QUESTION)),
        lambda: opened().search(QUESTION),
        lambda: opened().status(),
        stored,
        lambda: [opened().replay(run.id) for run in opened().runs()[:2]],
        lambda: str(list(opened().index(vectors=True, verify=True)))[:0],
        lambda: opened().ask(QUESTION, fresh=True).text,
        remembered,
    )
    output = ""
    for use in uses:
        try:
            output += f"{use()}\n"
        except InvestigatorError as error:
            output += f"error: {error.message}\nhint: {error.hint}\n"
        except Exception:  # noqa: BLE001 - whatever is raised is told as a crash
            output += f"crash: {traceback.format_exc()}\n"
    return output


def main() -> None:
    """Play all scenes."""
    for scene in json.load(sys.stdin):
        os.environ.update(scene["environment"])
        os.chdir(scene["here"])
        tempfile.tempdir = None
        sys.stdout.write(json.dumps(output_of(*scene["arguments"])) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
