"""If a server echoes the key in any form, it appears in nothing that is shown, stored or sent."""

from __future__ import annotations

import base64
import json
import os
import stat
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from forked import Ended, ForkServer
from openai_server import Body, OpenAIServer, Response, completion, refusal, streamed
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from investigator import Investigator, ScriptedEmbedder, load_settings, secrets
from investigator.bb3.chats import open_chat, talk_with
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.models import ChatSettings
from investigator.engines.recorded import RecordedEngine
from investigator.errors import InvestigatorError, SettingsError
from investigator.records import PlanReply, Prompt, RepairVariables, Reply
from investigator.secrets import redacted, redacted_so_far, register, without_secrets
from investigator.tracing.base import WatchedCall
from investigator.tracing.spans import SpanTracer

KEY = "sk-Canary/7f+3Qz_91bXyTt-0042"
QUESTION = "How much power does the plant make?"
FORMS = {
    "as it is": KEY,
    "in lower case": KEY.lower(),
    "in a URL": quote(KEY, safe=""),
    "twice in a URL": quote(quote(KEY, safe=""), safe=""),
    "in JSON": json.dumps(KEY.replace("-", "\\u002d")),
    "in Base64": base64.b64encode(KEY.encode()).decode(),
    "in a header in Base64": base64.urlsafe_b64encode(f"user:{KEY}".encode()).decode(),
    "over two lines": f"{KEY[:9]}\n  {KEY[9:]}",
    "with a line end in a URL": f"{KEY[:9]}%0d%0a{KEY[9:]}",
}


def cores() -> list[str]:
    """Return the texts that must not be found anywhere: long parts of each form."""
    parts = [KEY[8:22], KEY[8:22].lower(), quote(KEY, safe="")[10:24], quote(KEY[8:24], safe="")]
    return parts + [base64.b64encode(("x" * by + KEY).encode()).decode()[8:24] for by in range(3)]


def leaks(text: str) -> list[str]:
    return [core for core in cores() if core in text]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_secret_is_redacted(form: str) -> None:
    assert leaks(FORMS[form].replace("\n  ", "").replace("%0d%0a", "").replace("%25", "%").replace("\\\\u002d", "-"))
    register(KEY)
    reply = redacted(f"the key {FORMS[form]} is wrong")
    assert reply.startswith("the key ")
    assert reply.endswith(" is wrong")
    assert secrets.REDACTED in reply
    assert not leaks(reply)


def test_a_secret_that_is_cut_off_is_redacted_and_one_on_its_way_is_held_back() -> None:
    register(KEY)
    assert redacted(f"the key {KEY[:-3]}") == "the key ***"
    shown = [redacted_so_far(f"key {KEY} said"[:length]) for length in range(len(KEY) + 10)]
    assert all("sk" not in each for each in shown)
    assert shown[-1] == "key *** "


def test_short_secrets_and_placeholders_stay_words() -> None:
    for word in ("seven", "not-needed", "1234567"):
        register(word)
    assert redacted("seven is not-needed 1234567") == "seven is not-needed 1234567"


def test_an_address_gives_away_neither_its_password_nor_its_key() -> None:
    secrets.register_address("https://anna:correct-horse@host/v1?api_key=battery-staple&q=ordinary-words")
    assert redacted("correct-horse battery-staple ordinary-words anna") == "*** *** ordinary-words anna"


def test_an_error_that_shows_a_secret_is_not_kept_as_a_cause() -> None:
    register(KEY)
    plain, showing = ValueError("no key"), ValueError(f"bad key {KEY}")
    assert without_secrets(plain) is plain
    outer = ValueError("outer")
    outer.__cause__ = showing
    for error in (showing, outer):
        assert not leaks("".join(traceback.format_exception(without_secrets(error))))


PROMPT = Prompt("asking/repair", RepairVariables(prompt="p", reply="r", problem="p"), "Say the key.", PlanReply)


def refused(status: int, echo: str) -> Response:
    """An error of a server that repeats a key wherever it can."""
    there = f"https://other.example/?k={quote(echo, safe='+/=')}"
    headers = {"Location": there, "X-Echo": quote(echo), "Retry-After": "9"}
    return refusal(status, f"{'x' * 280} {echo} is wrong", headers=headers, code=echo)


@pytest.mark.parametrize(
    "response",
    [
        *(refused(status, KEY) for status in (302, 400, 401, 403, 404, 408, 418, 429, 500, 503)),
        *(refused(401, FORMS[form]) for form in ("in a URL", "in Base64", "over two lines")),
        Response(200, f"your key is {KEY}".encode(), {"Content-Type": "text/plain"}),
    ],
)
def test_no_error_of_a_server_shows_the_key(openai_server: OpenAIServer, response: Response) -> None:
    openai_server.answer(response)
    engine = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url, api_key=KEY, attempts=1))
    with pytest.raises(InvestigatorError) as caught:
        engine.reply(PROMPT)
    error = caught.value
    shown = [str(error), repr(error), error.message, error.hint, "".join(traceback.format_exception(error))]
    assert not leaks("\n".join(shown))


