"""The tables of the workspace database that every workspace has.

What is derived (chunks, full text, vectors) can be dropped and built again from `documents`; `runs`, `calls`,
`too_long` and `memories` cannot. Parts that keep more bring their own tables: see `Database.add_tables`.
"""

from __future__ import annotations

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

SCHEMA_VERSION = 5

metadata = MetaData()

meta = Table("meta", metadata, Column("key", String, primary_key=True), Column("value", Text, nullable=False))

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
    Column("inside", String, nullable=False, index=True),  # the path of the archive or message that holds it
)

documents = Table(
    "documents",
    metadata,
    Column("key", Integer, primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("content_hash", String, nullable=False),
    Column("title", Text, nullable=False),
    Column("authors", Text, nullable=False),  # one a line
    Column("pages", Integer),
    Column("date", String),
    Column("headings", Text, nullable=False),  # the first ones, one a line
    Column("card", Text, nullable=False),  # the record without its text, in wire form
    Column("text", Text, nullable=False),
    Column("reader", String, nullable=False),
    Column("text_code", String, nullable=False),  # over content hash, reader and text
    Column("card_code", String, nullable=False),  # over all the rest
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
    sqlite_autoincrement=True,  # an id that Chroma may still hold is never given again
)

vectors = Table(
    "vectors",
    metadata,
    Column("chunk_id", Integer, ForeignKey("chunks.id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", String, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("in_chroma", Integer, nullable=False, default=0),
)

# chunk ids whose vectors Chroma still holds although their document is gone
gone_chunks = Table("gone_chunks", metadata, Column("chunk_id", Integer, primary_key=True))

runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("identity", String, nullable=False, index=True),
    Column("corpus", String, nullable=False),
    Column("created", String, nullable=False),
    Column("question", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("answer_status", String),
    Column("record", Text, nullable=False),  # the investigation as far as it has come, in wire form
)

calls = Table(
    "calls",
    metadata,
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
    Column("elapsed", Float, nullable=False),  # seconds of the run so far, over all its processes
    Column("reused", Integer, nullable=False),  # 1: taken from an earlier run, nothing was paid
    Index("calls_by_key", "key"),
    Index("calls_of_run", "run_id", "key", unique=True),
)

# prompts that did not fit into an engine's context: going on and going through it again count no tokens anew
too_long = Table(
    "too_long",
    metadata,
    Column("run_id", String, ForeignKey("runs.id"), primary_key=True),
    Column("key", String, primary_key=True),
    Column("tokens", Integer, nullable=False),  # 0: the engine refused it without saying how many there were
    Index("too_long_by_key", "key"),
)

memories = Table(
    "memories",
    metadata,
    Column("run_id", String, ForeignKey("runs.id"), primary_key=True),
    Column("id", Integer, primary_key=True),
    Column("target_document_id", String, nullable=False),
    Column("point", Integer),
    Column("record", Text, nullable=False),
)

FULL_TEXT = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS chunk_words USING fts5(words, tokenize='porter unicode61 remove_diacritics 2')",
    "CREATE VIRTUAL TABLE IF NOT EXISTS card_words USING fts5(document_id UNINDEXED, words, "
    "tokenize='porter unicode61 remove_diacritics 2')",
)
"""`chunk_words` has the chunk id as rowid, `card_words` the document's key: title, path, headings and first lines."""

DERIVED = (vectors, gone_chunks, chunks, documents, files)
"""Tables that an older version's workspace loses, with the full-text ones: they are made again from the folder."""
