"""A process that asks with a model at an address, for `forked.ForkServer`."""

from pathlib import Path

import langchain_openai  # noqa: F401  # the model would import it in each process
from power_plants import ALL, running


def main(url: str, folder: str, workspace: str, *settings: str) -> None:
    """Investigate ALL to the end."""
    list(running(url, Path(folder), Path(workspace), *settings).investigate(ALL))
