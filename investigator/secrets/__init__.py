"""Keeps the keys and passwords known to this process out of all output and storage.

Settings and engines register a secret where they read it. From then on, replies and server messages are redacted on
arrival, errors when they are created, and output, traces and reports again when they are written. A secret is
recognised in the forms that programs use: verbatim, in any case, with line ends or spaces inside, escaped for URLs,
JSON or HTML, and in Base64. A server that encodes the secret differently can defeat this, but it already has the
secret.
"""

from __future__ import annotations

import base64
import re
from functools import lru_cache
from threading import Lock
from urllib.parse import parse_qsl, unquote, urlsplit

SHORTEST = 8
"""Minimum length of a redacted secret; shorter secrets would match parts of ordinary words."""

REDACTED = "***"

_PLACEHOLDERS = frozenset({"not-needed", "not-required", "no-key-required", "sk-no-key-required", "placeholder"})
"""Placeholders used as keys for local servers."""
_NAMES = re.compile(r"key|token|secret|passw|auth|credential|signature", re.IGNORECASE)
_BETWEEN = r"(?:\s|\\[nrt]|%0[ad])*"
_ESCAPES = frozenset("%\\&")
_NAMED = {"&": "&amp;", '"': "&quot;", "'": "&apos;", "<": "&lt;", ">": "&gt;"}
_OF_WORDS = "".join(map(chr, range(0x21, 0x7F)))
_lock = Lock()
_known: frozenset[str] = frozenset()


def register(secret: str) -> None:
    """Redact a secret from now on."""
    global _known
    secret = secret.strip()
    if len(secret) >= SHORTEST and secret.lower() not in _PLACEHOLDERS:
        with _lock:
            _known = _known | {secret}


def register_address(address: str, *, user: bool = True) -> None:
    """Register the passwords, tokens and keys in an address, and its `user` if it has no password."""
    try:
        parts = urlsplit(address)
        named, password = parts.username or "", parts.password or ""
    except ValueError:  # not a valid address, which the code that opens it reports
        return
    register(unquote(password or (named if user else "")))
    for name, value in parse_qsl(parts.query):
        if is_secret(name):
            register(value)


def is_secret(name: str) -> bool:
    """Return True if a setting, variable or parameter with this name contains a secret."""
    return _NAMES.search(name) is not None


def redacted(text: str) -> str:
    """Return the text with known secrets redacted, including one that is truncated at the end."""
    if not _known:
        return text
    escaped = not _ESCAPES.isdisjoint(text)
    for secret in _known:
        text = _pattern(secret, escaped).sub(REDACTED, text)
        if begun := _begun(text, secret):
            text = text[:-begun] + REDACTED
    return text


def redacted_octets(data: bytes) -> bytes:
    """Return bytes without the known secrets."""
    if not _known:
        return data
    return redacted(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def redacted_so_far(text: str) -> str:
    """Return an unfinished text without its last word, which may be the beginning of a secret."""
    return redacted(text.rstrip(_OF_WORDS)) if _known else text


def without_secrets(error: BaseException) -> BaseException:
    """Return an error, or a redacted copy if the error or its cause contains a secret."""
    behind: BaseException | None = error
    while behind is not None:
        if any(redacted(shown) != shown for shown in (str(behind), repr(behind))):
            return RuntimeError(redacted(f"{type(error).__name__}: {error}"))
        behind = behind.__cause__ or behind.__context__
    return error


def _begun(text: str, secret: str) -> int:
    """Return how many characters at the end of the text form the beginning of a secret; 0 if there are too few to be
    certain.
    """
    longest = min(len(secret) - 1, len(text))
    end = text[-longest:].lower() if longest else ""
    start = secret.lower()
    return next((length for length in range(longest, SHORTEST - 1, -1) if end.endswith(start[:length])), 0)


@lru_cache(maxsize=64)
def _pattern(secret: str, escaped: bool) -> re.Pattern[str]:
    """Return the pattern that finds a secret in all its forms; `escaped` includes escaped forms."""
    plain = _BETWEEN.join(_forms_of(character) if escaped else re.escape(character) for character in secret)
    return re.compile("|".join([plain, *_in_base64(secret)]), re.IGNORECASE)


def _forms_of(character: str) -> str:
    """Return a pattern for the forms of a character: verbatim, and escaped for URLs, JSON and HTML."""
    code = ord(character)
    octets = "".join(rf"%(?:25)*{octet:02x}" for octet in character.encode("utf-8", "surrogatepass"))
    forms = [rf"\\*{re.escape(character)}", octets, rf"\\+u{code:04x}", rf"&#0*{code};", rf"&#x0*{code:x};"]
    forms += [rf"\\+x{code:02x}"] if code < 0x100 else []
    forms += [_NAMED[character]] if character in _NAMED else []
    return f"(?:{'|'.join(forms)})"


def _in_base64(secret: str) -> list[str]:
    """Return patterns for a secret in Base64, one for each of the three alignments."""
    octets = secret.encode("utf-8", "surrogatepass")
    patterns = []
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + octets).decode("ascii")
        sure = encoded[(0, 2, 3)[before] : (before + len(octets)) * 8 // 6]
        either = {"+": r"[+-]", "/": r"\\*[/_]"}
        patterns.append(r"\s*".join(either.get(character, character) for character in sure))
    return patterns
