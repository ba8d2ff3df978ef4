"""Conversations become examples, and files become splits, as recorded."""

from __future__ import annotations

import json
from typing import Any

from golden_rows import Row, check, each_row

from investigator.bb3.bb3x.examples import Selection, dialogue_examples
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.splits import chunk_file, chunks_of
from investigator.bb3.records import Speaker

LABEL_OF = {"bot": Speaker.SELF, "human": Speaker.PARTNER}


def examples(given: Any) -> Any:
    conversation = Conversation.model_validate_json(json.dumps(given["conversation"]))
    made = dialogue_examples(conversation, LABEL_OF[given["label_agent"]], Selection(given["teacher"]))
    return {"ok": [dict(message) for message in made]}


def chunks(given: Any) -> Any:
    numbers = chunks_of(given["datatype"])
    return {
        "first_chunk": numbers[0],
        "last_chunk": numbers[-1],
        "n": len(numbers),
        "file_name_of_first": chunk_file(numbers[0]),
    }


ADAPTERS = {"examples": examples, "chunks": chunks}


@each_row("bb3x_data")
def test_conversations_become_examples_as_recorded(row: Row) -> None:
    check(row, ADAPTERS)
