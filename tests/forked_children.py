"""The package's child processes, forked from a process that has imported their module: a new interpreter needs 0.3 s to
read files, which is a quarter of the time of all tests. The children do the same work behind the same
pipes. Tests of how a child starts use the package's own `start_module`.
"""

from __future__ import annotations

import gc
import importlib
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

from investigator.files.own_process import SELDOM, start_module

STARTER = "investigator.documents.reading_pool.start_module"
_ALSO = {
    "investigator.documents.reading_process": (
        "investigator.documents.readers.plain.plain_text",
        "investigator.documents.readers.markup.markdown",
        "investigator.documents.readers.pdf.page_tables",
        "sentencex.sentencex",
    ),
}
"""Modules that every child, or nearly every one, would import at its first request."""


class ForkedChild:
    """A child of a process that forks, with the attributes of `subprocess.Popen` that the package uses."""

    def __init__(self, parent: _Parent, pid: int, stdin: int, stdout: int) -> None:
        self._parent = parent
        self._polling = threading.Lock()
        self.pid = pid
        self.returncode: int | None = None
        self.stdin = os.fdopen(stdin, "wb")
        self.stdout = os.fdopen(stdout, "rb")

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal; None if the child runs."""
        with self._polling:
            if self.returncode is None:
                self.returncode = self._parent.asked({"pid": self.pid})
            return self.returncode

    def wait(self, timeout: float = 3600) -> int:
        """Wait for the end and return the exit code. Raises subprocess.TimeoutExpired."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("a forked child", timeout)
            time.sleep(0.001)
        return code

    def kill(self) -> None:
        """Kill the child if it runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


class _Parent:
    """A process that has imported a module, and forks for each child."""

    def __init__(self, module: str) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._turn = threading.Lock()
        self._numbers = itertools.count()
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(theirs.fileno()), module, *_ALSO.get(module, ())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
            start_new_session=True,
        )
        theirs.close()

    def child(self, directory: Path | None, environment: Mapping[str, str]) -> ForkedChild:
        """Fork a child."""
        (requests, stdin), (stdout, answers) = os.pipe(), os.pipe()
        request = {"directory": str(directory or os.getcwd()), "environment": dict(environment)}
        pid = self.asked(request, requests, answers)
        os.close(requests)
        os.close(answers)
        return ForkedChild(self, pid, stdin, stdout)

    def asked(self, request: dict[str, object], *pipes: int) -> Any:
        """Send a request, with the ends of a child's pipes, and return the answer."""
        with self._turn:
            number = f"{os.getpid()} {next(self._numbers)}"  # an earlier user of the line may have been killed
            socket.send_fds(self._line, [json.dumps({**request, "number": number}).encode()], pipes)
            while (said := json.loads(self._line.recv(1000)))["number"] != number:
                pass
            return said["answer"]

    def close(self) -> None:
        """End the process; its children have ended, or end with their pipes."""
        self._line.close()
        self._process.wait()


@contextmanager
def forked_children(*modules: str) -> Iterator[None]:
    """Fork the children that the package starts in this process; `modules` are those imported at once. By default one
    child reads a folder, because the other cores have other tests.
    """
    parents = {module: _Parent(module) for module in modules}
    beginning = threading.Lock()
    search_path = os.environ.get("PYTHONPATH")

    def start(module: str, *, directory: Path | None = None, environment: Mapping[str, str] | None = None) -> Any:
        variables = os.environ if environment is None else environment
        if variables.get("PYTHONPATH") != search_path:  # with modules that the parent has not found
            return start_module(module, directory=directory, environment=environment)
        with beginning:
            if module not in parents:
                parents[module] = _Parent(module)
        return parents[module].child(directory, variables)

    replaced = {STARTER: start, "investigator.documents.folder.cpus": lambda: 1}
    with ExitStack() as patches:
        for name, function in replaced.items():
            patches.enter_context(mock.patch(name, function))
        yield
    for parent in parents.values():
        parent.close()


def _serve(line: socket.socket, module: str) -> None:
    main = importlib.import_module(module).main
    gc.freeze()
    while True:
        data, pipes, _, _ = socket.recv_fds(line, 1 << 20, 2)
        if not data:
            return
        request = json.loads(data)
        if pipes:
            answer = os.fork()
            if answer == 0:
                line.close()
                _become(main, request, pipes)
            with suppress(OSError):  # the child has done it
                os.setpgid(answer, answer)
            for end in pipes:
                os.close(end)
        else:
            ended, status = os.waitpid(request["pid"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if ended else None
        line.send(json.dumps({"number": request["number"], "answer": answer}).encode())


def _become(main: Any, request: Mapping[str, Any], pipes: Sequence[int]) -> NoReturn:
    os.setpgid(0, 0)
    for number, end in ((0, pipes[0]), (1, pipes[1]), (2, os.open(os.devnull, os.O_WRONLY))):
        os.dup2(end, number)
        os.close(end)
    code = 1
    try:
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["directory"])
        main()
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    gc.set_threshold(SELDOM, 20, 20)
    for named in sys.argv[3:]:
        importlib.import_module(named)
    _serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
