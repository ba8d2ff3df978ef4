"""The tables of the two databases of a workspace, and of the database that a server keeps for a folder.

The index is derived from the folder: if anything is wrong with it, it is dropped and rebuilt. Runs, their calls and the
memories of chats cannot be rebuilt, so they have a separate database.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, LargeBinary, MetaData, String, Table, Text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable


@dataclass(frozen=True, eq=False)
class Schema:
    """The tables of one database, the statements that create its full-text tables, its version, and the statements
    that bring a database of an earlier version to the next one, keyed by the earlier version. Each database has a
    `meta` table for the version and other individual values.
    """

    metadata: MetaData
    full_text: Mapping[str, str]
    version: int
    upgrades: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def _required(kind: Any, *names: str) -> list[Column[Any]]:
    return [Column(name, kind, nullable=False) for name in names]


metadata = MetaData()
_kept = MetaData()
_served = MetaData()

meta = Table("meta", metadata, Column("key", String, primary_key=True), *_required(Text, "value"))
meta.to_metadata(_kept)
meta.to_metadata(_served)

files = Table(
    "files",
    metadata,
    Column("path", String, primary_key=True),
    *_required(Integer, "size", "mtime_ns", "inode"),
    *_required(String, "content_hash", "status"),
    *_required(Text, "reason"),
    Column("pages", Integer),
    *_required(Integer, "characters", "chunks"),
    *_required(Float, "seconds"),
    Column("inside", String, nullable=False, index=True),  # the path of the archive or message that contains it
)

documents = Table(
    "documents",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    *_required(String, "reader", "checksum"),  # the checksum is that of the four columns below
    *_required(Text, "card", "record", "tables", "text"),  # in wire format; the record is without text and tables
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("document_id", String, ForeignKey("documents.id", ondelete="CASCADE", onupdate="CASCADE"), nullable=False),
    *_required(Integer, "start", "end"),
    Column("page", Integer),
    *_required(Text, "heading"),
    Index("chunks_of_document", "document_id", "start"),
    sqlite_autoincrement=True,  # an id is never reused, because Chroma may still contain it
)

vectors = Table(
    "vectors",
    metadata,
    Column("chunk_id", Integer, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", String, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("in_chroma", Integer, nullable=False, default=0),
)

sentence_vectors = Table(
    "sentence_vectors",
    metadata,
    Column("chunk_id", Integer, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", String, primary_key=True),
    Column("place", Integer, primary_key=True),  # index of the sentence in the chunk
    Column("digest", LargeBinary, nullable=False),  # the beginning of the sha256 of its text
    Column("vector", LargeBinary, nullable=False),
    Index("sentence_vectors_by_digest", "digest"),
)

# chunk ids whose vectors are still in Chroma although their document is gone
gone_chunks = Table("gone_chunks", metadata, Column("chunk_id", Integer, primary_key=True))

_WORDS = "tokenize='porter unicode61 remove_diacritics 2'"
INDEX = Schema(
    metadata,
    {
        # the rowid is the id of a chunk
        "chunk_words": f"CREATE VIRTUAL TABLE IF NOT EXISTS chunk_words USING fts5(words, {_WORDS})",
        # title, path, headings and first lines of a document; the rowid is the key of the document
        "card_words": "CREATE VIRTUAL TABLE IF NOT EXISTS card_words "
        f"USING fts5(document_id UNINDEXED, words, {_WORDS})",
    },
    version=11,
)

_ORDERED = String().with_variant(String(collation="C"), "postgresql")
"""A text column that sorts by code point in every database, as Python and SQLite do."""

runs = Table(
    "runs",
    _kept,
    Column("id", _ORDERED, primary_key=True),
    Column("identity", String, nullable=False, index=True),
    *_required(String, "corpus"),
    *_required(_ORDERED, "created"),
    *_required(Text, "question", "engine"),
    Column("answer_status", String),
    *_required(Text, "record"),  # the current state of the investigation, in wire format
)

calls = Table(
    "calls",
    _kept,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String, ForeignKey("runs.id"), nullable=False),
    *_required(String, "key", "template", "engine"),
    *_required(Text, "prompt", "reply"),
    *_required(Integer, "input_tokens", "output_tokens"),
    *_required(Float, "seconds", "elapsed"),  # elapsed: seconds that the run had taken, across all its processes
    *_required(Integer, "reused"),  # 1 if taken from an earlier run, at no cost
    Index("calls_by_key", "key"),
    Index("calls_of_run", "run_id", "key", unique=True),
)

# calls without a reply; if the process died, they count, because they may have been sent
intents = Table(
    "intents",
    _kept,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String, ForeignKey("runs.id"), nullable=False, index=True),
    *_required(String, "key", "engine"),
    *_required(Integer, "input_tokens"),  # estimated
    *_required(Float, "elapsed"),  # seconds that the run had taken when the call began
)

# prompts that did not fit into an engine's context, so that a resumed or replayed run need not count tokens again
too_long = Table(
    "too_long",
    _kept,
    Column("run_id", String, ForeignKey("runs.id"), primary_key=True),
    Column("key", String, primary_key=True),
    *_required(Integer, "tokens"),  # 0 if the engine rejected it without giving a number
    Index("too_long_by_key", "key"),
)

memories = Table(
    "memories",
    _kept,
    Column("run_id", String, ForeignKey("runs.id"), primary_key=True),
    Column("id", Integer, primary_key=True),
    *_required(String, "target_document_id"),
    Column("point", Integer),
    *_required(Text, "record"),
)

personal_facts = Table(
    "personal_facts",
    _kept,
    Column("id", Integer, primary_key=True, autoincrement=True),
    *_required(String, "user", "speaker"),
    *_required(Text, "text", "claim"),  # claim: the memory's content in condensed form, to detect repetitions
    *_required(String, "chat_id"),  # the chat in which it was stated; empty if the user wrote the fact
    Column("turn", Integer),
    *_required(String, "created"),
    *_required(Integer, "used_at", "uses"),  # used_at: the user's turn, across all chats, that created or last used it
    Index("personal_facts_of_user", "user", "id"),
    Index("personal_facts_by_use", "user", "used_at", "id"),
    Index("personal_facts_once", "user", "speaker", "text", unique=True),
    sqlite_autoincrement=True,  # the number of a deleted fact is never reused
)

CODED = (runs, calls, intents, too_long, personal_facts)
"""The tables that had a column `code` in earlier versions."""

DROP_FACT_TERMS = "DROP TABLE IF EXISTS personal_fact_terms"
"""Drops the words of memories, which were searched before memories had vectors."""

RUNS = Schema(
    _kept,
    {},
    version=3,
    upgrades={2: (*(f"ALTER TABLE {table.name} DROP COLUMN code" for table in CODED), DROP_FACT_TERMS)},
)

served_jobs = Table(
    "jobs",
    _served,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    *_required(Text, "request"),
    *_required(String, "created"),
    Column("state", String, nullable=False, index=True),
    *_required(String, "run_id"),
    *_required(Text, "problem"),
    Column("idempotency_key", String, unique=True),
    sqlite_autoincrement=True,
)

job_events = Table(
    "events",
    _served,
    Column("job", String, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    *_required(Float, "at"),
    *_required(String, "kind"),
    *_required(Text, "body"),
)

served_chats = Table(
    "chats",
    _served,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("created", String, nullable=False),
    sqlite_autoincrement=True,
)

chat_turns = Table(
    "turns",
    _served,
    Column("chat", String, ForeignKey("chats.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    *_required(Text, "said", "record"),  # the record is the turn, in wire format
)

SERVED = Schema(_served, {}, version=1)
"""A server's data about a folder: jobs with their events, and chats. This data is stored only in the user's data
directory.
"""


@cache
def statements_of(schema: Schema) -> Mapping[str, str]:
    """Return the statements that create the parts of a database, keyed by the name of the part, in order."""
    dialect, statements = sqlite.dialect(), dict[str, str]()
    for table in schema.metadata.sorted_tables:
        statements[table.name] = str(CreateTable(table, if_not_exists=True).compile(dialect=dialect))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            statements[str(index.name)] = str(CreateIndex(index, if_not_exists=True).compile(dialect=dialect))
    return {**statements, **schema.full_text}
