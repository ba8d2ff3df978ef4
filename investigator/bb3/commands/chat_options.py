"""The options of a chat from the words of the command line."""

from __future__ import annotations

from pydantic import ValidationError

from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.search.client import full_address
from investigator.errors import DialogueError, SettingsError


def chat_options(search: str, memories: str, topics: str, knowledge: str) -> ChatOptions:
    """When to search and to remember, and how knowledge is combined. Raises SettingsError for any other word."""
    told = {
        "search_decision": search,
        "memory_decision": memories,
        "contextual_knowledge_decision": topics,
        "knowledge_conditioning": knowledge,
    }
    try:
        return ChatOptions.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        described = ChatOptions.model_fields[name].description
        raise SettingsError(f"{first['input']!r} is no choice", hint=f"{name}: {described}") from error


def search_switched(options: ChatOptions, word: str) -> tuple[ChatOptions, str]:
    """The options after `/search WORD`, and what is told: without a word how it is, and the choices.

    Raises DialogueError for a word that is none of them.
    """
    choices = ", ".join(Decide)
    if not word:
        return options, f"Search: {options.search_decision}. Change it with /search and one of: {choices}"
    if word.lower() not in set(Decide):
        raise DialogueError(f"there is no /search {word[:40]}", hint=f"Say /search and one of: {choices}")
    return options.changed(search_decision=Decide(word.lower())), f"Search: {word.lower()}"


def server_address(word: str | None) -> str | None:
    """The address of a search server as it is typed, with its scheme; None where none is given.

    Raises SettingsError for what is no such address.
    """
    if word is None:
        return None
    hint = "Give one as http://127.0.0.1:8080: http:// or https://, a host, and a port where it is not the usual one."
    if not word.strip().lower().startswith(("http://", "https://")):
        raise SettingsError(f"{word!r} is no address of a search server", hint=hint)
    try:
        return full_address(word)
    except SettingsError as error:
        raise SettingsError(error.message, hint=hint) from error


def user_named(word: str) -> str:
    """The user that is named. Raises SettingsError for a blank name."""
    if not word.strip():
        raise SettingsError("the name of the user is blank", hint="Name one, as --user anna, or leave --user out.")
    return word
