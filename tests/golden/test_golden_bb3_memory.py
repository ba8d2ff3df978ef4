"""Memories of a chat behave as recorded."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Any

from golden_rows import Row, attempt, check, each_row

from investigator.bb3.forms.gpt2_tokens import gpt2_ids
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


def ok(function: Any, *arguments: Any) -> Any:
    """Return the value in the form of rows that may contain an error instead."""
    return {"ok": function(*arguments)}


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
    """Return the memories of a conversation that has those of the row."""
    named = {OPTIONS.get(name, name): value for name, value in given.items()}
    options = MemoryOptions(**{name: value for name, value in named.items() if name in MemoryOptions.model_fields})
    made = SessionMemories(MemoryForm.PREFIXES, options, chance=Random(0).random, tokens=gpt2_ids)
    made.set(given["store"])
    made.in_session = set(given.get("in_session", ()))
    return made


def available(given: Any) -> Any:
    return {"ok": session(given).available(given["text"])}


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


ADAPTERS = {
    "normal_tokenizer": tokens,
    "no_overlap": lambda given: {
        "accepted": says_something_new(given["candidate"], given["existing"], given["threshold"])
    },
    "is_valid_memory": lambda given: ok(is_new_memory, given["new_memory"], given["prefix"], list(given["store"])),
    "add_memory_prefix": prefixed,
    "split_prefix_memory": lambda given: ok(split_prefix, given["memory"]),
    "update_memory_usage": used,
    "add_memory": added,
    "available_memories": available,
    "reduce_memories": reduced,
    "clean_text": lambda given: {"text": clean_text(given["text"])},
    "is_opener": lambda given: {"opener": is_opening(given["text"], given["memories"])},
}


@each_row("bb3_memory")
def test_memories_behave_as_recorded(row: Row) -> None:
    check(row, ADAPTERS)


def test_an_error_has_the_form_of_the_rows() -> None:
    found = attempt(ADAPTERS["split_prefix_memory"], {"memory": "I like tea"})
    assert found["error"]["types"][0] == "DataError"
