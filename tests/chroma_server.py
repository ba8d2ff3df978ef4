"""A Chroma server on loopback for tests: `chroma run`, with its data in a folder that is deleted with it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chromadb
import httpx
from chromadb.api import ClientAPI
from chromadb.config import Settings

_SECONDS = 60.0


class RunningChroma:
    """A server that can be stopped, restarted at the same address, and given other data."""

    def __init__(self) -> None:
        self.data = Path(tempfile.mkdtemp(prefix="chroma-"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.start()

    @property
    def address(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        program = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
        words = ["run", "--host", "127.0.0.1", "--port", str(self._port), "--path", str(self.data)]
        self._process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + _SECONDS
        while True:
            try:
                httpx.get(f"{self.address}/api/v2/heartbeat").raise_for_status()
                return
            except httpx.HTTPError:
                assert time.monotonic() < until, "chroma run does not answer"
                time.sleep(0.05)

    def client(self) -> ClientAPI:
        """Open a client, as another user of the server would."""
        return chromadb.HttpClient(host="127.0.0.1", port=self._port, settings=Settings(anonymized_telemetry=False))

    def stop(self) -> None:
        """Stop the server at once."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Stop the server and delete its data."""
        self.stop()
        shutil.rmtree(self.data)
