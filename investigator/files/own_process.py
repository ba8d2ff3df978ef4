"""Starts child processes of this package, so that native code can hang or crash without affecting the command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

SELDOM = 500_000
"""Number of objects allocated between two garbage collections, twice as many as a question creates. With Python's
default of 700, collections take a fifth of the time that a question needs.
"""
_PACKAGE_ROOT = Path(__file__).resolve().parents[2]


def start_module(
    module: str, *, directory: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a process that runs `main` of a module, with pipes to its standard input and output.

    The process runs the same version of this package, imports nothing from the current folder (`-P`), and does not
    receive Ctrl-C, because it has its own process group; a signal to that group ends it and its children. Raises
    OSError.
    """
    path = "sys.argv[1] in sys.path or sys.path.insert(0, sys.argv[1])"
    program = f"import gc, sys; gc.set_threshold({SELDOM}, 20, 20); {path}; import {module} as m; m.main()"
    options: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", program, str(_PACKAGE_ROOT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=directory,
        env=environment,
        **options,
    )


def pipe(stream: IO[bytes] | None) -> Any:
    """Return a pipe of a child process. Raises OSError if the process was started without that pipe."""
    if stream is None:
        raise OSError("no pipe")
    return stream
