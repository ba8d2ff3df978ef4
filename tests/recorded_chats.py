"""Recorded conversations: chats over a folder with a language model's replies.

    python -m tests.recorded_chats --model openai:gpt-4o [--base-url URL] [--only NAME]

records the conversations of `data/recordings/chats.json` anew with any model, one file each, and writes the replies
into `data/recordings/chat_replies.json`, which a person should read before it is committed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from investigator import Engine, Investigator, load_settings
from investigator.bb3.chat_text import quotes_of
from investigator.bb3.chats import open_chat, talk_with
from investigator.engines.recorded import RecordedEngine
from tests.recordings import RECORDINGS, ROOT, NamedEngine

CHATS: list[dict[str, Any]] = json.loads((RECORDINGS / "chats.json").read_text(encoding="utf-8"))
REPLIES = RECORDINGS / "chat_replies.json"


def recording(chat: dict[str, Any]) -> Path:
    """Return the file of a conversation's replies of the model."""
    return RECORDINGS / f"chat-{chat['name']}.jsonl"


def indexed(chat: dict[str, Any], place: Path) -> Path:
    """Copy the documents of a conversation into a new folder, index them with vectors, and return the folder."""
    folder = place / "documents"
    folder.mkdir()
    for pattern in chat["documents"]:
        for file in (ROOT / chat["folder"]).glob(pattern):
            shutil.copy(file, folder)
    list(Investigator(folder, workspace=place / "workspace").index(vectors=True))
    return folder


def replies(chat: dict[str, Any], model: str | Engine, folder: Path, *settings: str) -> list[dict[str, Any]]:
    """Hold a conversation, and return each reply with its quotes and the memory that it used."""
    options = load_settings(None, list(settings))
    investigator = Investigator(folder, model=model, settings=options, workspace=folder.parent / "workspace")
    with open_chat(investigator) as opened:
        talk = talk_with(opened, "anna")
        said = [talk.say(turn) for turn in chat["turns"]]
    return [
        {
            "turn": turn,
            "reply": reply.text,
            "quotes": [[quote.place, quote.text] for quote in quotes_of(reply)],
            "memory": reply.get("memory_knowledge", ""),
        }
        for turn, reply in zip(chat["turns"], said, strict=True)
    ]


def main(arguments: Sequence[str]) -> None:
    """Record the conversations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", default="")
    parser.add_argument("--name", default="", help="name of the model in the recordings")
    parser.add_argument("--only", default="", help="record one conversation")
    given = parser.parse_args(arguments)
    server = [f"chat.base_url={given.base_url}", "chat.timeout=3000"] if given.base_url else []
    kept = json.loads(REPLIES.read_text(encoding="utf-8")) if REPLIES.exists() else {}
    for chat in CHATS:
        if given.only not in ("", chat["name"]):
            continue
        recording(chat).unlink(missing_ok=True)
        with tempfile.TemporaryDirectory() as place:
            settings, folder = load_settings(None, server), indexed(chat, Path(place))
            engine = Investigator(folder, settings=settings, workspace=Path(place) / "w").parts.engine(given.model)
            engine = RecordedEngine(recording(chat), NamedEngine(engine, given.name or engine.name), fixture=True)
            kept[chat["name"]] = replies(chat, engine, folder, *server)
    text = json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True)
    REPLIES.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
