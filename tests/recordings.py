"""Recorded investigations: whole runs with a language model's replies, for the demo and the tests.

    python -m tests.recordings --model openai:gpt-4o [--base-url URL] [--only NAME]

records the questions of `data/recordings/questions.json` anew with any model, one file per question, and writes what
came out of each to `data/recordings/outcomes.json`, which a person should read before it is committed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from investigator import Answer, Engine, Investigator, load_settings
from investigator.engines.base import traits_of
from investigator.engines.recorded import RecordedEngine
from investigator.records import Prompt, Reply

ROOT = Path(__file__).parents[1]
RECORDINGS = ROOT / "data" / "recordings"
QUESTIONS: list[dict[str, Any]] = json.loads((RECORDINGS / "questions.json").read_text(encoding="utf-8"))
OUTCOMES = RECORDINGS / "outcomes.json"
WHOLE_OFF = ["research.whole_tokens=0"]


class NamedEngine:
    """An engine under another name, by which its recording is known."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self.name = name
        self.traits = traits_of(engine)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the engine's reply."""
        return self._engine.reply(prompt)


def recording(question: dict[str, Any]) -> Path:
    """Return the file of a question's replies."""
    return RECORDINGS / f"{question['name']}.jsonl"


def options(question: dict[str, Any]) -> list[str]:
    """Return the settings of a question: documents are read one by one unless it is recorded as shipped."""
    return [] if question.get("whole") else WHOLE_OFF


def outcome(answer: Answer) -> dict[str, Any]:
    """Return what a test compares: the status, every statement with its support and places, and what is not stated."""
    return {
        "status": answer.status,
        "lead": answer.lead.text if answer.lead is not None else "",
        "statements": [
            [statement.head, statement.text, statement.support, [quote.place for quote in statement.quotes]]
            for statement in answer.statements
        ],
        "not_stated": [entry.text for entry in answer.not_stated],
        "withheld": [statement.text for statement in answer.check.withheld],
        "quotes": [quote.text for quote in answer.citations],
    }


def main(arguments: Sequence[str]) -> None:
    """Record the questions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--name", default="", help="name of the model in the recordings")
    parser.add_argument("--only", default="", help="record one question")
    given = parser.parse_args(arguments)
    server = [f"chat.base_url={given.base_url}", "chat.timeout=3000"] if given.base_url else []
    chosen = [question for question in QUESTIONS if given.only in ("", question["name"])]
    folders = list(dict.fromkeys(question["folder"] for question in chosen))
    with ThreadPoolExecutor(len(folders)) as pool:
        each = pool.map(lambda folder: list(_recorded(folder, chosen, given.model, given.name, server)), folders)
        results = {name: result for some in each for name, result in some}
    kept = json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.exists() else {}
    text = json.dumps({**kept, **results}, indent=1, ensure_ascii=False, sort_keys=True)
    OUTCOMES.write_text(text + "\n", encoding="utf-8")


def _recorded(
    folder: str, questions: Sequence[dict[str, Any]], model: str, name: str, server: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the outcomes of the questions about a folder, which is read once."""
    with tempfile.TemporaryDirectory() as workspace:
        list(Investigator(ROOT / folder, workspace=workspace).index(vectors=True))
        for question in questions:
            if question["folder"] != folder:
                continue
            settings = load_settings(None, [*server, *options(question)])
            file = recording(question)
            file.unlink(missing_ok=True)
            engine = Investigator(ROOT / folder, settings=settings, workspace=workspace).parts.engine(model)
            engine = RecordedEngine(file, NamedEngine(engine, name or engine.name), fixture=True)
            made = Investigator(ROOT / folder, model=engine, settings=settings, workspace=workspace)
            yield question["name"], outcome(made.ask(question["question"]))


if __name__ == "__main__":
    main(sys.argv[1:])
