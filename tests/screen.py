"""Runs a command at a separate terminal for tests: the text it shows, and the input typed."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_PATIENCE = 90.0  # seconds


class Screen:
    """Return the octets that a running command has shown so far."""

    def __init__(self, process: subprocess.Popen[bytes], leader: int) -> None:
        self._process = process
        self._leader = leader
        self.shown = bytearray()

    def wait_for(self, text: str) -> None:
        """Wait until the text is shown."""
        ends = time.monotonic() + _PATIENCE
        while text.encode() not in self.shown:
            assert time.monotonic() < ends, bytes(self.shown)
            time.sleep(0.05)

    def type(self, *lines: str) -> None:
        """Type lines, each with the return key."""
        os.write(self._leader, "".join(f"{line}\n" for line in lines).encode())

    def press_ctrl_c(self) -> None:
        """Type Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def interrupt(self) -> int:
        """Type Ctrl-C, which ends the command, and return the exit code."""
        self.press_ctrl_c()
        return self._process.wait(30)

    def read(self) -> None:
        """Collect the shown text until the terminal is closed."""
        while True:
            try:
                self.shown.extend(os.read(self._leader, 4096))
            except OSError:
                return


@contextmanager
def screen(words: Sequence[str]) -> Iterator[Screen]:
    """Run `investigator` with these words at a terminal; it is killed at the end."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "investigator", *words],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=environment,
        start_new_session=True,
        close_fds=True,
    )
    os.close(follower)
    opened = Screen(process, leader)
    reader = threading.Thread(target=opened.read, daemon=True)
    reader.start()
    try:
        yield opened
    finally:
        process.kill()
        process.wait()
        os.close(leader)
        reader.join(5)
