"""Records and files of this program that somebody else wrote or damaged are read, or rejected with one of our errors.
`make fuzz` runs the same tests for longer; INVESTIGATOR_FUZZ is the number of examples.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from investigator import records
from investigator.bb3.search.client import SearchServer
from investigator.engines.base import traits_of
from investigator.engines.http import Retries
from investigator.engines.recorded import RecordedEngine
from investigator.errors import InvestigatorError
from investigator.records import Record
from investigator.settings import load_settings

FUZZ = settings(
    max_examples=int(os.environ.get("INVESTIGATOR_FUZZ", "25")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
NAMES = ("id", "text", "start", "point", "status", "quotes", "kind", "chat", "api_key", "response")
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    ),
    max_leaves=8,
)


def damaged(content: bytes, place: float, words: bytes) -> bytes:
    at = int(place * len(content))
    return content[:at] + words + content[at + len(words) // 2 :]


PLACE, WORDS = (
    st.floats(0, 1),
    st.one_of(st.binary(max_size=6), st.sampled_from([b"[" * 5000, b"9" * 5000, b"\xff", b"\n"])),
)
PUBLIC = [getattr(records, name) for name in records.__all__]
WIRE = [kind for kind in PUBLIC if isinstance(kind, type) and issubclass(kind, Record)]


@FUZZ
@given(value=JSON, place=PLACE, words=WORDS)
def test_a_wire_form_is_a_record_or_refused_by_name(value: object, place: float, words: bytes) -> None:
    """Validation errors are caught wherever records are read, and validation raises nothing else."""
    wire = json.dumps(value).encode()
    for kind in WIRE:
        for data in (wire, damaged(wire, place, words)):
            with suppress(ValidationError):
                assert isinstance(kind.model_validate_json(data), kind)


@FUZZ
@given(value=JSON, place=PLACE, words=WORDS)
def test_files_of_ours_that_others_wrote_are_refused_with_a_hint(
    value: object, place: float, words: bytes, tmp_path: Path
) -> None:
    recording = b'{"engine":"scripted"}\n{"key":"k","template":"t","reply":{"text":"x"}}\n'
    (tmp_path / "replies.jsonl").write_bytes(damaged(recording, place, words) + json.dumps(value).encode() + b"\n")
    (tmp_path / "settings.json").write_bytes(damaged(json.dumps(value).encode(), place, words))
    (tmp_path / "settings.toml").write_bytes(damaged(b'mission = "x"\n[chat]\ntimeout = 3\n', place, words))
    for read in (
        lambda: traits_of(RecordedEngine(tmp_path / "replies.jsonl")),
        lambda: load_settings(tmp_path / "settings.json"),
        lambda: load_settings(tmp_path / "settings.toml"),
    ):
        _ours(read)


@FUZZ
@given(value=JSON, place=PLACE, words=WORDS)
def test_what_a_search_server_sends_is_pages_or_an_error_of_ours(value: object, place: float, words: bytes) -> None:
    sent = b'{"response": [{"url": "u", "title": "t", "content": "c"}], "more": ' + json.dumps(value).encode() + b"}"
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=damaged(sent, place, words)))
    server = SearchServer("http://127.0.0.1:1/", transport=transport, retries=Retries(1))
    _ours(lambda: server.pages("q", 3))


def _ours(work: Callable[[], object]) -> None:
    hint = "none is needed"
    try:
        work()
    except InvestigatorError as error:
        hint = error.hint
    assert hint
