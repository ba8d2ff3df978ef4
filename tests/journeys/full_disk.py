"""A process whose files cannot grow: `python full_disk.py FOLDER WORKSPACE BYTES` (0: as large as they like)."""

import resource
import signal
import sys

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.errors import InvestigatorError


def main(folder: str, workspace: str, most: str) -> None:
    """Write what came of the question: the status, or the error."""
    made = Investigator(folder, workspace=workspace, model=ScriptedEngine("{}"), embedder=ScriptedEmbedder())
    if int(most):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    try:
        sys.stdout.write(made.ask("What was found?").status)
    except InvestigatorError as error:
        sys.stdout.write(f"{type(error).__name__}: {error.hint}")


if __name__ == "__main__":
    main(*sys.argv[1:])
