"""Entry point for the `investigator` command, which can also be started as `python -m investigator`."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from investigator.files.own_process import SELDOM


def run() -> None:
    """Run the command given on the command line, then exit with its exit code."""
    _start_light()
    try:
        import_module("investigator.cli.main").run()
    except KeyboardInterrupt:  # Ctrl-C while the command line is being imported, or after a result was printed
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _start_light() -> None:
    """Reduce the start-up time, and keep idle worker threads from spinning, which would slow down other programs. This
    must run before the command line, pydantic, NumPy and PyTorch are loaded.
    """
    gc.set_threshold(SELDOM, 20, 20)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # otherwise pydantic searches every installed package for plug-ins
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


if __name__ == "__main__":
    run()
