"""Finds the JSON values in a reply, whatever stands around them and however they are broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate

from investigator.asking.replies.thoughts import unclosed_thought, without_thoughts

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
"""A value as the json module reads it."""

_LONGEST = 1_000_000
_LONGEST_BROKEN = 40_000
_MOST_STARTS = 400
_DEEPEST = 60

_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(?P<body>.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BRACKET = re.compile(r"[{}\[\]]")
_PILE = re.compile(rf"(?:[{{\[]\s*+){{{_DEEPEST}}}")
_START = re.compile(r"[{\[]")
_LATEX = re.compile(
    r"(?<!\\)\\(?=(?:frac|forall|beta|begin|bar|binom|boldsymbol|bigl|bigr|nabla|neq|rho|right|ref|theta|tau|tan|tanh"
    r"|text|textbf|times|tilde|to)(?![a-zA-Z]))"
)
_ESCAPE = re.compile(r'\\(?:[\\"/bfnrt]|u[0-9a-fA-F]{4})|\\')
"""A valid escape, or else a lone backslash, which JSON does not allow."""


def whole_values(text: str) -> list[Json]:
    """The objects and arrays that stand in the text as valid JSON, the outermost of each place, in order.

    Thoughts are left out; one that is never closed and ends with a value ended before it, or was none but words of a
    document that a model repeats. Backslashes of LaTeX, which JSON would misread, count as backslashes.
    """
    return [*_decoded(_cut(without_thoughts(text))), *_at_end(unclosed_thought(text))]


def mended_values(text: str) -> Iterator[Json]:
    """The objects and arrays that can be made of broken JSON in the text, the likeliest first.

    Of a thought that was never closed, only whole values are taken.
    """
    reply = _cut(without_thoughts(text))
    for piece in dict.fromkeys(_pieces(reply)):
        value = _mended(piece)
        if isinstance(value, dict | list) and value:
            yield value
    yield from reversed(_decoded(_cut(unclosed_thought(text))))


def _at_end(thought: str) -> list[Json]:
    """The value that an unclosed thought ends with, if it does."""
    said = thought.rstrip("` \t\n")
    return _decoded(_cut(said))[-1:] if said.endswith(("}", "]")) else []


def _cut(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n{text[-half:]}"


def _decoded(text: str) -> list[Json]:
    """Valid values, found by trying at each bracket that is not inside a value already found.

    Only so many brackets are tried from each end, which bounds the time on texts of nothing but brackets.
    """
    text = _ESCAPE.sub(lambda found: found.group() if len(found.group()) > 1 else r"\\", _LATEX.sub(r"\\\\", text))
    decoder = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
    starts = [found.start() for found in _START.finditer(text)]
    values: list[Json] = []
    done = tried = 0
    for k, start in enumerate(starts):
        if start < done or (tried > _MOST_STARTS and k < len(starts) - _MOST_STARTS):
            continue
        tried += 1
        if _PILE.match(text, start):
            continue
        try:
            value, done = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        values.append(value)
    return values


def _pieces(text: str) -> Iterator[str]:
    """Parts of the text that may be one broken value: fenced blocks, balanced parts, and what is left open."""
    yield from reversed([fence["body"] for fence in _FENCE.finditer(text) if _START.search(fence["body"])][-3:])
    balanced, tail = _balanced(text)
    yield from reversed(balanced[-3:])
    if tail is not None:
        yield tail
    first = _START.search(text)
    if first:
        yield text[first.start() :]


def _balanced(text: str) -> tuple[list[str], str | None]:
    """The outermost parts whose brackets match, and the part from the outermost bracket that is never closed."""
    parts: list[str] = []
    depth, begin = 0, 0
    for found in _BRACKET.finditer(text):
        if found.group() in "{[":
            begin = found.start() if depth == 0 else begin
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                parts.append(text[begin : found.end()])
    return parts, text[begin:] if depth else None


def _mended(piece: str) -> Json:
    """The value that the json-repair library makes of a broken piece; None where it makes nothing of it."""
    from json_repair import repair_json  # needed for broken replies only

    piece = piece[:_LONGEST_BROKEN]
    if _depth(piece) > _DEEPEST:  # the library takes quadratic time over it
        return None
    try:
        value: Json = repair_json(_LATEX.sub(r"\\\\", piece), return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return None
    return value


def _depth(text: str) -> int:
    """How deep the brackets of a text are nested."""
    steps = (1 if found.group() in "{[" else -1 for found in _BRACKET.finditer(text))
    return max(accumulate(steps), default=0)
