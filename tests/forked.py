"""Runs that may be killed, without the second that a new interpreter takes to import the package. One process has
imported it and forks for each run. It starts no thread, so its forks behave like new processes.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from forked_children import forked_children

TESTS = Path(__file__).parent


class Ended(NamedTuple):
    """The end of a run: its exit code (negative for a signal), its output, and its duration."""

    code: int
    output: str
    complaints: str
    seconds: float


class ForkServer:
    """Runs `main(*words)` of a module in the tests' folder `folder`, one run at a time."""

    def __init__(self, folder: str, module: str, environment: Mapping[str, str]) -> None:
        root = str(TESTS.parent)
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "PYTHONPATH": os.pathsep.join([root, str(TESTS), str(TESTS / folder)])},
        )

    def run(
        self,
        words: Sequence[str],
        output: Path,
        kill_after: float | None = None,
        begun: Callable[[int], object] = lambda _: None,
        **variables: str,
    ) -> Ended:
        """Complete the run, or kill it the given number of seconds after it began. `output` is a file for its output,
        and `begun` receives its process id.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"words": list(words), "output": str(output), "variables": variables}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        pid = int(self._process.stdout.readline())
        begun(pid)
        began = time.monotonic()
        timer = threading.Timer(60.0 if kill_after is None else kill_after, os.kill, (pid, signal.SIGKILL))
        timer.start()
        code = int(self._process.stdout.readline())
        timer.cancel()
        complaints = output.with_suffix(".err").read_text(encoding="utf-8")
        return Ended(code, output.read_text(encoding="utf-8"), complaints, time.monotonic() - began)

    def close(self) -> None:
        """Stop the process that forks."""
        self._process.communicate()


def serve(module: str) -> None:
    """Fork for each request on standard input, and report the run's process id and how it ended."""
    main = importlib.import_module(module).main
    with forked_children("investigator.documents.reading_process"):
        _serve(main)


def _serve(main: object) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(main, request)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
        sys.stdout.flush()


def _run(main: object, request: dict[str, object]) -> None:
    output = Path(str(request["output"]))
    for number, path in ((1, output), (2, output.with_suffix(".err"))):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.environ.update(request["variables"])  # type: ignore[call-overload]
    code = 1
    try:
        main(*request["words"])  # type: ignore[operator,misc]
        sys.stdout.flush()
        code = 0
    except SystemExit as end:
        code = int(end.code or 0)
        sys.stdout.flush()
    finally:
        if code and sys.exc_info()[0] is not None:
            sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(sys.argv[1])
