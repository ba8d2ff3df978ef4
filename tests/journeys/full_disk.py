"""A process whose files cannot grow, for `forked.ForkServer`."""

import resource
import signal
import sys

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.errors import InvestigatorError


def main(folder: str, workspace: str, most: str) -> None:
    """Write the status of the answer, or the error, with files of at most the given number of bytes (0: no limit)."""
    made = Investigator(folder, workspace=workspace, model=ScriptedEngine("{}"), embedder=ScriptedEmbedder())
    if int(most):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    try:
        sys.stdout.write(made.ask("What was found?").status)
    except InvestigatorError as error:
        sys.stdout.write(f"{type(error).__name__}: {error.hint}")
