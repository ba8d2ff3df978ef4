"""The options of a chat from the words of the command line."""

from __future__ import annotations

from pydantic import ValidationError

from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.search.client import full_address
from investigator.errors import DialogueError, SettingsError


def chat_options(search: str, memories: str, topics: str, knowledge: str) -> ChatOptions:
    """Return when to search and remember, and how knowledge is combined. Raises SettingsError for an unknown word."""
    words = {
        "search_decision": search,
        "memory_decision": memories,
        "contextual_knowledge_decision": topics,
        "knowledge_conditioning": knowledge,
    }
    try:
        return ChatOptions.model_validate(words)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        described = ChatOptions.model_fields[name].description
        raise SettingsError(f"{first['input']!r} is not a choice", hint=f"{name}: {described}") from error


def search_switched(options: ChatOptions, word: str) -> tuple[ChatOptions, str]:
    """Return the options after `/search WORD`, and the message: without a word, the current choice and the others.

    Raises DialogueError for an unknown word.
    """
    choices = ", ".join(Decide)
    if not word:
        return options, f"Search: {options.search_decision}. Change it with /search and one of: {choices}"
    if word.lower() not in set(Decide):
        raise DialogueError(f"unknown choice /search {word[:40]}", hint=f"Use /search with one of: {choices}")
    return options.changed(search_decision=Decide(word.lower())), f"Search: {word.lower()}"


def server_address(word: str | None) -> str | None:
    """Return the address of a search server as it is typed, with its scheme; None if none is given.

    Raises SettingsError if it is not such an address.
    """
    if word is None:
        return None
    hint = "Use http:// or https://, a host, and a port unless it is the default, e.g. http://127.0.0.1:8080"
    if not word.strip().lower().startswith(("http://", "https://")):
        raise SettingsError(f"{word!r} is no address of a search server", hint=hint)
    try:
        return full_address(word)
    except SettingsError as error:
        raise SettingsError(error.message, hint=hint) from error


def user_named(word: str) -> str:
    """Return the name of the user. Raises SettingsError for a blank name."""
    if not word.strip():
        raise SettingsError("the user name is blank", hint="Use e.g. --user anna, or leave --user out.")
    return word
