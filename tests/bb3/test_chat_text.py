"""The text that a chat shows about its last reply and about memories."""

from __future__ import annotations

from datetime import UTC, datetime

from investigator.bb3.chat_text import memories_text, reply_text, users_text, why_text
from investigator.bb3.memory.long_term import FactSource, KeptFact
from investigator.bb3.records import Speaker
from investigator.dialogue.messages import Message

QUOTE = {
    "document_id": "lease.txt",
    "page": None,
    "line": 3,
    "start": 0,
    "end": 15,
    "text": "The rent is\n40.",
    "source_hash": "h",
    "own_lines": True,
}


def fact(
    number: int, text: str, speaker: Speaker = Speaker.PARTNER, *, turn: int | None = 2, uses: int = 0
) -> KeptFact:
    return KeptFact(
        id=number,
        user="anna",
        speaker=speaker,
        text=text,
        source=FactSource(chat_id="c", turn=turn),
        created=datetime(2026, 3, 1, tzinfo=UTC),
        turns_since_used=0,
        uses=uses,
    )


def test_before_the_first_reply_there_is_nothing_to_tell() -> None:
    assert why_text(None).plain == "No message yet.\n"
    assert why_text(Message(text="Hi")).plain == "The reply is based only on the conversation.\n"


def test_decisions_query_passages_quotes_and_memory_are_told() -> None:
    reply = Message(
        text="40.",
        search_decision="search",
        memory_decision="do not access memory",
        search_query="rent",
        memory_knowledge="Person 1's Persona: I rent.",
        search_knowledge_doc_titles=["Lease", "Letter"],
        search_knowledge_doc_urls=["lease.txt", ""],
        quotes=[QUOTE],
        memory_generator_partner="I rent.",
    )
    assert why_text(reply).plain.splitlines() == [
        "Search: search",
        "Memory: do not access memory",
        "Query: rent",
        "Memory used: Person 1's Persona: I rent.",
        "Remembered about you: I rent.",
        "Passages, best first:",
        "  lease.txt",
        "  Letter",
        "Quote, proven: “The rent is 40.” (lease.txt:line 3)",
    ]


def test_a_decision_in_prose_is_told_as_none() -> None:
    told = why_text(Message(text="Hm", search_decision="Yes,\nI think so", memory_decision="access memory")).plain
    assert told.splitlines() == [
        "Search: no decision; the module said “Yes, I think so”",
        "Memory: access memory",
    ]


def test_what_went_wrong_is_told() -> None:
    reply = Message(text="Hm", search_problem="nobody is there", search_result_failure=True, memory_problem="stopped")
    assert why_text(reply).plain.splitlines() == [
        "Search failed: nobody is there",
        "Reply not remembered: stopped",
        "Found: no documents",
    ]
    canned = Message(text="Hm", failure="unsafe_model_crash", problem="no server")
    assert why_text(canned).plain == "Model failed: no server\nCanned reply, because: the model failed\n"


def test_nothing_that_is_shown_moves_the_cursor() -> None:
    evil = "\x1b[2J\r\nevil\u202e"
    reply = Message(text="x", search_query=evil, search_knowledge_doc_titles=[evil], search_knowledge_doc_urls=[evil])
    for text in (why_text(reply), memories_text([fact(1, evil)]), users_text([evil])):
        assert "\x1b" not in text.plain
        assert "\u202e" not in text.plain
        assert "evil" in text.plain


def test_memories_are_told_with_number_owner_and_use() -> None:
    assert memories_text([]).plain == "Nothing is remembered.\n"
    told = memories_text([fact(7, "I sing.", uses=1), fact(12, "I am a program.", Speaker.SELF, turn=None)]).plain
    assert told.splitlines() == [
        "     7  I sing.  [about you, 2026-03-01, turn 2, used 1 time]",
        "    12  I am a program.  [about itself, 2026-03-01, by hand, used 0 times]",
    ]


def test_a_reply_tells_where_its_quotes_stand_unless_it_says_so_itself() -> None:
    assert reply_text(Message(text="It is 40.", quotes=[QUOTE])).plain == "It is 40.  [lease.txt:line 3]\n"
    said = "“The rent is 40.” (lease.txt:line 3)"
    assert reply_text(Message(text=said, quotes=[QUOTE])).plain == f"{said}\n"
    assert reply_text(Message(text="Hi\x1b[2J")).plain == "Hi\\x1b[2J\n"


def test_a_reply_tells_that_the_search_has_failed() -> None:
    reply = Message(text="What about the rent?", search_problem="nobody\nis there " + "x" * 1_000)
    told = reply_text(reply).plain
    assert told.startswith("What about the rent?  [the search failed: nobody is there xxx")
    assert told.endswith("…]\n")
    assert len(told) < 400
    both = Message(text="It is 40.", quotes=[QUOTE], search_problem="gone")
    assert reply_text(both).plain == "It is 40.  [lease.txt:line 3; the search failed: gone]\n"
