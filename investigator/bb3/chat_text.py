"""What a chat tells of a reply and of what it remembers, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from investigator.bb3.memory.personal_facts import KeptFact
from investigator.bb3.records import Speaker
from investigator.dialogue.messages import Message
from investigator.records import Quote
from investigator.reports.inert import inert, one_line

_NAMED = {
    "search_decision": "Search",
    "memory_decision": "Memory",
    "search_query": "Query",
    "contextual_knowledge": "Topic",
    "memory_knowledge": "Memory used",
    "memory_generator_partner": "Remembered of you",
    "memory_generator_self": "Remembered of itself",
    "search_problem": "The search failed",
    "memory_problem": "Nothing is remembered of the reply",
    "problem": "The model failed",
    "failure": "Canned reply, for",
}
_FAILURES = {
    "unsafe_Human": "what you said is not safe to reply to",
    "unsafe_BlenderBot3": "the reply was not safe to be said",
    "unsafe_model_crash": "the model failed",
}
"""Why a canned reply was given, by the data card's names."""

_LONGEST_PROBLEM = 300  # characters
_DECISIONS = frozenset({"search", "do not search", "access memory", "do not access memory"})


def why_text(message: Message | None) -> Text:
    """What a reply rests on: decisions, query, memory, documents, and each quote with its place."""
    if message is None:
        return Text("Nothing was said yet.\n")
    lines = [f"{label}: {_told(name, str(message[name]))}" for name, label in _NAMED.items() if message.get(name)]
    titles, urls = _texts(message, "search_knowledge_doc_titles"), _texts(message, "search_knowledge_doc_urls")
    if message.get("search_result_failure"):
        lines.append("Found: no documents")
    elif titles:
        lines.append("Passages, best first:")
        lines += [f"  {one_line(url or title)}" for title, url in zip(titles, urls, strict=True)]
    quotes = message.get("quotes")
    for quote in quotes if isinstance(quotes, list) else ():
        proven = Quote.model_validate(quote)
        lines.append(f"Quote, proven: “{one_line(proven.text)}” ({one_line(proven.place)})")
    if unsaid := message.get("unsaid"):
        lines.append(f"Not said, for it is not proven or no reply: “{one_line(str(unsaid))}”")
    if not lines:
        lines = ["It rests on the conversation alone."]
    return Text("\n".join(lines) + "\n")


def users_text(users: Sequence[str]) -> Text:
    """The users of whom something is remembered, one a line."""
    return Text("".join(f"{one_line(user)}\n" for user in users))


def reply_text(message: Message) -> Text:
    """A reply, and where its quotes stand, as far as it does not say so itself; also that a search has failed."""
    quotes = message.get("quotes")
    places = [Quote.model_validate(quote).place for quote in quotes] if isinstance(quotes, list) else []
    untold = [one_line(place) for place in dict.fromkeys(places) if place not in message.text]
    if message.get("search_problem"):
        untold.append(f"the search failed: {one_line(str(message['search_problem']), _LONGEST_PROBLEM)}")
    told = f"  [{'; '.join(untold)}]" if untold else ""
    return Text(f"{inert(message.text)}{told}\n")


def memories_text(facts: Sequence[KeptFact]) -> Text:
    """Memories with their numbers, whose they are, where they were said and how often they were used."""
    if not facts:
        return Text("Nothing is remembered.\n")
    return Text("".join(f"{_memory(fact)}\n" for fact in facts))


def _told(name: str, text: str) -> str:
    """The text of a field; a failure in words; where a module was to decide and made no decision, that."""
    if name == "failure":
        return _FAILURES.get(text, text)
    if name.endswith("_decision") and text not in _DECISIONS:
        return f"no decision was made; it said “{one_line(text)}”"
    return one_line(text)


def _memory(fact: KeptFact) -> str:
    whose = "you" if fact.speaker is Speaker.PARTNER else "itself"
    said = f"turn {fact.source.turn}" if fact.source.turn else "by hand"
    return (
        f"{fact.id:>6}  {one_line(fact.text)}  [of {whose}, {fact.created:%Y-%m-%d}, {said}, "
        f"used {fact.uses} time{'' if fact.uses == 1 else 's'}]"
    )


def _texts(message: Message, name: str) -> list[str]:
    value = message.get(name)
    return [str(text) for text in value] if isinstance(value, list | tuple) else []
