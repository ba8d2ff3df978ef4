"""Formats replies, their sources and memories for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from investigator.bb3.bb3x.records import MemoryDecision, SearchDecision
from investigator.bb3.memory.long_term import KeptFact
from investigator.bb3.records import Speaker
from investigator.bb3.search.served import ServedQuote
from investigator.dialogue.messages import Message
from investigator.records import Quote
from investigator.reports.inert import inert_line, inert_prose
from investigator.reports.wording import plural

_NAMED = {
    "search_decision": "Search",
    "memory_decision": "Memory",
    "search_query": "Query",
    "contextual_knowledge": "Topic",
    "memory_knowledge": "Memory used",
    "memory_generator_partner": "Remembered about you",
    "memory_generator_self": "Remembered about itself",
    "search_problem": "Search failed",
    "source_problem": "Not proven",
    "memory_problem": "Reply not remembered",
    "problem": "Model failed",
    "failure": "Canned reply, because",
}
_FAILURES = {
    "unsafe_Human": "your message is not safe to reply to",
    "unsafe_BlenderBot3": "the reply was not safe",
    "unsafe_model_crash": "the model failed",
}
"""The reasons for a canned reply in plain words, keyed by their names in the data card."""

_LONGEST_PROBLEM = 300  # maximum number of characters
_DECISIONS = frozenset({*SearchDecision, *MemoryDecision})


def why_text(message: Message | None) -> Text:
    """Return what a reply is based on: decisions, query, memory, documents, quotes and places, and who checked."""
    if message is None:
        return Text("No message yet.\n")
    lines = [f"{label}: {_shown(name, str(message[name]))}" for name, label in _NAMED.items() if message.get(name)]
    titles, urls = _texts(message, "search_knowledge_doc_titles"), _texts(message, "search_knowledge_doc_urls")
    if message.get("search_result_failure"):
        lines.append("Found: no documents")
    elif titles:
        lines.append("Passages, best first:")
        servers = _texts(message, "search_knowledge_doc_servers") or [""] * len(titles)
        for title, url, server in zip(titles, urls, servers, strict=True):
            lines.append(f"  {inert_line(url or title)}{f', from {inert_line(server)}' if server else ''}")
    for quote in quotes_of(message):
        label = "Quote, not proven" if isinstance(quote, ServedQuote) else "Quote, proven"
        lines.append(f"{label}: “{inert_line(quote.text)}” ({inert_line(quote.place)})")
    if checked := message.get("checked"):
        lines.append(f"Reply checked: {inert_line(str(checked))}")
    if unsaid := message.get("unsaid"):
        lines.append(f"Withheld (not supported, or not a reply): “{inert_line(str(unsaid))}”")
    if not lines:
        lines = ["The reply is based only on the conversation."]
    return Text("\n".join(lines) + "\n")


def users_text(users: Sequence[str]) -> Text:
    """Return the users who have memories, one per line."""
    return Text("".join(f"{inert_line(user)}\n" for user in users))


def reply_text(message: Message) -> Text:
    """Return a reply with the places of its quotes, unless it mentions them, and with the error of a failed search."""
    places = [quote.place for quote in quotes_of(message)]
    untold = [inert_line(place) for place in dict.fromkeys(places) if place not in message.text]
    if message.get("search_problem"):
        untold.append(f"the search failed: {inert_line(str(message['search_problem']), _LONGEST_PROBLEM)}")
    if message.get("source_problem"):
        untold.append(inert_line(str(message["source_problem"]), _LONGEST_PROBLEM))
    notes = f"  [{'; '.join(untold)}]" if untold else ""
    return Text(f"{inert_prose(message.text)}{notes}\n")


def memories_text(facts: Sequence[KeptFact]) -> Text:
    """Return memories with their numbers, owners, ages and use counts."""
    if not facts:
        return Text("Nothing is remembered.\n")
    return Text("".join(f"{_memory(fact)}\n" for fact in facts))


def _shown(name: str, text: str) -> str:
    """Return a field's text for display; failure codes become descriptions, and invalid decisions are reported."""
    if name == "failure":
        return _FAILURES.get(text, text)
    if name.endswith("_decision") and text not in _DECISIONS:
        return f"no decision; the module said “{inert_line(text)}”"
    return inert_line(text)


def _memory(fact: KeptFact) -> str:
    whose = "you" if fact.speaker is Speaker.PARTNER else "itself"
    source = f"turn {fact.source.turn}" if fact.source.turn else "by hand"
    return (
        f"{fact.id:>6}  {inert_line(fact.text)}  [about {whose}, {fact.created:%Y-%m-%d}, {source}, "
        f"used {plural(fact.uses, 'time')}]"
    )


def quotes_of(message: Message) -> list[Quote]:
    """Return the quotes in a reply; those from a search server are instances of ServedQuote."""
    quotes = message.get("quotes")
    return [
        ServedQuote.model_validate(quote) if "server" in quote else Quote.model_validate(quote)
        for quote in (quotes if isinstance(quotes, list) else ())
    ]


def _texts(message: Message, name: str) -> list[str]:
    value = message.get(name)
    return [str(text) for text in value] if isinstance(value, list | tuple) else []
