"""A reply that is still being written: what a text in it says so far."""

from __future__ import annotations

from pydantic_core import from_json

from investigator.asking.replies.thoughts import without_thoughts


def unfinished_text(written: str, name: str) -> str:
    """What the text `name` of a JSON object says as far as it is written; empty where it has not begun."""
    said = without_thoughts(written)
    try:
        value = from_json(said[said.find("{") :], allow_partial="trailing-strings")
    except ValueError:  # no JSON, or broken already
        return ""
    text = value.get(name, "") if isinstance(value, dict) else ""
    return text if isinstance(text, str) else ""
