"""Whole conversations with the recorded replies of a strong language model, replayed without any model.

What a person read once must come out again: each reply, the quotes that prove it, and the memory that it used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.recorded_chats import CHATS, REPLIES, indexed, recording, replies

KEPT: dict[str, Any] = json.loads(REPLIES.read_text(encoding="utf-8"))


@pytest.mark.parametrize("chat", CHATS, ids=[chat["name"] for chat in CHATS])
def test_a_recorded_conversation_comes_out_as_it_was_read(chat: dict[str, Any], tmp_path: Path) -> None:
    spoken = replies(chat, f"recorded:{recording(chat)}", indexed(chat, tmp_path))
    assert json.loads(json.dumps(spoken)) == KEPT[chat["name"]]
