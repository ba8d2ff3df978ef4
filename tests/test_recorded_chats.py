"""Whole conversations with the recorded replies of a strong language model, replayed without any model.

What a person read once must come out again: each reply, the quotes that prove it, and the memory that it used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigator import Investigator
from tests.recorded_chats import CHATS, REPLIES, recording, replies
from tests.recordings import ROOT

KEPT: dict[str, Any] = json.loads(REPLIES.read_text(encoding="utf-8"))


@pytest.mark.parametrize("chat", CHATS, ids=[chat["name"] for chat in CHATS])
def test_a_recorded_conversation_comes_out_as_it_was_read(chat: dict[str, Any], tmp_path: Path) -> None:
    list(Investigator(ROOT / chat["folder"], workspace=tmp_path / "w").index(vectors=True))
    spoken = replies(chat, f"recorded:{recording(chat)}", tmp_path / "w")
    assert json.loads(json.dumps(spoken)) == KEPT[chat["name"]]
