"""Reads and renders templates that the package does not ship in a child process, whose time and memory are limited."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache

from investigator.asking.templates import SUFFIX, Fault, ReadTemplate, source_of
from investigator.errors import TemplateError
from investigator.files.own_process import pipe, start_module
from investigator.records.base import Plain
from investigator.resources import prompts_folder

MOST_SECONDS = 10.0
_MOST_MEMORY = 1 << 29
_TO_START = 10.0  # additional seconds in which the process may start, and report by itself that the time is up


def safely_read(source: str, values: Mapping[str, Plain] | None = None) -> ReadTemplate:
    """Read a template and, if values are given, render it: in this process if the package ships a template with this
    text, and in the child process otherwise.
    """
    if source in _shipped_sources():
        from investigator.asking.sandbox import read_template

        return read_template(source, values)
    return _process(os.getpid()).read(source, values)


@cache
def _shipped_sources() -> frozenset[str]:
    return frozenset(source_of(file) for file in prompts_folder().rglob(f"*{SUFFIX}"))


class TemplateProcess:
    """The child process, as seen by its parent; started when first needed, and again if it had to be stopped."""

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._seconds = seconds
        self._asking = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, source: str, values: Mapping[str, Plain] | None = None) -> ReadTemplate:
        """Read a template in the child process. Raises TemplateError if the process cannot be started."""
        with self._asking:
            if self._child is not None and self._child.poll() is not None:  # something else has ended it
                self._stop()
            try:
                self._child = child = self._child or start_module(__name__)
            except OSError as error:
                raise TemplateError(f"no process to render templates can be started ({error.strerror})") from error
            killing = threading.Timer(self._seconds + _TO_START, child.kill)
            killing.daemon = True
            killing.start()
            answer = b""
            with suppress(OSError):  # the process has ended
                pipe(child.stdin).write(json.dumps([self._seconds, source, values]).encode() + b"\n")
                pipe(child.stdin).flush()
                answer = pipe(child.stdout).readline()
            killing.cancel()
            if not answer.endswith(b"\n"):
                self._stop()
                return ReadTemplate(fault=Fault(None, "rendering it takes too much time or memory"))
        names, own_words, text, fault = json.loads(answer)
        return ReadTemplate(names, own_words, text, Fault(*fault) if fault else None)

    def close(self) -> None:
        """Stop the process, if it was started."""
        with self._asking:
            self._stop()

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout):
                with suppress(OSError):
                    pipe(stream).close()


@cache
def _process(_: int) -> TemplateProcess:
    """Return the child process of the process with this id, because a fork must not share its parent's pipes."""
    process, owner = TemplateProcess(), os.getpid()
    atexit.register(lambda: process.close() if os.getpid() == owner else None)  # a fork inherits this, too
    return process


def main() -> None:
    """Answer requests in the child process until standard input ends."""
    import investigator.asking.sandbox  # noqa: F401 - before the time and the memory of a template are limited

    if sys.platform != "win32":
        import resource

        with suppress(ValueError):  # a lower limit is set
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    for line in sys.stdin.buffer:
        seconds, source, values = json.loads(line)
        answer = _within(seconds, source, values)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _within(seconds: float, source: str, values: Mapping[str, Plain] | None) -> ReadTemplate:
    """Read a template; its fault names the line that was reached when the time was up, if the system has alarms."""
    from investigator.asking.sandbox import read_template

    if sys.platform == "win32":
        return read_template(source, values)

    def stop(*_: object) -> None:
        raise TimeoutError(f"it takes more than {seconds:g} seconds")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return read_template(source, values)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