def test_neither_a_reply_nor_its_pieces_nor_its_recording_holds_the_key(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    echo = f"The key is {KEY}, in Base64 {FORMS['in Base64']}."
    openai_server.answer(streamed(*(echo[at : at + 5] for at in range(0, len(echo), 5))))
    engine = ChatEngine("openai:m", ChatSettings(base_url=openai_server.url, api_key=KEY))
    heard: list[str] = []
    assert not leaks(engine.reply_aloud(PROMPT, heard.append).text)
    assert not leaks("\n".join(heard))
    assert all("sk-C" not in each for each in heard)
    openai_server.answer(completion(echo))
    RecordedEngine(tmp_path / "replies.jsonl", engine).reply(PROMPT)
    recorded = (tmp_path / "replies.jsonl").read_text(encoding="utf-8")
    assert "The key is ***" in recorded
    assert not leaks(recorded)


@pytest.mark.parametrize(
    "override",
    [
        f"chat.api_key {KEY}",
        f"chat.api_key:{KEY}",
        KEY,
        f"chat.apikey={KEY}",
        f"chat.api_key.x={KEY}",
        f"api_key={KEY}",
    ],
)
def test_a_setting_that_is_mistyped_does_not_show_its_value(override: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, [override.replace("KEY", KEY)])
    assert not leaks("".join(traceback.format_exception(caught.value)) + caught.value.hint)


def _echoing(body: Body) -> Response:
    """Replies to every prompt with the key in all forms, in each field."""
    words = f"The plant makes 42 MW. {KEY} {FORMS['in Base64']} {FORMS['in a URL']}"
    statement = {"head": KEY, "text": words, "evidence": ["E1"]}
    reading = {"point": 90, "quotes": ["The plant makes 42 MW of power.", KEY], "reply": words}
    planned = {
        "parts": [words] if "You plan how" in json.dumps(body) else [{"part": 1, "status": "answered"}],
        "wordings": [KEY],
        "strategy": words,
        "steps": [{"document_id": "plant.txt", "purpose": words, "perspectives": KEY}],
        "readings": [{"document": "plant.txt", "verdict": "answers", **reading}],
    }
    written = {"lead": statement, "details": [statement], "not_stated": [statement], "search": [words]}
    checked = {"statements": [{"number": 1, "support": "in_part", "reason": words}], "answers": "yes", "reason": words}
    return completion(json.dumps({**reading, **planned, **written, **checked}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "plant.txt").write_text("The plant makes 42 MW of power.", encoding="utf-8")
    question = {"id": "1", "question": QUESTION, "answers": ["42 MW"]}
    (tmp_path / "questions.jsonl").write_text(f"{json.dumps(question)}\n")
    return made


def leaking(place: Path) -> list[Path]:
    """Return the files that contain the key; databases and vector files are searched as raw octets."""
    files = (file for file in place.rglob("*") if file.is_file())
    return [file for file in files if leaks(file.read_bytes().decode("latin-1"))]


def test_no_sink_of_the_commands_holds_the_key(openai_server: OpenAIServer, folder: Path, tmp_path: Path) -> None:
    """Use ask, eval and doctor, correctly and incorrectly, and check everything down to the rows of the database."""
    openai_server.answer(_echoing)
    model = ["--model", "openai:m", "--set", f"chat.base_url={openai_server.url}", "--set", "chat.attempts=1"]
    ask = ["ask", str(folder), f"{QUESTION} My key is {KEY}.", *model, "--workspace", str(tmp_path / "work")]
    evaluate = ["eval", str(folder), "--questions", str(tmp_path / "questions.jsonl"), *model]
    trace = ["--set", f"trace.file={tmp_path / 't.jsonl'}"]
    report = ["--json", "--report", str(tmp_path / "r.html"), *trace, "--set", "trace.prompts=true"]
    forks = ForkServer("security", "forked_command", {**os.environ, "INVESTIGATOR_DEBUG": "1"})

    def command(*words: str, key: str = KEY) -> Ended:
        return forks.run(words, tmp_path / "said", OPENAI_API_KEY=key)

    done = [
        command(*ask, *report),
        command(*evaluate, "--json"),
        command("doctor", *model),
        command("ask", str(folder), QUESTION, "--set", "chat.api_key", KEY, key=""),
    ]
    openai_server.answer(refusal(400, f"Wrong key {KEY}", headers={"X-Echo": KEY}))
    done.append(command(*ask, "--fresh", *trace))
    forks.close()
    assert [(n, leaks(each.output), leaks(each.complaints)) for n, each in enumerate(done)] == [
        (n, [], []) for n in range(len(done))
    ]
    assert openai_server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert done[0].code in (0, 3, 4, 5), done[0].complaints
    assert done[1].code == 0, done[1].complaints
    assert "write it as part.field=value" in done[3].complaints
    assert "***" in done[4].complaints
    assert (tmp_path / "r.html").is_file()
    assert (tmp_path / "t.jsonl").is_file()
    assert leaking(tmp_path) == []
    for file in ("r.html", "t.jsonl"):
        assert stat.S_IMODE((tmp_path / file).stat().st_mode) == 0o600


def test_a_chat_and_what_it_saves_hold_no_key(openai_server: OpenAIServer, folder: Path, tmp_path: Path) -> None:
    openai_server.answer(_echoing)
    settings = load_settings(None, [f"chat.base_url={openai_server.url}", f"chat.api_key={KEY}", "chat.attempts=1"])
    made = Investigator(
        folder, model="openai:m", embedder=ScriptedEmbedder(), settings=settings, workspace=tmp_path / "w"
    )
    with open_chat(made) as chat:
        talk = talk_with(chat, "anna")
        reply = talk.say(f"I live in Bonn and my key is {KEY}. {QUESTION}")
        talk.save(tmp_path / "talk.jsonl")
    assert not leaks(json.dumps(dict(reply), default=str))
    assert leaking(tmp_path) == []


def test_spans_hold_no_key() -> None:
    register(KEY)
    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = SpanTracer(provider, content=True)
    prompt = Prompt("query/ask", PROMPT.variables, f"Say {KEY}.", PlanReply)
    with tracer.run("r1", f"What of {KEY}?", "openai:m") as run:
        run.called(WatchedCall(prompt, "openai:m", "k", reply=Reply(text=f"It is {KEY}")))
    exported = "\n".join(span.to_json() for span in kept.get_finished_spans())
    assert "It is ***" in exported
    assert not leaks(exported)
