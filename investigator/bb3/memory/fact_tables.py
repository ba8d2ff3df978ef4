"""The tables of what the two speakers of a chat said about themselves: it belongs to a user, and outlasts chats."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, MetaData, String, Table, Text

FACT_TABLES = MetaData()

personal_facts = Table(
    "personal_facts",
    FACT_TABLES,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("user", String, nullable=False),
    Column("speaker", String, nullable=False),
    Column("text", Text, nullable=False),
    Column("claim", Text, nullable=False),  # what it says in few words, to see repetitions
    Column("chat_id", String, nullable=False),  # where it was said; empty: it was written by hand
    Column("turn", Integer),
    Column("created", String, nullable=False),
    Column("used_at", Integer, nullable=False),  # the user's turn, counted over all chats, when it was made or used
    Column("uses", Integer, nullable=False),
    Index("personal_facts_of_user", "user", "id"),
    Index("personal_facts_by_use", "user", "used_at", "id"),
    Index("personal_facts_once", "user", "speaker", "text", unique=True),
    sqlite_autoincrement=True,  # the number of a deleted one is never given again
)

FACT_TERMS = "CREATE VIRTUAL TABLE IF NOT EXISTS personal_fact_terms USING fts5(owner, terms, tokenize='ascii')"
"""Has the id of a fact as rowid; its terms are cut and stemmed already."""
