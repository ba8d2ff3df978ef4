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
from investigator.records import Answer, Answered, Event, Investigation, Prompt

NAMES = ("alder", "birch", "cedar", "elm", "hazel", "oak")
ALL = "How much power does each plant make?"
"""Answered by six documents: a plan, six readings, the answer and its check are nine calls."""
ALL_CALLS = 9
ONE = "How much power does the Cedar plant make?"
"""Answered by one document."""
ABSENT = "Who painted Vienna's opera ceiling?"
"""Answered by none."""
TOKENS_PER_REPLY = 7

PLAN, ASK, REFLECT, ANSWER, CHECK = (
    "You plan how to answer",
    "You read",
    "You review an investigation",
    "You write the answer",
    "You check statements",
)
"""The words that the prompts of the five roles begin with."""

_OUTPUT = re.compile(r"It makes (\d+) MW of power\.")
_DOCUMENT = re.compile(r'<document id="([^"]+)"[^>]*>(.*?)</document>', re.DOTALL)
_QUOTE = re.compile(r"\[(E\d+)\](.*?)\[/E\d+\]", re.DOTALL)
_STATEMENT = re.compile(r"^(\d+)\. (.*) \(([^()]*)\)", re.MULTILINE)
_ASKED_FOR_ONE = re.compile(r"^(?:Main question|Question): .*the (\w+) plant", re.MULTILINE)


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
    return next(words for words in (PLAN, ASK, REFLECT, ANSWER, CHECK) if prompt.startswith(words))


def roles(server: OpenAIServer) -> list[str]:
    """Return the roles of the requests that reached the server, in order."""
    return [role_in(body) for body in server.bodies]


def sensible(body: Body) -> Response:
    """Reads the documents of the plants, answers in its own words, and checks the figures. Its server counts three
    characters of the prompt as a token, and seven tokens for each reply.
    """
    prompt = prompt_in(body)
    return completion(json.dumps(judged(prompt)), tokens=(-(-len(prompt) // 3), TOKENS_PER_REPLY))


def judged(prompt: str) -> dict[str, object]:
    """Return the sensible reply to a prompt."""
    role = next(words for words in (PLAN, ASK, REFLECT, ANSWER, CHECK) if prompt.startswith(words))
    return _REPLIES[role](prompt)


def _planned(prompt: str) -> dict[str, object]:
    shown = [name for name, text in _DOCUMENT.findall(prompt) if "MW" in text] or re.findall(
        r'<document id="([^"]+)"', prompt
    )
    if "This is not the first round" in prompt:
        shown = []
    steps = [{"document_id": name, "purpose": "How much power?", "perspectives": "output"} for name in shown]
    return {"parts": [], "scope": "some", "wordings": ["output in MW"], "strategy": "Read them.", "steps": steps}


def _read(prompt: str) -> dict[str, object]:
    wanted = _ASKED_FOR_ONE.search(prompt)
    readings = []
    for name, text in _DOCUMENT.findall(prompt):
        tells = "Main question: How much power" in prompt and (wanted is None or f"The {wanted[1]} plant was" in text)
        found = _OUTPUT.search(text) if tells else None
        if found is not None:
            reply = f"The output is {found[1]} megawatts."
            reading = {"verdict": "answers", "point": 90, "quotes": [found[0]], "reply": reply}
        else:
            reading = {"verdict": "not_stated", "point": 0, "quotes": [], "reply": "It does not say."}
        readings.append({"document": name, **reading})
    return {"readings": readings}


def _written(prompt: str) -> dict[str, object]:
    quotes = [(name, found[1]) for name, text in _QUOTE.findall(prompt) if (found := _OUTPUT.search(text))]
    if not quotes:
        return {"lead": None, "parts": [{"part": 1, "status": "not_stated"}], "search": []}
    lead = {"text": f"They produce {' and '.join(value for _, value in quotes)} MW.", "evidence": [quotes[0][0]]}
    details = [{"head": name, "text": f"The output is {value} MW.", "evidence": [name]} for name, value in quotes]
    if len(quotes) == 1:
        lead, details = {"text": f"It produces {quotes[0][1]} MW.", "evidence": [quotes[0][0]]}, []
    else:
        lead["evidence"] = [name for name, _ in quotes]
    return {"lead": lead, "details": details, "parts": [{"part": 1, "status": "answered"}]}


def _checked(prompt: str) -> dict[str, object]:
    texts = dict(_QUOTE.findall(prompt))
    statements = []
    for number, text, names in _STATEMENT.findall(prompt.rpartition("Statements:")[2]):
        evidence = " ".join(texts.get(name.strip(), "") for name in names.split(","))
        figures = re.findall(r"\b\d\d\b", text)
        support = "supported" if all(figure in evidence for figure in figures) else "unsupported"
        statements.append({"number": int(number), "support": support, "reason": ""})
    return {"statements": statements, "answers": "yes" if statements else "rightly_not_stated"}


def _rows(prompt: str) -> dict[str, object]:
    """Answer each question of a row of a matrix."""
    questions = re.findall(r"^(\d+)\. (.+)", prompt, re.MULTILINE)
    ((_, text),) = _DOCUMENT.findall(prompt)
    output = _OUTPUT.search(text)
    answers = []
    for number, question in questions:
        quotes = [output[0]] if output is not None and "power" in question else []
        answer = f"{output[1]} MW" if output is not None and quotes else ""
        verdict = "answers" if quotes else "not_stated"
        answers.append({"question": int(number), "verdict": verdict, "quotes": quotes, "answer": answer})
    return {"answers": answers}


def read(prompt: Prompt) -> str:
    """Return the sensible reply to a prompt of a scripted engine."""
    return json.dumps(_rows(prompt.text) if prompt.template == "query/row" else judged(prompt.text))


_REPLIES = {
    PLAN: _planned,
    ASK: _read,
    REFLECT: lambda _: {"known": [], "unknown": [], "wordings": ["megawatts"]},
    ANSWER: _written,
    CHECK: _checked,
}


def index(folder: Path, workspace: Path) -> Path:
    """Index the folder with vectors, so that tests can copy the workspace instead."""
    list(Investigator(folder, workspace=workspace, embedder=ScriptedEmbedder()).index(vectors=True))
    return workspace


def asking(server: OpenAIServer, folder: Path, workspace: Path, *settings: str) -> Investigator:
    """Return an investigator whose model is at the server, with two concurrent calls and no retries."""
    return running(server.url, folder, workspace, *settings)


def running(url: str, folder: Path, workspace: Path, *settings: str) -> Investigator:
    """Return the same investigator for a process that only knows the address of the server."""
    # the folder is small, but each document is to be read in a call of its own
    options = [f"chat.base_url={url}", "chat.concurrency=2", "chat.attempts=1", "research.whole_tokens=0", *settings]
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
