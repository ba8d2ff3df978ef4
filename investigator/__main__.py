"""Entry point for the `investigator` command, which can also be started as `python -m investigator`."""

from __future__ import annotations

import gc
import os
import signal
from importlib import import_module


def run() -> None:
    """Run the command given on the command line, then exit with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop_at_once)
    try:
        _start_light()
        import_module("investigator.cli.main").run()
    except KeyboardInterrupt:  # after a result was printed
        stop_at_once()


def stop_at_once(*_: object) -> None:
    """End the process at Ctrl-C. Until a command runs, nothing has to be kept, and an exception would be lost: typer
    ends silently, and pydantic, which is being imported, reports another error.
    """
    os.write(2, b"interrupted\n")
    os._exit(130)


def _start_light() -> None:
    """Reduce the start-up time, and keep idle worker threads from spinning, which would slow down other programs. This
    must run before the command line, pydantic, NumPy and PyTorch are loaded.
    """
    from investigator.files.own_process import SELDOM

    gc.set_threshold(SELDOM, 20, 20)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # otherwise pydantic searches every installed package for plug-ins
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


if __name__ == "__main__":
    run()
