"""Makes text from documents or models safe to display."""

from __future__ import annotations

import json
import re

from investigator.language.addresses import defanged
from investigator.language.normalise import one_line

_ALWAYS_UNSAFE = (
    # control characters except tab and line feed, because they can begin terminal escapes
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks, which change the order of displayed text
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # invisible characters
    "\U000e0000-\U000e0fff"
    "\u2028\u2029"  # separators that some programs treat as line breaks
    "\ud800-\udfff"  # lone surrogates, which cannot be encoded; they occur in file names that are not UTF-8
    "\ufffe\uffff"
)
_JOINERS = "\u200c\u200d"
"""Joiners, which Persian, Indian scripts and emoji need, but which only hide text next to ASCII characters."""
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{1,6}\U000e007f"
_UNSAFE = re.compile(f"{_FLAG}|[{_ALWAYS_UNSAFE}]|(?<=[\x21-\x7e])[{_JOINERS}]|[{_JOINERS}](?=[\x21-\x7e])")
_JSON_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"(\s*:)?', re.DOTALL)
_NAMES = frozenset(
    {
        *("id", "label", "run_id", "chat_id", "user", "name", "engine", "made_with", "checked_by", "by"),
        *("media_type", "reader", "document_id", "target_document_id", "document_ids", "refused_document_ids"),
        *("path", "inside", "names", "read", "searched", "not_opened", "tainted", "source_changed", "new", "changed"),
        *("gone", "scope", "source_hash", "content_hash"),
    }
)
"""Record fields that contain names, which must stay usable for lookups."""
_UNSAFE_IN_JSON = re.compile(f"[\xad{_JOINERS}{_ALWAYS_UNSAFE}]")


def inert(text: str) -> str:
    """Return the text with control characters escaped, as `\\x1b`; line endings become `\\n`."""
    return _UNSAFE.sub(_written_out, text.replace("\r\n", "\n"))


def inert_prose(text: str) -> str:
    """Return the text in inert form, with addresses and markup defanged."""
    return defanged(inert(text))  # the escape may be read as part of an address


def inert_json(text: str) -> str:
    """Return equivalent JSON that is safe for a terminal: unsafe characters are escaped.

    In JSON, unescaped control characters occur only between values, as line breaks.
    """
    return _UNSAFE_IN_JSON.sub(_escaped, text)


def inert_json_prose(text: str) -> str:
    """Return JSON, or lines of JSON, with its strings in inert form; keys and names stay unchanged."""
    key = ""

    def replaced(match: re.Match[str]) -> str:
        nonlocal key
        value = json.loads(match.group(), strict=False) if not match.group(1) else ""
        if match.group(1):
            key = json.loads(match.group()[: -len(match.group(1))], strict=False)
        shown = value if key in _NAMES else inert_prose(value)
        return match.group() if shown == value else json.dumps(shown, ensure_ascii=False)

    return inert_json(_JSON_TEXT.sub(replaced, text))


def inert_line(text: str, limit: int | None = None) -> str:
    """Return the text in inert form on one line, truncated with an ellipsis to at most `limit` characters."""
    start = text if limit is None else text[: 4 * limit]  # avoids processing a megabyte for one line
    line = inert(one_line(start))
    if limit is None or (len(line) <= limit and len(start) == len(text)):
        return line
    return line[: limit - 1].rstrip() + "…"


def _written_out(match: re.Match[str]) -> str:
    characters = match.group()
    if len(characters) > 1:  # the flag of England, Scotland or Wales
        return characters
    code = ord(characters)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
