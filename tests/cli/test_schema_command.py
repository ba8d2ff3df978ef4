"""The output of each command with `--json` is valid under its JSON Schema, and the schemas only grow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from commands import command
from jsonschema import Draft202012Validator

from investigator.reports.schemas import Printed, json_schema

FIELDS = Path(__file__).with_name("json_fields.txt")
QUESTION = "What is the deposit?"
READING = (
    '{"readings": [{"document": "lease.txt", "verdict": "answers", "point": 90, '
    '"quotes": [{"quote": "The deposit is EUR 7,125."}], "reply": "EUR 7,125."}]}'
)


def lines_of(text: str) -> list[dict[str, Any]]:
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Printed, dict[str, Any]]:
    """Return a result of each kind, as printed by the commands."""
    at = tmp_path_factory.mktemp("schemas")
    docs, kept = at / "docs", ("--workspace", str(at / "workspace"))
    docs.mkdir()
    (docs / "lease.txt").write_text("The deposit is EUR 7,125.\nThe rent is EUR 2,375 a month.\n", encoding="utf-8")
    (docs / "note.md").write_text("The board met on 3 May 2024.\n", encoding="utf-8")
    (docs / "old.tmp").write_text("left out", encoding="utf-8")
    (docs / ".investigatorignore").write_text("*.tmp\n", encoding="utf-8")
    questions = at / "questions.jsonl"
    rows = [{"id": f"q{n}", "question": QUESTION, "answers": ["EUR 7,125"], "doc_ids": ["lease.txt"]} for n in range(9)]
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (at / "claims.jsonl").write_text(
        '{"id": "1", "statement": "The deposit is EUR 9.", "evidence": [{"quote": "It is EUR 7."}], "true": false}\n',
        encoding="utf-8",
    )
    (at / "corpus.jsonl").write_text('{"_id": "d1", "title": "Lease", "text": "The deposit."}\n', encoding="utf-8")
    (at / "queries.jsonl").write_text('{"_id": "q1", "text": "deposit"}\n', encoding="utf-8")
    (at / "qrels").mkdir()
    (at / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n", encoding="utf-8")
    (at / "replies.json").write_text(json.dumps({"query/ask": READING}), encoding="utf-8")
    (at / "schema.json").write_text('{"properties": {"deposit": {"type": "number", "unit": "EUR"}}}', encoding="utf-8")
    measured = ("--questions", questions, "--limit", 1)
    commands: tuple[tuple[object, ...], ...] = (
        ("index", docs, "--dry-run", *kept),
        ("index", docs, *kept),
        ("search", docs, "deposit", "--limit", 1, *kept),
        ("search", docs, "deposit", "--mentions", *kept),
        ("ask", docs, QUESTION, *kept),
        ("ask", docs, QUESTION, "--dry-run", *kept),
        ("ask", docs, "--questions", questions, *kept),
        ("matrix", docs, "--questions", questions, *kept),
        ("matrix", docs, "--schema", at / "schema.json", *kept),
        ("watch", docs, "--questions", questions, "--once", *kept),
        ("show", docs, *kept),
        ("settings", "chat"),
        ("verify", "--run", "last", "--docs", docs, *kept),
        ("eval", docs, *measured, *kept),
        ("eval", "--claims", at / "claims.jsonl"),
        ("eval", "--retrieval", at),
        ("dialogue", "tasks", "folder", "--datafile", questions, "--folder", docs, "--agent", "repeat_label"),
        ("dialogue", "tasks", f"folder:datafile={questions}:folder={docs}", "--num", 1),
        ("dialogue", "tasks"),
        ("dialogue", "memory", docs, "add", "I have a dog.", *kept),
        ("doctor",),
        ("model", "list"),
        ("prompts", "show"),
        ("prompts", "show", "query/ask"),
        ("prompts", "show", "query/ask", docs, QUESTION, *kept, "--model", f"scripted:{at / 'replies.json'}"),
        ("compare", "default", "research.rounds=1", "--docs", docs, *measured, *kept),
    )
    records: dict[Printed, dict[str, Any]] = {}
    for words in commands:
        done = command(*words, "--json")
        assert done.stdout, (words, done.stderr)
        for line in lines_of(done.stdout):
            kind = next(kind for kind in Printed if kind.schema == line["schema"])
            records[kind] = line
        if words[0] == "ask" and words[-1] == kept[-1] and len(words) == 5:
            (at / "answer.json").write_text(done.stdout, encoding="utf-8")
            checked = command("verify", at / "answer.json", "--docs", docs, "--json")
            records[Printed.VERIFICATION] = json.loads(checked.stdout)
    return records


@pytest.mark.parametrize("kind", [kind for kind in Printed if kind not in (Printed.TUNING, Printed.PAGE_CHECK)])
def test_what_a_command_prints_is_what_its_schema_says(kind: Printed, results: Mapping[Printed, Any]) -> None:
    schema = json_schema(kind)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(results[kind])
    assert not Draft202012Validator(schema).is_valid({**results[kind], "schema": "investigator/other/1"})


def fields_of(kind: Printed) -> Iterator[str]:
    """Return a line for each record in the schema of a kind: its name and its fields."""
    schema = json_schema(kind)
    for name, made in {kind.schema: schema, **schema.get("$defs", {})}.items():
        if fields := made.get("properties"):
            yield " ".join([name, *fields])


def test_no_field_is_taken_from_a_schema_without_a_new_version() -> None:
    """After an intended change, raise the version in `schemas.py` and replace the line of the record in the file."""
    today = {name: set(fields) for kind in Printed for name, *fields in map(str.split, fields_of(kind))}
    for name, *fields in map(str.split, FIELDS.read_text(encoding="utf-8").splitlines()):
        assert set(fields) <= today.get(name, set()), name
