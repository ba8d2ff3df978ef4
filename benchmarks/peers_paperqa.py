"""PaperQA2's side of `peers.py`. Runs in a separate environment (peers_requirements.txt) and imports nothing from here.

    paperqa-venv/bin/python benchmarks/peers_paperqa.py FOLDER --work DIR --answer-length TEXT
        --summaries schema|words --summary-characters N

Reads one JSON object per line from standard input, and answers each with one on standard output. The first line names
the server for indexing; each later line contains a question and the server for it: {"question", "url", "key"}.

It runs the fixed path (`agent_type="fake"`) with the defaults of 2026.8.12, except for changes that a local folder and
a local model require: the model, embedder and server are set; no metadata is looked up on the network; citations come
from a manifest (otherwise indexing would need a call for each file); there is no time limit, because the model may be
slow; pictures are not used; and `--answer-length` replaces its default of 200 words.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import logging
import os
import re
import sys
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paperqa import Settings
    from paperqa.types import PQASession

_MODEL = "openai/local"
_MANIFEST = "manifest.csv"
_HOURS = 6 * 3600.0
_CITATIONS = re.compile(r"\s*\([^()]*pqac-[^()]*\)|\s*\bpqac-[0-9a-f]+\b")


def settings(arguments: argparse.Namespace, url: str, key: str) -> Settings:
    """Return the settings for one question; all questions use the same index."""
    from paperqa import Settings

    server = {"api_base": url, "api_key": key, "timeout": _HOURS}
    chat = summary = _model(server)
    if arguments.summaries == "schema":
        summary = _model({**server, **_held_to_schema(arguments.summary_characters)})
    index = {
        "paper_directory": arguments.folder,
        "index_directory": arguments.work / "index",
        "manifest_file": arguments.work / _MANIFEST,
    }
    return Settings(
        llm=_MODEL,
        llm_config=chat,
        summary_llm=_MODEL,
        summary_llm_config=summary,
        embedding="openai/all-MiniLM-L6-v2",
        embedding_config={"kwargs": server},
        answer={"answer_length": arguments.answer_length},
        parsing={"use_doc_details": False, "multimodal": False},
        agent={"agent_type": "fake", "agent_llm": _MODEL, "agent_llm_config": chat, "timeout": _HOURS, "index": index},
    )


def write_manifest(folder: Path, file: Path) -> None:
    """Write a manifest that cites each document by its path, so that no model invents a citation."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(("file_location", "dockey", "docname", "title", "citation", "fields_to_overwrite_from_metadata"))
        rows.writerows((name, name, name, name, name, "[none]") for name in names)


def _model(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return the local model's configuration for litellm; PaperQA2 sends a temperature of 0 by default."""
    return {
        "model_list": [{"model_name": _MODEL, "litellm_params": {"model": _MODEL, "temperature": 0.0, **parameters}}]
    }


def _held_to_schema(characters: int) -> dict[str, object]:
    """Return parameters that make the server enforce the JSON that PaperQA2's prompt requests, and limit its length."""
    properties = {
        "summary": {"type": "string", "maxLength": characters},
        "relevance_score": {"type": "integer", "minimum": 0, "maximum": 10},
    }
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    named = {"name": "summary", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


async def build_index(wanted: Settings) -> int:
    """Read and embed the folder; return the number of indexed files."""
    from paperqa.agents.search import get_directory_index

    index = await get_directory_index(settings=wanted)
    return len(await index.index_files)


async def answer(question: str, wanted: Settings) -> Mapping[str, object]:
    """Return the outcome of one question; "I cannot answer" counts as no answer."""
    from paperqa import Docs
    from paperqa.agents.main import agent_query
    from paperqa.prompts import CANNOT_ANSWER_PHRASE

    began = time.monotonic()
    response = await agent_query(question, wanted, docs=Docs(), agent_type="fake")
    seconds = time.monotonic() - began
    session = response.session
    answered = bool(session.contexts and session.raw_answer.strip()) and (
        CANNOT_ANSWER_PHRASE.lower() not in session.raw_answer.lower()
    )
    return {
        "answered": answered,
        "answer": _CITATIONS.sub("", session.raw_answer) if answered else "",
        "cited": cited(session) if answered else [],
        "seconds": seconds,
        "said": session.raw_answer,
        "about": {"status": str(response.status), "evidence": evidence(session)},
    }


def cited(session: PQASession) -> list[str]:
    """Return the documents whose keys are in the answer, in the order of the keys."""
    used = [context for context in session.contexts if context.id in session.raw_answer]
    used.sort(key=lambda context: session.raw_answer.index(context.id))
    return list(dict.fromkeys(context.text.doc.dockey for context in used))


def evidence(session: PQASession) -> list[Any]:
    """Return [document, score] of each piece of evidence, best first."""
    pieces = sorted(session.contexts, key=lambda context: (-context.score, context.text.name))
    return [[context.text.doc.dockey, context.score] for context in pieces]


def main() -> None:
    """Index the folder, then answer each line until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--answer-length", required=True)
    parser.add_argument("--summaries", choices=("schema", "words"), required=True)
    parser.add_argument("--summary-characters", type=int, required=True, help="length limit of the schema")
    arguments = parser.parse_args()
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # keeps output of the library out of the replies
    logging.disable(logging.WARNING)

    def told(reply: Mapping[str, object]) -> None:
        print(json.dumps(reply), file=replies, flush=True)

    with asyncio.Runner() as runner:  # one loop for all questions, because the library keeps its connections open
        for number, line in enumerate(sys.stdin):
            job = json.loads(line)
            wanted = settings(arguments, job["url"], job["key"])
            if number > 0:
                told(runner.run(answer(job["question"], wanted)))
                continue
            write_manifest(arguments.folder, arguments.work / _MANIFEST)
            began = time.monotonic()
            files = runner.run(build_index(wanted))
            told({"files": files, "seconds": time.monotonic() - began, "version": version("paper-qa")})


if __name__ == "__main__":
    main()
