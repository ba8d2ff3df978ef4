"""Defines the two sides of `peers.py`; each indexes a folder, then answers questions through the counting server."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, Self

from peers_server import CountingServer, Spent

from investigator.engines.base import Embedder, Traits
from investigator.engines.gguf.engine import GgufEngine
from investigator.errors import InvestigatorError
from investigator.investigator import Investigator
from investigator.records import Answered, AnswerStatus, Investigation, Prompt, Reply
from investigator.services.run_records import RunOptions
from investigator.settings import load_settings

_SCRIPT = Path(__file__).with_name("peers_paperqa.py")
_MODEL = "openai:local"
_STRAY = "stray"  # whatever PaperQA2 would send to a default address is counted here and leaves the machine never
_GRACE = 30.0  # seconds to end


@dataclass(frozen=True)
class Said:
    """The outcome of a question: the answer without its citations ("" if none was given), and the cited documents.

    `spent` is the cost of its calls.
    """

    status: AnswerStatus
    answer: str
    cited: tuple[str, ...]
    seconds: float
    spent: Spent
    about: str = ""


class Side(Protocol):
    """One system with its folder; its version is known after indexing."""

    name: str
    version: str

    def index(self, label: str) -> float:
        """Index the folder with all vectors, and return the seconds. Calls are counted under the label."""
        ...

    def ask(self, question: str, label: str) -> Said:
        """Answer one question; its calls are counted under the label."""
        ...


class CountedModel:
    """A GGUF file, loaded as by `--model gguf:PATH`; `spent` is the cost of its calls since it was last set."""

    def __init__(self, engine: GgufEngine) -> None:
        self.spent = Spent()
        self._engine = engine
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Return the engine's name."""
        return self._engine.name

    @property
    def traits(self) -> Traits:
        """Return the engine's traits."""
        return self._engine.traits

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return self._engine.count_tokens(text)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the engine's reply and count it; failed calls count, too."""
        with self._lock:
            self.spent.calls += 1
        try:
            reply = self._engine.reply(prompt)
        except InvestigatorError:
            with self._lock:
                self.spent.refused += 1
            raise
        with self._lock:
            self.spent.input_tokens += reply.input_tokens
            self.spent.output_tokens += reply.output_tokens
            self.spent.seconds += reply.seconds
        return reply


class Ours:
    """`investigator` with its defaults; `overrides` are settings as `part.field=value`.

    `own_model` is asked in place of the server; the process uses one model for all questions.
    """

    name = "investigator"
    version = ""

    def __init__(
        self,
        folder: Path,
        work: Path,
        server: CountingServer,
        embedder: Embedder,
        overrides: Sequence[str],
        own_model: CountedModel | None = None,
    ) -> None:
        self._folder = folder
        self._workspace = work / "investigator"
        self._server = server
        self._embedder = embedder
        self._overrides = tuple(overrides)
        self._own_model = own_model

    def index(self, label: str) -> float:
        began = time.monotonic()
        for _ in self._investigator(label).index(vectors=True):
            pass
        return time.monotonic() - began

    def ask(self, question: str, label: str) -> Said:
        investigator = self._investigator(label)
        if self._own_model is not None:
            self._own_model.spent = Spent()
        began = time.monotonic()
        try:
            case = _asked(investigator, question)
        except InvestigatorError as error:
            return Said(
                AnswerStatus.NOT_FOUND_SO_FAR,
                "",
                (),
                time.monotonic() - began,
                self._spent(label),
                f"failed: {error.message}",
            )
        return _said(case, time.monotonic() - began, self._spent(label))

    def _investigator(self, label: str) -> Investigator:
        return Investigator(
            self._folder,
            model=self._own_model or _MODEL,
            settings=load_settings(None, (*self._overrides, *self._address(label))),
            workspace=self._workspace,
            embedder=self._embedder,
        )

    def _address(self, label: str) -> tuple[str, ...]:
        if self._own_model is not None:
            return ()
        return f"chat.base_url={self._server.url(label)}", f"chat.api_key={self._server.key}"

    def _spent(self, label: str) -> Spent:
        return self._own_model.spent if self._own_model is not None else self._server.spent(label)


def _asked(investigator: Investigator, question: str) -> Investigation:
    """Return the record of the whole investigation."""
    for event in investigator.investigate(question, RunOptions(fresh=True)):
        if isinstance(event, Answered):
            return event.investigation
    raise RuntimeError("the investigation ended without an answer")


def _said(case: Investigation, seconds: float, spent: Spent) -> Said:
    answer = case.answer
    if answer is None:
        raise RuntimeError("the investigation has no answer")
    cited = dict.fromkeys(quote.document_id for quote in answer.citations)
    text = " ".join(statement.text for statement in answer.statements)
    return Said(answer.status, text, tuple(cited), seconds, spent, answer.run.stop)


class PaperQA:
    """PaperQA2's fixed path in a separate process; a context manager that ends the process."""

    name = "PaperQA2"
    version = ""

    def __init__(self, python: Path, folder: Path, work: Path, server: CountingServer, options: Sequence[str]) -> None:
        self._server = server
        self._work = work / "paperqa"
        self._work.mkdir(parents=True)
        self._talk = (self._work / "stderr.txt").open("w", encoding="utf-8")
        command = [str(python), str(_SCRIPT), str(folder), "--work", str(self._work), *options]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._talk,
            text=True,
            env={**os.environ, **self._variables()},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._talk.close()

    @property
    def stray_calls(self) -> int:
        """Return the number of calls that did not go to the configured server."""
        return self._server.spent(_STRAY).calls

    def index(self, label: str) -> float:
        told = self._told({}, label)
        self.version = told["version"]
        return float(told["seconds"])

    def ask(self, question: str, label: str) -> Said:
        told = self._told({"question": question}, label)
        return Said(
            AnswerStatus.ANSWERED if told["answered"] else AnswerStatus.NOT_FOUND,
            told["answer"],
            tuple(told["cited"]),
            told["seconds"],
            self._server.spent(label),
            json.dumps(told["about"]),
        )

    def _told(self, job: dict[str, str], label: str) -> dict[str, Any]:
        """Return the reply to one line. Raises RuntimeError with the end of the output if the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        address = {"url": self._server.url(label), "key": self._server.key}
        print(json.dumps({**job, **address}), file=self._process.stdin, flush=True)
        if line := self._process.stdout.readline():
            reply: dict[str, Any] = json.loads(line)
            return reply
        said = (self._work / "stderr.txt").read_text("utf-8")
        raise RuntimeError(f"PaperQA2 ended before it answered\n{said[-3000:]}")

    def _variables(self) -> dict[str, str]:
        stray = self._server.url(_STRAY)
        return {
            "PYTHONPATH": "",
            "PQA_HOME": str(self._work),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "OPENAI_API_KEY": self._server.key,
            "OPENAI_BASE_URL": stray,
            "OPENAI_API_BASE": stray,
        }
