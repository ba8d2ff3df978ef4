"""The words and patterns of natural languages in the package are few, and none is added unnoticed."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "investigator"
SEARCH_AND_MARKS = ("stop_words.toml", "addressing_rules.toml", "addressing_words.toml")
"""What the search leaves out of a question, and the marks of text that addresses a language model."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_PATTERNS = {"compile", "match", "search", "fullmatch", "sub", "finditer", "findall", "split", "late"}
_LEAST_WORDS = 5


def strings(value: object) -> Iterator[str]:
    """Yield the strings in a value of a TOML or JSON file."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def in_data(file: Path) -> int:
    text = file.read_text(encoding="utf-8")
    value = {".toml": tomllib.loads, ".json": json.loads}.get(file.suffix, str)(text)
    return sum(len(_WORD.findall(string)) for string in strings(value))


def in_code(text: str) -> int:
    """Return the number of words in lists of words, and of alternatives in regular expressions."""
    count = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in _PATTERNS:
            parts = [part for argument in node.args[:1] for part in ast.walk(argument)]
            texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            count += sum(len(_WORD.findall(group)) for text in texts for group in re.findall(r"[^()]*\|[^()]*", text))
        if isinstance(node, ast.Set | ast.List | ast.Tuple | ast.Dict):
            held = node.keys if isinstance(node, ast.Dict) else node.elts
            words = [part.value for part in held if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            is_list = len(words) >= _LEAST_WORDS and all(re.fullmatch(r"[^\W\d_A-Z]+", word) for word in words)
            count += len(words) if is_list else 0
    return count


def test_words_and_patterns_of_languages_are_few() -> None:
    """The chat's built-in modules have words of their own; tag names and the like in lists are counted, too."""
    files = [file for file in PACKAGE.rglob("*") if "bb3" not in file.parts and file.name not in SEARCH_AND_MARKS]
    data = sum(in_data(file) for file in files if file.suffix in (".toml", ".json", ".txt"))
    code = sum(in_code(file.read_text(encoding="utf-8")) for file in files if file.suffix == ".py")
    assert data + code <= 1_300


def test_a_pattern_of_english_and_a_list_of_words_would_be_counted() -> None:
    assert in_code('re.compile(r"(?:total|sum|amount) of")') == 3
    assert in_code('WORDS = {"how", "many", "much", "often", "long"}') == 5
    assert in_code('NAMES = ("A", "B", "C", "D", "E")') == 0
