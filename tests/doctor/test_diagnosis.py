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
from investigator.engines.base import Vectors
from investigator.engines.embedding.cached import CachedEmbedder
from investigator.engines.embedding.embedders import DEFAULT_MODEL, SentenceTransformerEmbedder
from investigator.engines.embedding.verifiers import CrossEncoderEngine
from investigator.engines.roles import Role
from investigator.errors import EngineError
from investigator.records import AnswerReply, CheckReply, PlanReply, ProposedStep, ReflectReply
from investigator.settings import Settings, load_settings

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
def settings(openai_server: OpenAIServer) -> Settings:
    return load_settings(overrides=[f"chat.base_url={openai_server.url}"])


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def diagnosis_of(embedder: CachedEmbedder, settings: Settings, told: list[str]) -> Callable[..., Diagnosis]:
    def diagnosis(*model: str, settings: Settings = settings) -> Diagnosis:
        return diagnose(model, settings=settings, embedder=embedder, grade=False, on_call=told.append)

    return diagnosis


def states(findings: Sequence[RoleFinding]) -> dict[str, RoleState]:
    return {finding.role.value: finding.state for finding in findings}


def finding_of(diagnosis: Diagnosis, role: Role) -> RoleFinding:
    return next(finding for finding in diagnosis.roles if finding.role is role)


def good_model(body: Body) -> Response:
    """An engine that answers every example correctly, in the requested form."""
    asked = str(body["response_format"])
    return completion(next((reply for form, reply in REPLIES.items() if form in asked), json.dumps(FOUND)))


def test_a_model_that_works_is_asked_once_for_each_role(
    openai_server: OpenAIServer, diagnosis_of: Callable[..., Diagnosis], told: list[str]
) -> None:
    openai_server.answer(good_model)

    diagnosis = diagnosis_of("openai:m")

    assert states(diagnosis.roles) == dict.fromkeys(Role, RoleState.WORKS)
    assert diagnosis.works
    assert len(openai_server.requests) == len(told) == 6
    assert sum(finding.input_tokens for finding in diagnosis.roles) == 6 * 11
    assert sum(finding.output_tokens for finding in diagnosis.roles) == 6 * 7
    (engine,) = diagnosis.engines
    assert engine.structured_output is StructuredOutput.WORKS
    assert engine.endpoint == openai_server.url.removesuffix("/v1")
    assert engine.leaves_machine is False  # it is on loopback


def test_each_role_is_tried_at_its_own_model(
    openai_server: OpenAIServer, diagnosis_of: Callable[..., Diagnosis]
) -> None:
    openai_server.answer(good_model)

    diagnosis = diagnosis_of("answer=openai:m")

    assert diagnosis.works
    assert [body["model"] for body in openai_server.bodies] == ["m"]
    engines = {finding.role.value: finding.engine.partition(":")[0] for finding in diagnosis.roles}
    assert engines == {**dict.fromkeys(Role, "extractive"), "answer": "openai"}


def test_the_cost_is_that_of_the_prices_that_are_set(
    openai_server: OpenAIServer, diagnosis_of: Callable[..., Diagnosis], tmp_path: Path
) -> None:
    openai_server.answer(good_model)
    table = tmp_path / "prices.json"
    price = {"model": "openai:m", "input": 1000, "output": 2000}
    table.write_text(json.dumps({"as_of": "2026-01-31", "prices": [price]}), encoding="utf-8")
    overrides = [f"chat.base_url={openai_server.url}", f"budget.prices={table}"]

    diagnosis = diagnosis_of("openai:m", settings=load_settings(overrides=overrides))

    assert diagnosis.money == pytest.approx(6 * (11 * 1000 + 7 * 2000) / 1_000_000)


