"""A chat model for tests that answers BB3's modules in the chat form, in this process or at a server on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from openai_server import Body, Response, completion
from power_plants import prompt_in

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine
from investigator.bb3.folder_chat import ChatSession, FolderChat
from investigator.bb3.records import Module
from investigator.dialogue.messages import Message
from investigator.engines.base import Engine, Traits
from investigator.engines.roles import Role
from investigator.records import Prompt

Said: TypeAlias = "str | Mapping[str, Any] | Callable[[str], str | Mapping[str, Any]]"
"""A reply as text, as an object that is sent as JSON, or a function of the prompt's text that gives either."""

_BEGINNINGS: Mapping[str, Module | Role] = {
    "requires a search of documents": Module.SDM,
    "a reply to the last turn of a conversation should use a remembered": Module.MDM,
    "You write a search query": Module.SGM,
    "You note what people say": Module.MGM,
    "You choose what the reply": Module.CKM,
    "You choose the remembered fact": Module.MKM,
    "for an investigation, and say what": Module.SKM,
    "You check statements against quotes": Role.CHECK,
    "and stay on the chosen topic": Module.CRM,
    "using what you remember": Module.MRM,
    "conversation, using documents": Module.SRM,
    "No documents were searched": Module.VRM,
    "You start a conversation": Module.ORM,
}
_POWER = re.compile(r"It makes \d+ MW of power\.")
_WORD = re.compile(r"\d+|\w{4,}")


def readings(*quotes: str, document: str = "", verdict: str = "answers", point: int = 90) -> Mapping[str, Any]:
    """Return what one document says, as a model replies."""
    return {"readings": [{"document": document, "verdict": verdict, "point": point, "quotes": list(quotes)}]}


def output_of_the_plant(prompt: str) -> Mapping[str, Any]:
    """Return the sentence about the power of the plant that the query names, from the documents that hold it."""
    named = re.search(r"^Main question: .*the (\w+) plant", prompt, re.MULTILINE | re.IGNORECASE)
    documents = re.findall(r"<document id=\"([^\"]*)\"[^>]*>\n(.*?)\n</document>", prompt, re.DOTALL)
    found = [
        reading
        for name, text in documents
        if named and f"The {named[1].title()} plant" in text and (said := _POWER.findall(text))
        for reading in readings(said[0], document=name)["readings"]
    ]
    return {"readings": found}


def what_words_support(prompt: str) -> Mapping[str, Any]:
    """Support the statements whose longer words and figures all stand in the evidence."""
    evidence, _, rest = prompt.partition("The evidence ends here.")
    known = set(_WORD.findall(evidence.lower()))
    statements = re.findall(r"^(\d+)\. (.*) \([^()]*\)", rest, re.MULTILINE)
    return {
        "statements": [
            {
                "number": int(number),
                "support": "supported" if known.issuperset(_WORD.findall(text.lower())) else "unsupported",
                "reason": "",
            }
            for number, text in statements
        ]
    }


def what_the_evidence_says(prompt: str) -> Mapping[str, Any]:
    """Return the evidence, word for word."""
    return {"quotes": [], "reply": " ".join(re.findall(r"<evidence [^>]*>(.*?)</evidence>", prompt))}


def first_person_words(prompt: str) -> Mapping[str, Any]:
    """Return the last turn from its first "I" or "My" on."""
    last = re.findall(r"<turn [^>]*>(.*?)</turn>", prompt, re.DOTALL)[-1]
    return {"text": last if last.startswith(("I ", "My ")) else ""}


def what_is_remembered(prompt: str) -> Mapping[str, Any]:
    """Return the fact, word for word."""
    return {"quotes": [], "reply": "You said: " + " ".join(re.findall(r"<fact [^>]*>(.*?)</fact>", prompt))}


SENSIBLE: Mapping[Module | Role, Said] = {
    Module.SDM: {"point": 90, "needed": True},
    Module.MDM: {"point": 10, "needed": False},
    Module.SGM: lambda prompt: {"text": re.findall(r"<turn [^>]*>(.*?)</turn>", prompt, re.DOTALL)[-1]},
    Module.MGM: first_person_words,
    Module.CKM: lambda prompt: {"text": "plant" if re.search(r"<turn.*plant", prompt) else ""},
    Module.MKM: lambda prompt: {"point": 90, "fact_id": int(re.findall(r'<fact id="(\d+)"', prompt)[0])},
    Module.SKM: output_of_the_plant,
    Module.CRM: {"quotes": [], "reply": "What about the plants?"},
    Module.MRM: what_is_remembered,
    Module.SRM: what_the_evidence_says,
    Module.VRM: {"quotes": [], "reply": "Good day to you."},
    Module.ORM: what_is_remembered,
    Role.CHECK: what_words_support,
}
"""Searches for every turn, quotes what is asked for, keeps sentences in the first person, and checks their words."""


def model(
    replies: Mapping[Module, Said] | Mapping[Module | Role, Said] | None = None, *, concurrency: int = 1
) -> ScriptedEngine:
    """A language model in this process: the sensible one, with some different replies."""
    told = {**SENSIBLE, **(replies or {})}
    scripts = {_template(key): _script(said) for key, said in told.items()}
    return ScriptedEngine({**scripts, "": "{}"}, traits=Traits(is_model=True, concurrency=concurrency))


def at_a_server(
    replies: Mapping[Module, Said] | Mapping[Module | Role, Said] | None = None,
) -> Callable[[Body], Response]:
    """The same model as the reply of a server."""
    told = {**SENSIBLE, **(replies or {})}

    def answer(body: Body) -> Response:
        prompt = prompt_in(body)
        return completion(_text(told[module_of(prompt)], prompt))

    return answer


def module_of(prompt: str) -> Module | Role:
    """Return the module that a prompt is for, or the role of the check."""
    head = prompt[:400]
    return next(module for beginning, module in _BEGINNINGS.items() if beginning in head)


def asked(engine: ScriptedEngine) -> list[Module]:
    """Return the modules that an engine was called for, in order."""
    modules = {module.template: module for module in Module}
    return [modules[prompt.template] for prompt in engine.asked if prompt.template in modules]


def plants(folder: Path, workspace: Path, engine: str | Engine | None = None) -> Investigator:
    """Return an investigator of the folder; without an engine, the extractive engine answers."""
    return Investigator(folder, model=engine, workspace=workspace, embedder=ScriptedEmbedder())


def say(chat: FolderChat, session: ChatSession, text: str, **fields: object) -> Message:
    """Return the reply to one turn."""
    (reply,) = chat.reply([(session, Message(text=text, **fields))])
    return reply


def quoted(reply: Message) -> list[str]:
    """Return the texts of the quotes in a reply."""
    quotes = reply.get("quotes", [])
    assert isinstance(quotes, Sequence)
    return [quote["text"] for quote in quotes]


def _template(key: Module | Role) -> str:
    return key.template if isinstance(key, Module) else "answer/check"


def _script(said: Said) -> Callable[[Prompt], str]:
    return lambda prompt: _text(said, prompt.text)


def _text(said: Said, prompt: str) -> str:
    given = said(prompt) if callable(said) else said
    return given if isinstance(given, str) else json.dumps(given)
