"""The options of a chat from the words of the command line."""

from __future__ import annotations

from pydantic import ValidationError

from investigator.bb3.chat_options import ChatOptions
from investigator.errors import SettingsError


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