def test_what_would_leave_the_machine_is_said_of_each_role(
    openai_server: OpenAIServer, diagnosis_of: Callable[..., Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine is opened but not called, because its proxy refuses every connection."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    there = load_settings(overrides=["chat.base_url=http://models.example:8000/v1"])

    diagnosis = diagnosis_of("openai:m", "reflect=extractive", settings=there)
    shown = diagnosis_text(diagnosis).plain

    engine = next(engine for engine in diagnosis.engines if engine.name.startswith("openai"))
    assert (engine.endpoint, engine.leaves_machine) == ("http://models.example:8000", True)
    assert "at http://models.example:8000\n" in shown
    assert "ask sends          questions, and passages of the documents\n" in shown
    assert "reflect sends" not in shown
    assert diagnosis.money == 0  # no call was answered


WRONG_PASSAGE = [reading("lighthouse.txt", "answers", 95, "The lighthouse"), reading("lease.txt", "in_part", 0)]


@pytest.mark.parametrize(
    ("role", "reply", "doubt"),
    [
        (Role.PLAN, {"steps": [{"document_id": "b.txt", "purpose": "p"}]}, "its plan leaves out the only document"),
        (
            Role.ASK,
            {"readings": WRONG_PASSAGE},
            "it gives 0 points to a passage with the answer, and 95 to one without it",
        ),
        (Role.ASK, {"readings": []}, "it gives 0 points to a passage with the answer, and 0 to one without it"),
        (
            Role.ASK,
            {"readings": [reading("lease.txt", "answers", 95, "EUR 9,999")]},
            "its quotes are not in the passage",
        ),
        (
            Role.ANSWER,
            {"lead": {"text": "It is 4,800.", "evidence": ["E7"]}},
            "its answer is not based on the given evidence",
        ),
        (Role.CHECK, {"statements": []}, "it checks no statement"),
        (Role.CHAT, {"text": ""}, "it does not know what to search for"),
    ],
)
def test_a_reply_that_is_not_sensible_is_doubtful_and_its_reason_is_told(
    openai_server: OpenAIServer,
    diagnosis_of: Callable[..., Diagnosis],
    role: Role,
    reply: dict[str, object],
    doubt: str,
) -> None:
    openai_server.answer(completion(json.dumps(reply)))

    diagnosis = diagnosis_of(f"{role}=openai:m")

    finding = finding_of(diagnosis, role)
    assert diagnosis.works
    assert (finding.state, finding.remark) == (RoleState.DOUBTFUL, doubt)
    assert finding.hint


def test_a_reply_that_cannot_be_read_fails_its_role_and_no_other(
    openai_server: OpenAIServer, diagnosis_of: Callable[..., Diagnosis]
) -> None:
    def weak(body: Body) -> Response:
        return completion("Nice weather.") if "PlanReply" in str(body["response_format"]) else good_model(body)

    openai_server.answer(weak)

    diagnosis = diagnosis_of("openai:m")

    assert not diagnosis.works
    assert states(diagnosis.roles) == {**dict.fromkeys(Role, RoleState.WORKS), "plan": RoleState.FAILED}
    assert "--model plan=extractive" in finding_of(diagnosis, Role.PLAN).hint


def form_of(body: Body) -> object:
    wanted = body.get("response_format")
    return wanted.get("type") if isinstance(wanted, dict) else "tool" if "tools" in body else None


@pytest.mark.parametrize(
    ("taken", "text", "expected"),
    [
        ({"json_schema"}, PLAN, StructuredOutput.WORKS),
        ({"json_schema"}, f"Here you are: {PLAN}", StructuredOutput.IGNORED),
        ({"tool"}, PLAN, StructuredOutput.TOOL_CALL),
        ({None}, PLAN, StructuredOutput.REFUSED),
    ],
)
def test_structured_output_is_what_the_server_takes(
    openai_server: OpenAIServer,
    diagnosis_of: Callable[..., Diagnosis],
    taken: set[object],
    text: str,
    expected: StructuredOutput,
) -> None:
    openai_server.answer(
        lambda body: (
            completion(text) if form_of(body) in taken else refusal(400, "response_format and tools are not supported")
        )
    )

    diagnosis = diagnosis_of("plan=openai:m")

    assert finding_of(diagnosis, Role.PLAN).state is RoleState.WORKS
    assert [engine.structured_output for engine in diagnosis.engines if engine.is_model] == [expected]


def test_a_server_that_is_down_is_asked_once_and_told_once_for_all_roles(
    diagnosis_of: Callable[..., Diagnosis], told: list[str]
) -> None:
    diagnosis = diagnosis_of("openai:m", settings=load_settings(overrides=["chat.base_url=http://127.0.0.1:9/v1"]))
    shown = diagnosis_text(diagnosis).plain

    assert len(told) == 1
    assert set(states(diagnosis.roles).values()) == {RoleState.FAILED}
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
    diagnosis_of: Callable[..., Diagnosis], model: str, remark: str, hint: str
) -> None:
    diagnosis = diagnosis_of(f"reflect={model}", settings=load_settings())

    finding = finding_of(diagnosis, Role.REFLECT)
    assert finding.state is RoleState.FAILED
    assert remark in finding.remark
    assert hint in finding.hint != ""
    assert finding_of(diagnosis, Role.ASK).state is RoleState.WORKS


def test_what_a_server_says_is_told_but_neither_keys_nor_control_characters(
    openai_server: OpenAIServer, diagnosis_of: Callable[..., Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    openai_server.answer(
        refusal(404, "The model m does not exist"),
        refusal(401, "Incorrect API key provided: sk-very-secret"),
        json_response({"error": {"message": "\x1b[2J gone\u202e"}}, 400),
    )

    unknown, refused, hostile = (diagnosis_of("ask=openai:m") for _ in range(3))

    assert "The model m does not exist" in finding_of(unknown, Role.ASK).remark
    assert "rejected the key" in finding_of(refused, Role.ASK).remark
    assert "OPENAI_API_KEY" in finding_of(refused, Role.ASK).hint
    for diagnosis in (unknown, refused):
        assert "very-secret" not in diagnosis.model_dump_json() + diagnosis_text(diagnosis).plain
    shown = diagnosis_text(hostile).plain
    assert "gone" in shown
    assert not {"\x1b", "\u202e"} & set(shown)


def test_a_recording_is_not_asked(diagnosis_of: Callable[..., Diagnosis], tmp_path: Path) -> None:
    recording = tmp_path / "kept.jsonl"
    recording.write_text('{"engine": "openai:m", "version": 1}\n', encoding="utf-8")

    diagnosis = diagnosis_of(f"ask=recorded:{recording}")

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


def test_an_embedder_that_does_not_work_is_told_though_no_engine_needs_it(
    openai_server: OpenAIServer, settings: Settings
) -> None:
    openai_server.answer(good_model)

    diagnosis = diagnose("openai:m", settings=settings, embedder=BrokenEmbedder(), grade=False)

    assert set(states(diagnosis.roles).values()) == {RoleState.WORKS}
    assert not diagnosis.works
    assert not diagnosis.environment.weights_checked
    shown = diagnosis_text(diagnosis).plain
    assert "failed: the weights are not the known ones" in shown
    assert "Install them again." in shown


def test_a_gguf_file_is_tried_in_this_process(diagnosis_of: Callable[..., Diagnosis]) -> None:
    model = os.environ.get("INVESTIGATOR_TEST_GGUF")
    if not model:
        pytest.skip("INVESTIGATOR_TEST_GGUF does not name a GGUF file")
    pytest.importorskip("xllamacpp")

    diagnosis = diagnosis_of(f"plan=gguf:{model}", settings=load_settings(overrides=["gguf.max_tokens=96"]))

    (engine,) = [engine for engine in diagnosis.engines if engine.is_model]
    assert (engine.leaves_machine, engine.structured_output) == (False, StructuredOutput.WORKS)
    assert engine.context_tokens
    assert finding_of(diagnosis, Role.PLAN).state in (RoleState.WORKS, RoleState.DOUBTFUL)


def test_a_verifier_that_fails_is_a_finding(diagnosis_of: Callable[..., Diagnosis], tmp_path: Path) -> None:
    found = diagnosis_of(settings=load_settings(overrides=[f"check.model={tmp_path / 'none'}"]))
    assert found.verifier is not None
    assert found.verifier.seconds is None
    assert not found.works
    assert "verifier\n" in diagnosis_text(found).plain
    assert "failed: the model" in diagnosis_text(found).plain
    assert diagnosis_of().verifier is None


def test_a_verifier_is_timed_once_it_is_loaded() -> None:
    calls: list[str] = []

    def scores(model: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        calls.append(model)
        return [0.9 for _ in pairs]

    finding = timed(CrossEncoderEngine("slow", 0.5, scores), iter((1.0, 1.25)).__next__)
    assert (finding.seconds, calls) == (0.25, ["slow", "slow"])
