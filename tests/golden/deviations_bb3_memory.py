"""Recorded behaviour of memories and of search from which our code deviates on purpose, with the reasons."""

from __future__ import annotations

import re
from typing import Any

from golden_rows import Deviation, Ground, Row

FILE = "bb3_memory"


def failed(row: Row) -> bool:
    return "error" in row.expected


def says_no_persona_otherwise(row: Row) -> bool:
    said = str(row.input["new_memory"])
    return said != "no persona" and said.strip(" .!").lower() == "no persona" and row.expected.get("ok") is True


def begins_with_person_but_nobody(row: Row) -> bool:
    return row.input["model_type"] == "OPT" and bool(re.match(r"Person(?! [12])", row.input["memory"]))


def names_between_words(row: Row) -> bool:
    return bool(re.search(r"\S (You|Partner): \S", row.input["text"]))


def on(kind: str, reason: str, applies: Any, ground: Ground = Ground.JUDGED) -> Deviation:
    return Deviation(FILE, kind, reason, applies, ground)


DEVIATIONS = (
    on("normal_tokenizer", "the U of U.S. is not `you`", lambda row: "u.s." in row.input["text"].lower()),
    on("is_valid_memory", "a memory without an owner causes a named error", failed, Ground.CRASH),
    on("is_valid_memory", "`No persona.` in any spelling is not a memory", says_no_persona_otherwise, Ground.ASKED),
    on("add_memory_prefix", "`Personally, I ...` is not an owner prefix, so one is added",
       begins_with_person_but_nobody),
    on("split_prefix_memory", "a memory without an owner causes a named error", failed, Ground.CRASH),
    on("update_memory_usage", "a memory that a model made up must not end the conversation", failed, Ground.ASKED),
    on("add_memory", "a memory that is already stored must not end the conversation", failed, Ground.CRASH),
    on("clean_text", "words are not joined if a name between them is removed", names_between_words),
)  # fmt: skip


def is_blank(row: Row) -> bool:
    return "query" in row.input and not row.input["query"].strip()


def is_silent(row: Row) -> bool:
    return bool(row.input.get("exc"))


def page_lacks_content(row: Row) -> bool:
    return failed(row) and row.expected["error"]["type"] == "KeyError"


def on_search(kind: str, reason: str, applies: Any, ground: Ground = Ground.JUDGED) -> Deviation:
    return Deviation("bb3_search", kind, reason, applies, ground)


SEARCH_DEVIATIONS = (
    on_search("search_server", "an empty query simply finds nothing", is_blank),
    on_search("search_server", "a silent server is distinguished from one that finds nothing", is_silent),
    on_search("search_server", "a page without content has no lines, and the other pages are used", page_lacks_content,
              Ground.CRASH),
    on_search("search_server", "an invalid response or address causes a named error", failed, Ground.CRASH),
    on_search("search_server_non_200", "a server that keeps failing is abandoned after three requests",
       lambda row: row.input["bad_500_replies_before_a_good_one"] >= 3, Ground.ASKED),
    on_search("chunk_ranker", "a long text is cut around the part that is nearest to the query, not into chunks",
       lambda row: row.input["ranker"] == "woi_chunk_retrieved_docs"),
    on_search("document", "a document has no texts of its own beside its fields and its passage", lambda row: True),
)  # fmt: skip
