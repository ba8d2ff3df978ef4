"""The tables of the two databases of a workspace, and of the database that a server keeps for a folder.

The index is derived from the folder: if anything is wrong with it, it is dropped and rebuilt. Runs, their calls and the
memories of chats cannot be rebuilt, so they have a separate database.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sqlalchemy import (
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable


@dataclass(frozen=True)
class Schema:
    """The tables of one database, the statements that create its full-text tables (keyed by table name), and its
    version. Each database has a `meta` table for the version and other individual values.
    """

    metadata: MetaData
    full_text: tuple[tuple[str, str], ...]
    version: int


metadata = MetaData()
_kept = MetaData()
_served = MetaData()

CODE = "code"
"""The column for the code of a row in protected tables; see `row_codes`."""

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))
meta.to_metadata(_kept)
meta.to_metadata(_served)

files = Table(
    "files",
    metadata,
    Column("path", String, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("mtime_ns", Integer, nullable=False),
    Column("inode", Integer, nullable=False),
    Column("content_hash", String, nullable=False),
    Column("status", String, nullable=False),
    Column("reason", Text, nullable=False),
    Column("pages", Integer),
    Column("characters", Integer, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("inside", String, nullable=False, index=True),  # the path of the archive or message that contains it
)

documents = Table(
    "documents",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("content_hash", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("authors", Text, nullable=False),  # one per line
    Column("pages", Integer),
    Column("date", String),
    Column("headings", Text, nullable=False),  # the first headings, one per line
    Column("imprint", Text, nullable=False),  # the document's description of itself, in wire format
    Column("card", Text, nullable=False),  # the record without text and tables, in wire format
    Column("text", Text, nullable=False),
    Column("tables", Text, nullable=False),  # the records of its tables, in wire format
    Column("reader", String, nullable=False),
    Column("text_code", String, nullable=False),  # the code of the content hash, reader, text and tables
    Column("card_code", String, nullable=False),  # the code of all other columns
)

chunks = Table(
    "chunks",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("document_id", String, ForeignKey("documents.id", ondelete="CASCADE", onupdate="CASCADE"), nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("page", Integer),
    Column("heading", Text, nullable=False),
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

INDEX = Schema(
    metadata,
    (
        (
            "chunk_words",  # its rowid is the id of a chunk
            "CREATE VIRTUAL TABLE IF NOT EXISTS chunk_words USING fts5"
            "(words, tokenize='porter unicode61 remove_diacritics 2')",
        ),
        (
            "card_words",  # title, path, headings and first lines of a document; its rowid is the key of the document
            "CREATE VIRTUAL TABLE IF NOT EXISTS card_words USING fts5"
            "(document_id UNINDEXED, words, tokenize='porter unicode61 remove_diacritics 2')",
        ),
    ),
    version=10,
)

_ORDERED = String().with_variant(String(collation="C"), "postgresql")
"""A text column that sorts by code point in every database, as Python and SQLite do."""

runs = Table(
    "runs",
    _kept,
    Column("id", _ORDERED, primary_key=True),
    Column("identity", String, nullable=False, index=True),
    Column("corpus", String, nullable=False),
    Column("created", _ORDERED, nullable=False),
    Column("question", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("answer_status", String),
    Column("record", Text, nullable=False),  # the current state of the investigation, in wire format
    Column(CODE, String, nullable=False),
)

calls = Table(
    "calls",
    _kept,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String, ForeignKey("runs.id"), nullable=False),
    Column("key", String, nullable=False),
    Column("template", String, nullable=False),
    Column("engine", String, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("elapsed", Float, nullable=False),  # seconds that the run had taken, across all its processes
    Column("reused", Integer, nullable=False),  # 1 if taken from an earlier run, at no cost
    Column(CODE, String, nullable=False),
    Index("calls_by_key", "key"),
    Index("calls_of_run", "run_id", "key", unique=True),
)

# calls without a reply; if the process died, they count, because they may have been sent
intents = Table(
    "intents",
    _kept,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run_id", String, ForeignKey("runs.id"), nullable=False, index=True),
    Column("key", String, nullable=False),
    Column("engine", String, nullable=False),
    Column("input_tokens", Integer, nullable=False),  # estimated
    Column("elapsed", Float, nullable=False),  # seconds that the run had taken when the call began
    Column(CODE, String, nullable=False),
)

# prompts that did not fit into an engine's context, so that a resumed or replayed run need not count tokens again
too_long = Table(
    "too_long",
    _kept,
    Column("run_id", String, ForeignKey("runs.id"), primary_key=True),
    Column("key", String, primary_key=True),
    Column("tokens", Integer, nullable=False),  # 0 if the engine rejected it without giving a number
    Column(CODE, String, nullable=False),
    Index("too_long_by_key", "key"),
)

memories = Table(
    "memories",
    _kept,
    Column("run_id", String, ForeignKey("runs.id"), primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("target_document_id", String, nullable=False),
    Column("point", Integer),
    Column("record", Text, nullable=False),
)

personal_facts = Table(
    "personal_facts",
    _kept,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("speaker", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("claim", Text, nullable=False),  # the memory's content in condensed form, to detect repetitions
    Column("chat_id", String, nullable=False),  # the chat in which it was stated; empty if the user wrote the fact
    Column("turn", Integer),
    Column("created", String, nullable=False),
    Column(
        "used_at", Integer, nullable=False
    ),  # the user's turn, counted across all chats, in which it was created or last used
    Column("uses", Integer, nullable=False),
    Column(CODE, String, nullable=False),
    Index("personal_facts_of_user", "user", "id"),
    Index("personal_facts_by_use", "user", "used_at", "id"),
    Index("personal_facts_once", "user", "speaker", "text", unique=True),
    sqlite_autoincrement=True,  # the number of a deleted fact is never reused
)

RUNS = Schema(
    _kept,
    (
        (
            "personal_fact_terms",  # its rowid is the id of a fact, whose terms are already split and stemmed
            "CREATE VIRTUAL TABLE IF NOT EXISTS personal_fact_terms USING fts5(owner, terms, tokenize='ascii')",
        ),
    ),
    version=2,
)

served_jobs = Table(
    "jobs",
    _served,
    Column("key", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("request", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("state", String, nullable=False, index=True),
    Column("run_id", String, nullable=False),
    Column("problem", Text, nullable=False),
    Column("idempotency_key", String, unique=True),
    sqlite_autoincrement=True,
)

job_events = Table(
    "events",
    _served,
    Column("job", String, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
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
    Column("said", Text, nullable=False),
    Column("record", Text, nullable=False),  # the turn, in wire format
)

SERVED = Schema(_served, (), version=1)
"""A server's data about a folder: jobs with their events, and chats. This data is stored only in the user's data
directory.
"""


SHARED_RUNS = MetaData()
"""The tables of `RUNS` in PostgreSQL, with a plain table in place of the full-text table."""
for _table in _kept.sorted_tables:
    _table.to_metadata(SHARED_RUNS)
fact_terms = Table(
    "personal_fact_terms",
    SHARED_RUNS,
    Column("fact_id", Integer, primary_key=True),
    Column("term", String, primary_key=True),
    Column("owner", String, nullable=False),
    Index("personal_fact_terms_of_owner", "owner", "term"),
)


@cache
def statements_of(schema: Schema) -> tuple[str, ...]:
    """Return the statements that create the missing parts of a database, in order."""
    return tuple(_statements(schema))


def _statements(schema: Schema) -> Iterator[str]:
    dialect = sqlite.dialect()
    for table in schema.metadata.sorted_tables:
        yield str(CreateTable(table, if_not_exists=True).compile(dialect=dialect))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            yield str(CreateIndex(index, if_not_exists=True).compile(dialect=dialect))
    yield from (statement for _, statement in schema.full_text)
