"""A folder about six power plants and three letters, and a chat model on loopback that judges it sensibly.

Documents: `alder.txt` ("It makes 40 MW of power.") to `oak.txt` (45 MW), `letter1.txt` to `letter3.txt`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from openai_server import Body, OpenAIServer, Response, completion

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.records import Answer, Answered, Event, Investigation

NAMES = ("alder", "birch", "cedar", "elm", "hazel", "oak")
ALL = "How much power does each plant make?"
"""Answered by six documents: think, plan, six replies, one reflection and the answer are ten calls."""
ALL_CALLS = 10
ONE = "How much power does the Cedar plant make?"
"""Answered by one document."""
ABSENT = "Who painted Vienna's opera ceiling?"
"""Answered by none."""
TOKENS_PER_REPLY = 7

THINK, PLAN, ASK, REFLECT, ANSWER = (
    "You plan an investigation",
    "You plan the next round",
    "You examine one document",
    "You review what",
    "You write the answer",
)
"""The words that the prompts of the five roles begin with."""

_OUTPUT = re.compile(r"It makes \d+ MW of power\.")
_ASKED_FOR_ONE = re.compile(r"^Main question: .*the (\w+) plant", re.MULTILINE)


def write_folder(folder: Path) -> Path:
    """Write the documents into a new folder."""
    folder.mkdir()
    for number, name in enumerate(NAMES):
        text = f"The {name.title()} plant was opened in {1980 + number}. It makes {40 + number} MW of power."
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    for number in (1, 2, 3):
        text = f"Dear Anna, the weather was fine on day {number} of our walk."
        (folder / f"letter{number}.txt").write_text(text, encoding="utf-8")
    return folder


def prompt_in(body: Body) -> str:
    """Return the prompt in a request."""
    messages = body["messages"]
    assert isinstance(messages, list)
    prompt = messages[-1]["content"]
    assert isinstance(prompt, str)
    return prompt


def role_in(body: Body) -> str:
    """Return the role that a request is for, recognised by the first words of its prompt."""
    prompt = prompt_in(body)
    return next(words for words in (THINK, PLAN, ASK, REFLECT, ANSWER) if prompt.startswith(words))


def roles(server: OpenAIServer) -> list[str]:
    """Return the roles of the requests that reached the server, in order."""
    return [role_in(body) for body in server.bodies]


def sensible(body: Body) -> Response:
    """Plans the documents it is shown, gives 90 points to a quote of the output, and answers with the evidence. Its
    server counts three characters of the prompt as a token, and seven tokens for each reply.
    """
    prompt = prompt_in(body)
    return completion(json.dumps(judged(prompt)), tokens=(-(-len(prompt) // 3), TOKENS_PER_REPLY))


def judged(prompt: str) -> dict[str, object]:
    """Return the sensible reply to a prompt."""
    if prompt.startswith(THINK):
        return {"needs": [{"term": "power", "reason": "It is asked for.", "weight": 1}]}
    if prompt.startswith(PLAN):
        shown = re.findall(r'<document id="([^"]+)"', prompt)
        steps = [{"document_id": one, "purpose": "How much power?", "perspectives": "output"} for one in shown]
        return {"strategy": "Ask them all.", "steps": steps}
    if prompt.startswith(ASK):
        wanted = _ASKED_FOR_ONE.search(prompt)
        tells = "Main question: How much power" in prompt and (wanted is None or f"The {wanted[1]} plant was" in prompt)
        found = _OUTPUT.findall(prompt) if tells else []
        return {"point": 90 if found else 0, "quotes": found, "reply": " ".join(found) or "Not in this text."}
    if prompt.startswith(REFLECT):
        return {"knowledge": [{"term": "power", "known_infos": [], "unknown_infos": [], "relations": []}]}
    evidence = re.findall(r'<evidence id="(\w+)"[^>]*>\n(.*)', prompt)
    return {"claims": [{"text": text, "evidence": [name]} for name, text in evidence]}


def index(folder: Path, workspace: Path) -> Path:
    """Index the folder with vectors, so that tests can copy the workspace instead."""
    list(Investigator(folder, workspace=workspace, embedder=ScriptedEmbedder()).index(vectors=True))
    return workspace


def asking(server: OpenAIServer, folder: Path, workspace: Path, *settings: str) -> Investigator:
    """Return an investigator whose model is at the server, with two concurrent calls and no retries."""
    return running(server.url, folder, workspace, *settings)


def running(url: str, folder: Path, workspace: Path, *settings: str) -> Investigator:
    """Return the same investigator for a process that only knows the address of the server."""
    options = [f"chat.base_url={url}", "chat.concurrency=2", "chat.attempts=1", *settings]
    return Investigator(
        folder,
        model="openai:small",
        settings=load_settings(None, options),
        workspace=workspace,
        embedder=ScriptedEmbedder(),
    )


def outcome(events: Iterator[Event]) -> Investigation:
    """Return the final record of a run."""
    *_, last = events
    assert isinstance(last, Answered)
    return last.investigation


def answer_of(case: Investigation) -> Answer:
    """Return the answer of a run that has one."""
    assert case.answer is not None
    return case.answer
