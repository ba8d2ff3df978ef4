"""Finds JSON values in the text of a reply, even if they are broken or still being written.

Valid values are decoded one by one, because a model that repeats a document, a draft or the schema writes several, and
the json-repair library, which repairs broken values, would mix them up. In addition:

- thoughts are ignored, but a value at the end of an unclosed thought is found;
- the inside of a Markdown fence is tried separately, because the library treats the closing marks as part of the value;
- LaTeX backslashes that could be read as an escape (`\\frac`, `\\times`) stay backslashes;
- time is bounded for hostile texts (a million brackets).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate

from pydantic_core import from_json

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
"""A value as parsed by the json module."""

_LONGEST = 1_000_000
_LONGEST_BROKEN = 40_000
_MOST_STARTS = 400
_DEEPEST = 60
_MOST_FENCES = 3

_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|thought|thoughts|reasoning)>", re.IGNORECASE)
_STRING = re.compile(r'(?<=[\s:,\[{])"(?:[^"\\]|\\.)*+"(?=\s*[,:\]}])', re.DOTALL)
"""Matches a string inside JSON; a tag in it is quoted, perhaps from a document that tries to end the thought."""
_FENCE = re.compile(r"```[\w+-]*[ \t]*\n(?P<body>.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BRACKET = re.compile(r"[{}\[\]]")
_START = re.compile(r"[{\[]")
_LATEX = re.compile(
    r"(?<!\\)\\(?=(?:frac|forall|beta|begin|bar|binom|boldsymbol|bigl|bigr|nabla|neq|rho|right|ref|theta|tau|tan|tanh"
    r"|text|textbf|times|tilde|to)(?![a-zA-Z]))"
)


def without_thoughts(text: str) -> str:
    """Return the text without `<think>...</think>` and similar tags. A thought that is never closed runs to the end;
    one that the prompt opened (only the closing tag appears) begins at the start.
    """
    return _parted(text)[0]


def whole_values(text: str) -> list[Json]:
    """Return the outermost objects and arrays in the text as valid JSON, in order, outside thoughts. A value at the end
    of an unclosed thought counts: the thought ended before it, or its tag was quoted from a document.
    """
    reply, thought = _parted(text)
    ending = thought.rstrip("` \t\n")
    at_end = _decoded(_cut(ending))[-1:] if ending.endswith(("}", "]")) else []
    return [*_decoded(_cut(reply)), *at_end]


def mended_values(text: str) -> Iterator[Json]:
    """Yield the objects and arrays that can be recovered from broken JSON in the text, most plausible first.

    From a thought that was never closed, only complete values are used.
    """
    reply, thought = map(_cut, _parted(text))
    fenced = [fence["body"] for fence in _FENCE.finditer(reply) if _START.search(fence["body"])][-_MOST_FENCES:]
    first = _START.search(reply)
    pieces = [*reversed(fenced), *([reply[first.start() :]] if first else [])]
    for piece in dict.fromkeys(pieces):
        value = _mended(piece)
        if isinstance(value, dict | list) and value:
            yield value
    yield from reversed(_decoded(thought))


def unfinished_text(written: str, name: str) -> str:
    """Return the text written so far for the field `name` of an unfinished JSON object; empty if the field has not
    begun.
    """
    answer = without_thoughts(written)
    try:
        value = from_json(answer[answer.find("{") :], allow_partial="trailing-strings")
    except ValueError:  # not JSON, or broken before this point
        return ""
    text = value.get(name, "") if isinstance(value, dict) else ""
    return text if isinstance(text, str) else ""


def _cut(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}\n{text[-half:]}"


def _decoded(text: str) -> list[Json]:
    """Return the valid values, trying each bracket that is not inside a value already found, up to a number of them
    from each end, which bounds the time.
    """
    text = _LATEX.sub(r"\\\\", text)
    decoder = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
    starts = [start.start() for start in _START.finditer(text)]
    values: list[Json] = []
    done = tried = 0
    for k, start in enumerate(starts):
        if start < done or (tried > _MOST_STARTS and k < len(starts) - _MOST_STARTS):
            continue
        tried += 1
        try:
            value, done = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        values.append(value)
    return values


def _mended(piece: str) -> Json:
    """Return the value that the json-repair library extracts from a broken piece; None if it finds none."""
    from json_repair import repair_json  # imported here, because only broken replies need it

    piece = piece[:_LONGEST_BROKEN]
    if _depth(piece) > _DEEPEST:  # the library takes quadratic time for such a piece
        return None
    try:
        value: Json = repair_json(_LATEX.sub(r"\\\\", piece), return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError, IndexError):
        return None
    return value


def _depth(text: str) -> int:
    """Return the nesting depth of the brackets in the text."""
    steps = (1 if bracket.group() in "{[" else -1 for bracket in _BRACKET.finditer(text))
    return max(accumulate(steps), default=0)


def _parted(text: str) -> tuple[str, str]:
    """Return the text without thoughts, and the text of an unclosed thought, if any."""
    kept: list[str] = []
    begin: int | None = None  # of a thought that is still open
    end = 0
    for tag in _tags(text):
        if not tag["closing"]:
            if begin is None:
                kept.append(text[end : tag.start()])
                begin = tag.end()
            continue
        if begin is None:
            kept.clear()
        begin, end = None, tag.end()
    return ("".join(kept), text[begin:]) if begin is not None else ("".join((*kept, text[end:])), "")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the tags of thoughts, except those inside a JSON string."""
    if not _TAG.search(text):
        return
    quoted = _STRING.finditer(text)
    string = next(quoted, None)
    for tag in _TAG.finditer(text):
        while string is not None and string.end() <= tag.start():
            string = next(quoted, None)
        if string is None or tag.start() < string.start():
            yield tag
