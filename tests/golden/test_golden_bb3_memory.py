"""Memories of a chat behave as recorded, and conversations become examples and splits as recorded."""

from __future__ import annotations

import hashlib
import json
from random import Random
from typing import Any

from golden_rows import attempt, golden_test
from gpt2 import gpt2_ids

from investigator.bb3.bb3x.examples import Selection, dialogue_examples
from investigator.bb3.bb3x.records import Conversation
from investigator.bb3.bb3x.splits import chunk_file, chunks_of
from investigator.bb3.memory.session import MemoryOptions, SessionMemories, most_alike
from investigator.bb3.memory.text import (
    MemoryForm,
    clean_text,
    is_new_memory,
    is_opening,
    memory_words,
    owner_of,
    says_something_new,
    split_prefix,
    with_prefix,
    with_some_prefix,
)
from investigator.bb3.records import Speaker

OPTIONS = {"ignore_in_session_memories": "ignore_in_session_memories_mkm"}
LABEL_OF = {"bot": Speaker.SELF, "human": Speaker.PARTNER}


def tokens(given: Any) -> Any:
    text = given["text"]
    return {
        "tokens": memory_words(text),
        "tokens_with_pronoun_stopwords": memory_words(text, without_stop_words=True),
        "no_stem": memory_words(text, stemmed=False),
        "keep_contractions": memory_words(text, expanded=False),
    }


def prefixed(given: Any) -> Any:
    arguments = (given["memory"], Speaker(given["who"]), MemoryForm(given["model_type"]))
    return {"add": with_prefix(*arguments), "maybe_add": with_some_prefix(*arguments)}


def session(given: Any) -> SessionMemories:
    named = {OPTIONS.get(name, name): value for name, value in given.items()}
    options = MemoryOptions(**{name: value for name, value in named.items() if name in MemoryOptions.model_fields})
    made = SessionMemories(MemoryForm.PREFIXES, options, chance=Random(0).random, tokens=gpt2_ids)
    made.set(given["store"])
    made.in_session = set(given.get("in_session", ()))
    return made


def bare(memories: SessionMemories) -> Any:
    """Return the memories as in rows whose memories have no owner."""
    return {"ok": {owner_of(memory)[1]: turns for memory, turns in memories.texts().items()}}


def used(given: Any) -> Any:
    memories = session(given)
    memories.end_turn([f"Person 1's Persona: {given['used']}"])
    return bare(memories)


def added(given: Any) -> Any:
    memories = session(given)
    memories.add(given["memory"], Speaker.PARTNER)
    return bare(memories)


def reduced(given: Any) -> Any:
    left = most_alike(given["text"], given["memories"], gpt2_ids)
    digest = hashlib.sha256("\n".join(left).encode()).hexdigest()[:16]
    return {"count": len(left), "first_6": left[:6], "sha256_of_joined": digest}


def is_new(given: Any) -> Any:
    return {"ok": is_new_memory(given["new_memory"], given["prefix"], list(given["store"]))}


def something_new(given: Any) -> Any:
    return {"accepted": says_something_new(given["candidate"], given["existing"], given["threshold"])}


MEMORIES = {
    "normal_tokenizer": tokens,
    "no_overlap": something_new,
    "is_valid_memory": is_new,
    "add_memory_prefix": prefixed,
    "split_prefix_memory": lambda given: {"ok": split_prefix(given["memory"])},
    "update_memory_usage": used,
    "add_memory": added,
    "available_memories": lambda given: {"ok": session(given).available(given["text"])},
    "reduce_memories": reduced,
    "clean_text": lambda given: {"text": clean_text(given["text"])},
    "is_opener": lambda given: {"opener": is_opening(given["text"], given["memories"])},
}


def examples(given: Any) -> Any:
    conversation = Conversation.model_validate_json(json.dumps(given["conversation"]))
    made = dialogue_examples(conversation, LABEL_OF[given["label_agent"]], Selection(given["teacher"]))
    return {"ok": [dict(message) for message in made]}


def chunks(given: Any) -> Any:
    first, *_, last = numbers = chunks_of(given["datatype"])
    return {"first_chunk": first, "last_chunk": last, "n": len(numbers), "file_name_of_first": chunk_file(first)}


test_memories_behave_as_recorded = golden_test("bb3_memory", MEMORIES)
test_conversations_become_examples_as_recorded = golden_test("bb3x_data", {"examples": examples, "chunks": chunks})


def test_an_error_has_the_form_of_the_rows() -> None:
    error = attempt(MEMORIES["split_prefix_memory"], {"memory": "I like tea"})["error"]
    assert error["types"][0] == "DataError"
