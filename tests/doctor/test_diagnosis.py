"""The findings of a diagnosis, with the bundled embedder and a real server on loopback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openai_server import Body, OpenAIServer, Response, completion, json_response, refusal

from investigator.bb3.records import PhraseReply
from investigator.doctor.command import diagnosis_text
from investigator.doctor.diagnosis import diagnose, timed
from investigator.doctor.findings import Diagnosis, RoleFinding, RoleState, StructuredOutput
from investigator.engines.base import Embedder, Vectors
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import DEFAULT_MODEL, SentenceTransformerEmbedder
from investigator.engines.embedding.verifiers import CrossEncoderEngine
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.records import AnswerReply, CheckReply, PlanReply, ProposedStep, ReflectReply
from investigator.settings import load_settings

REPLIES = {
    type(reply).__name__: reply.model_dump_json()
    for reply in (
        PlanReply(parts=("How high?",), steps=(ProposedStep(document_id="lease.txt", purpose="How high?"),)),
        ReflectReply(known=("the rent",)),
        AnswerReply.model_validate(
            {
                "lead": {"text": "It is EUR 4,800.", "evidence": ["E1"]},
                "parts": [{"part": 1, "status": "answered"}],
            }
        ),
        CheckReply.model_validate({"statements": [{"number": 1, "support": "supported"}], "answers": "yes"}),
        PhraseReply(text="rent of the boathouse"),
    )
}
PLAN = REPLIES["PlanReply"]


def reading(document: str, verdict: str, point: int, *quotes: str) -> dict[str, object]:
    return {"document": document, "verdict": verdict, "point": point, "quotes": quotes, "reply": "r"}


FOUND = {"readings": [reading("lease.txt", "answers", 95, "EUR 4,800"), reading("lighthouse.txt", "not_stated", 0)]}


@pytest.fixture(scope="module")
def embedder() -> CachedEmbedder:
    """The real embedder, which embeds the examples once for all tests."""
    return CachedEmbedder(SentenceTransformerEmbedder())


@pytest.fixture
def announced() -> list[str]:
    """What is said before each call."""
    return []


def good_model(body: Body) -> Response:
    """An engine that answers every example correctly, in the requested form."""
    form = str(body["response_format"])
    return completion(next((reply for name, reply in REPLIES.items() if name in form), json.dumps(FOUND)))


Tried = Callable[..., Diagnosis]


@pytest.fixture
def tried(embedder: CachedEmbedder, openai_server: OpenAIServer, announced: list[str]) -> Tried:
    """Diagnose models, with a server that gives these answers."""

    def tried(
        *model: str,
        answers: Response | Callable[[Body], Response] = good_model,
        changes: Sequence[str] = (),
        embedder: Embedder = embedder,
    ) -> Diagnosis:
        openai_server.answer(answers)
        settings = load_settings(overrides=[f"chat.base_url={openai_server.url}", *changes])
        return diagnose(model, settings=settings, embedder=embedder, grade=False, on_call=announced.append)

    return tried


def states(diagnosis: Diagnosis) -> dict[str, RoleState]:
    return {finding.role.value: finding.state for finding in diagnosis.roles}


def finding_of(diagnosis: Diagnosis, role: Role) -> RoleFinding:
    return next(finding for finding in diagnosis.roles if finding.role is role)


def test_a_model_that_works_is_asked_once_for_each_role_and_its_cost_is_that_of_the_prices_that_are_set(
    openai_server: OpenAIServer, tried: Tried, announced: list[str], tmp_path: Path
) -> None:
    table = tmp_path / "prices.json"
    price = {"model": "openai:m", "input": 1000, "output": 2000}
    table.write_text(json.dumps({"as_of": "2026-01-31", "prices": [price]}), encoding="utf-8")
    diagnosis = tried("openai:m", changes=[f"budget.prices={table}"])
    assert states(diagnosis) == dict.fromkeys(Role, RoleState.WORKS)
    assert diagnosis.works
    assert len(openai_server.requests) == len(announced) == 6
    assert sum(finding.input_tokens for finding in diagnosis.roles) == 6 * 11
    assert sum(finding.output_tokens for finding in diagnosis.roles) == 6 * 7
    assert diagnosis.money == pytest.approx(6 * (11 * 1000 + 7 * 2000) / 1_000_000)
    (engine,) = diagnosis.engines
    assert engine.structured_output is StructuredOutput.WORKS
    assert engine.endpoint == openai_server.url.removesuffix("/v1")
    assert engine.leaves_machine is False  # it is on loopback


def test_each_role_is_tried_at_its_own_model(openai_server: OpenAIServer, tried: Tried) -> None:
    diagnosis = tried("answer=openai:m")
    assert diagnosis.works
    assert [body["model"] for body in openai_server.bodies] == ["m"]
    engines = {finding.role.value: finding.engine.partition(":")[0] for finding in diagnosis.roles}
    assert engines == {**dict.fromkeys(Role, "extractive"), "answer": "openai"}


def test_what_would_leave_the_machine_is_said_of_each_role(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is opened but not called, because its proxy refuses every connection."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    diagnosis = tried("openai:m", "reflect=extractive", changes=["chat.base_url=http://models.example:8000/v1"])
    shown = diagnosis_text(diagnosis).plain
    engine = next(engine for engine in diagnosis.engines if engine.name.startswith("openai"))
    assert (engine.endpoint, engine.leaves_machine) == ("http://models.example:8000", True)
    assert "at http://models.example:8000\n" in shown
    assert "ask sends          questions, and passages of the documents\n" in shown
    assert "reflect sends" not in shown
    assert diagnosis.money == 0  # no call was answered


SWAPPED = [reading("lighthouse.txt", "answers", 95, "The lighthouse"), reading("lease.txt", "in_part", 0)]
MADE_UP = [reading("lease.txt", "answers", 95, "EUR 9,999")]
UNFOUNDED = {"text": "It is 4,800.", "evidence": ["E7"]}


@pytest.mark.parametrize(
    ("role", "reply", "doubt"),
    [
        (Role.PLAN, {"steps": [{"document_id": "b.txt", "purpose": "p"}]}, "its plan leaves out the only document"),
        (Role.ASK, {"readings": SWAPPED}, "it gives 0 points to a passage with the answer, and 95 to one without it"),
        (Role.ASK, {"readings": []}, "it gives 0 points to a passage with the answer, and 0 to one without it"),
        (Role.ASK, {"readings": MADE_UP}, "its quotes are not in the passage"),
        (Role.ANSWER, {"lead": UNFOUNDED}, "its answer is not based on the given evidence"),
        (Role.CHECK, {"statements": []}, "it checks no statement"),
        (Role.CHAT, {"text": ""}, "it does not know what to search for"),
    ],
)
def test_a_reply_that_is_not_sensible_is_doubtful_and_its_reason_is_told(
    tried: Tried, role: Role, reply: dict[str, object], doubt: str
) -> None:
    diagnosis = tried(f"{role}=openai:m", answers=completion(json.dumps(reply)))
    finding = finding_of(diagnosis, role)
    assert diagnosis.works
    assert (finding.state, finding.remark) == (RoleState.DOUBTFUL, doubt)
    assert finding.hint


def test_a_reply_that_cannot_be_read_fails_its_role_and_no_other(tried: Tried) -> None:
    def weak(body: Body) -> Response:
        return completion("Nice weather.") if "PlanReply" in str(body["response_format"]) else good_model(body)

    diagnosis = tried("openai:m", answers=weak)
    assert not diagnosis.works
    assert states(diagnosis) == {**dict.fromkeys(Role, RoleState.WORKS), "plan": RoleState.FAILED}
    assert "--model plan=extractive" in finding_of(diagnosis, Role.PLAN).hint


def form_of(body: Body) -> object:
    wanted = body.get("response_format")
    return wanted.get("type") if isinstance(wanted, dict) else "tool" if "tools" in body else None


@pytest.mark.parametrize(
    ("taken", "text", "expected"),
    [
        ("json_schema", PLAN, StructuredOutput.WORKS),
        ("json_schema", f"Here you are: {PLAN}", StructuredOutput.IGNORED),
        ("tool", PLAN, StructuredOutput.TOOL_CALL),
        (None, PLAN, StructuredOutput.REFUSED),
    ],
)
def test_structured_output_is_what_the_server_takes(
    tried: Tried, taken: str | None, text: str, expected: StructuredOutput
) -> None:
    refused = refusal(400, "response_format and tools are not supported")
    diagnosis = tried("plan=openai:m", answers=lambda body: completion(text) if form_of(body) == taken else refused)
    assert finding_of(diagnosis, Role.PLAN).state is RoleState.WORKS
    assert [engine.structured_output for engine in diagnosis.engines if engine.is_model] == [expected]


def test_a_server_that_is_down_is_asked_once_and_told_once_for_all_roles(tried: Tried, announced: list[str]) -> None:
    diagnosis = tried("openai:m", changes=["chat.base_url=http://127.0.0.1:9/v1"])
    shown = diagnosis_text(diagnosis).plain
    assert len(announced) == 1
    assert set(states(diagnosis).values()) == {RoleState.FAILED}
    assert shown.count("cannot be reached") == 1
    assert "plan, ask, reflect, answer, check, chat: failed" in shown
    assert "hint: Start the model server" in shown


@pytest.mark.parametrize(
    ("model", "remark", "hint"),
    [
        ("gguf:absent.gguf", "absent.gguf cannot be read", "Choose a model file"),
        ("nonsense", "does not name a model", "provider:name"),
        ("openai:m", "openai:m needs a key", "OPENAI_API_KEY"),
        ("nobody:m", "unknown model provider 'nobody'", "provider:name"),
        ("recorded:absent.jsonl", "absent.jsonl", ""),
    ],
)
def test_an_engine_that_cannot_be_opened_fails_with_a_hint_and_the_others_are_tried(
    embedder: CachedEmbedder, model: str, remark: str, hint: str
) -> None:
    diagnosis = diagnose(f"reflect={model}", embedder=embedder, grade=False)
    finding = finding_of(diagnosis, Role.REFLECT)
    assert finding.state is RoleState.FAILED
    assert remark in finding.remark
    assert hint in finding.hint != ""
    assert finding_of(diagnosis, Role.ASK).state is RoleState.WORKS


def test_what_a_server_says_is_told_but_neither_keys_nor_control_characters(
    tried: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    unknown = tried("ask=openai:m", answers=refusal(404, "The model m does not exist"))
    refused = tried("ask=openai:m", answers=refusal(401, "Incorrect API key provided: sk-very-secret"))
    hostile = tried("ask=openai:m", answers=json_response({"error": {"message": "\x1b[2J gone\u202e"}}, 400))
    assert "The model m does not exist" in finding_of(unknown, Role.ASK).remark
    assert "rejected the key" in finding_of(refused, Role.ASK).remark
    assert "OPENAI_API_KEY" in finding_of(refused, Role.ASK).hint
    for diagnosis in (unknown, refused):
        assert "very-secret" not in diagnosis.model_dump_json() + diagnosis_text(diagnosis).plain
    shown = diagnosis_text(hostile).plain
    assert "gone" in shown
    assert not {"\x1b", "\u202e"} & set(shown)


def test_a_recording_is_not_asked(tried: Tried, tmp_path: Path) -> None:
    recording = tmp_path / "kept.jsonl"
    recording.write_text('{"engine": "openai:m", "version": 1}\n', encoding="utf-8")
    diagnosis = tried(f"ask=recorded:{recording}")
    assert diagnosis.works
    assert finding_of(diagnosis, Role.ASK).state is RoleState.NOT_ASKED


def test_variables_are_named_and_their_values_are_not_kept(embedder: CachedEmbedder) -> None:
    variables = {
        "https_proxy": "http://user:hidden@proxy.example:3128",
        "OPENAI_BASE_URL": "http://hidden.example/v1",
        "ANTHROPIC_API_KEY": "hidden",
        "INVESTIGATOR_CHAT__API_KEY": "hidden",
        "ALL_PROXY": "",
        "HOME": "/home/hidden",
    }
    here = diagnose(embedder=embedder, variables=variables).environment
    assert here.variables == ("ANTHROPIC_API_KEY", "INVESTIGATOR_CHAT__API_KEY", "OPENAI_BASE_URL", "https_proxy")
    assert "hidden" not in here.model_dump_json()


class BrokenEmbedder:
    """An embedder whose weights are not the known ones."""

    name = f"{DEFAULT_MODEL}@00000000"

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise EngineError("the weights are not the known ones", hint="Install them again.")


def test_an_embedder_that_does_not_work_is_told_though_no_engine_needs_it(tried: Tried) -> None:
    diagnosis = tried("openai:m", embedder=BrokenEmbedder())
    assert set(states(diagnosis).values()) == {RoleState.WORKS}
    assert not diagnosis.works
    assert not diagnosis.environment.weights_checked
    shown = diagnosis_text(diagnosis).plain
    assert "failed: the weights are not the known ones" in shown
    assert "Install them again." in shown


def test_a_gguf_file_is_tried_in_this_process(tried: Tried) -> None:
    model = os.environ.get("TEST_GGUF")
    if not model:
        pytest.skip("TEST_GGUF does not name a GGUF file")
    pytest.importorskip("xllamacpp")
    diagnosis = tried(f"plan=gguf:{model}", changes=["chat.max_tokens=96"])
    (engine,) = [engine for engine in diagnosis.engines if engine.is_model]
    assert (engine.leaves_machine, engine.structured_output) == (False, StructuredOutput.WORKS)
    assert engine.context_tokens
    assert finding_of(diagnosis, Role.PLAN).state in (RoleState.WORKS, RoleState.DOUBTFUL)


def test_a_verifier_is_timed_once_it_is_loaded_or_its_failure_is_a_finding(tried: Tried, tmp_path: Path) -> None:
    calls: list[str] = []

    def scores(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        calls.append(model)
        return [0.9 for _ in pairs]

    finding = timed(CrossEncoderEngine("slow", 0.5, scores), iter((1.0, 1.25)).__next__)
    assert (finding.seconds, calls) == (0.25, ["slow", "slow"])
    broken = tried(changes=[f"check.model={tmp_path / 'none'}"])
    assert broken.verifier is not None
    assert (broken.verifier.seconds, broken.works) == (None, False)
    assert "verifier\n" in diagnosis_text(broken).plain
    assert "failed: the model" in diagnosis_text(broken).plain
    assert tried().verifier is None
