"""`investigator chat`: lines in, replies out."""

from __future__ import annotations

import io
import json
import shutil
import threading
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from chat_replies import at_a_server, module_of, readings
from commands import command
from openai_server import Body, OpenAIServer, Response, json_response, refusal, streamed
from power_plants import prompt_in, write_folder
from screen import screen
from typer.testing import Result

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.chat import HELP, ChatCommand, Spoken, read_folder, read_line
from investigator.bb3.records import Module
from investigator.bb3.talk import DislikeType
from investigator.cli.streams import STREAMS, StreamOptions
from investigator.errors import DialogueError

QUESTION = "How much power does the Cedar plant make?"


class Terminal:
    """A folder, a workspace and a server, with the chat command."""

    def __init__(self, server: OpenAIServer, folder: Path, at: Path) -> None:
        self.server = server
        self.folder = folder
        self.at = at
        server.answer(at_a_server())

    def words(self, *options: str | Path) -> list[str]:
        model = ("--model", "openai:small", "--set", f"chat.base_url={self.server.url}", "--set", "chat.attempts=1")
        fixed = ("--workspace", self.at / "w", "--user", "anna")
        return [str(word) for word in ("chat", self.folder, *model, *fixed, *options)]

    def chat(self, lines: str | bytes, *options: str | Path) -> Result:
        return command(*self.words(*options), stdin=lines)

    def asked(self) -> list[Module]:
        return [module_of(prompt_in(body)) for body in self.server.bodies]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("plants")
    folder = write_folder(at / "folder")
    done = command("index", "--vectors", folder, "--workspace", at / "w")
    assert done.exit_code == 0, done.output
    return at


@pytest.fixture
def terminal(openai_server: OpenAIServer, indexed: Path, tmp_path: Path) -> Terminal:
    shutil.copytree(indexed / "w", tmp_path / "w")
    return Terminal(openai_server, indexed / "folder", tmp_path)


def test_each_line_gets_a_reply_until_the_input_ends(terminal: Terminal) -> None:
    result = terminal.chat(f"{QUESTION}\n\n{QUESTION.replace('Cedar', 'Oak')}")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "It makes 42 MW of power.  [cedar.txt:line 1]\nIt makes 45 MW of power.  [oak.txt:line 1]\n"


def test_why_tells_what_the_last_reply_rests_on(terminal: Terminal) -> None:
    result = terminal.chat(f"/why\nMy dog is called Bubbles.\n{QUESTION}\n/why\n")
    lines = result.stdout.splitlines()
    assert lines[0] == "No message yet."
    told = lines[lines.index("It makes 42 MW of power.  [cedar.txt:line 1]") + 1 :]
    assert told[:4] == ["Search: search", "Memory: do not access memory", f"Query: {QUESTION}", "Passages, best first:"]
    assert "  cedar.txt#line=1" in told
    assert told[-2:] == [
        "Quote, proven: “It makes 42 MW of power.” (cedar.txt:line 1)",
        "Reply checked: word for word from the quotes",
    ]


def test_memories_can_be_seen_and_changed(terminal: Terminal) -> None:
    typed = ["/memory", "/memory add I sing.", "/memory edit 1 I sing well.", "/memory add I swim.", "/memory delete 2"]
    result = terminal.chat("\n".join(typed))
    shown = [line.split("  ")[-2].strip() for line in result.stdout.splitlines() if line.startswith("  ")]
    assert result.stdout.startswith("Nothing is remembered.\n")
    assert shown == ["I sing.", "I sing well.", "I sing well.", "I swim.", "I sing well."]
    assert terminal.asked() == []


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("/wyh", "unknown command /wyh"),
        ("/dislike rude", "no reply found"),
        ("/memory delete 99", "no memory has the number 99"),
        ("/memory burn", "unknown action 'burn' for memories"),
        ("/save /proc/nowhere/talk.jsonl", "cannot be written"),
        ("x" * 20_001, "the message has 20,001 characters"),
    ],
)
def test_an_error_does_not_end_the_chat(terminal: Terminal, typed: str, error: str) -> None:
    result = terminal.chat(f"{typed}\n/search never\n")
    assert result.exit_code == 0
    assert result.stdout == "Search: never\n"
    assert result.stderr.startswith("error: ")
    assert error in result.stderr
    assert "\nhint: " in result.stderr


def test_search_can_be_switched_between_turns(terminal: Terminal) -> None:
    result = terminal.chat(
        f"{QUESTION}\n/search\n/search compute\n{QUESTION}\n/search always\n{QUESTION}\n", "--search", "never"
    )
    assert result.stdout.splitlines() == [
        "What about the plants?",
        "Search: never. Change it with /search and one of: always, never, compute",
        "Search: compute",
        "It makes 42 MW of power.  [cedar.txt:line 1]",
        "Search: always",
        "It makes 42 MW of power.  [cedar.txt:line 1]",
    ]
    assert terminal.asked().count(Module.SDM) == 1


def test_likes_and_dislikes_are_saved_with_the_conversation(terminal: Terminal) -> None:
    lines = [
        QUESTION,
        "/like",
        "/dislike off topic",
        "Name the year, too.",
        "Thanks",
        f"/save {terminal.at / 't.jsonl'}",
    ]
    result = terminal.chat("\n".join([*lines, "/save"]))
    assert f"Saved: {terminal.at / 't.jsonl'}\n" in result.stdout
    (saved,) = [json.loads(line) for line in (terminal.at / "t.jsonl").read_text("utf-8").splitlines()]
    assert saved["consent"] is False
    assert saved["user_pseudo_id"] == "anna"
    assert [message.get("dislike_type") for message in saved["message_history"]][1] == "off_topic"
    assert saved["message_history"][3]["isDislikeFeedback"] is True
    (kept,) = (terminal.at / "w" / "chats").glob("*.jsonl")
    assert json.loads(kept.read_text("utf-8")) == saved


def test_a_refused_key_is_told_each_time(terminal: Terminal) -> None:
    terminal.server.answer(refusal(401, "wrong key"))
    result = terminal.chat("Hello\nHello\n")
    assert (result.exit_code, result.stdout, result.stderr.count("error: ")) == (0, "", 2)


def test_a_ceiling_ends_the_chat_and_says_so(terminal: Terminal) -> None:
    result = terminal.chat(f"{QUESTION}\n{QUESTION}\n", "--set", "budget.calls=3")
    assert len(terminal.asked()) == 3
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == "stopped(calls): this chat has reached its limit\n"


def test_a_search_server_is_searched_instead_of_the_folder(terminal: Terminal) -> None:
    pages = OpenAIServer()
    pages.answer(
        json_response({"response": [{"url": "u", "title": "t", "content": "The Cedar plant: It makes 7 MW."}]})
    )
    terminal.server.answer(at_a_server({Module.SKM: readings("It makes 7 MW.")}))
    try:
        result = terminal.chat(f"{QUESTION}\n/why\n", "--search-server", pages.url)
    finally:
        pages.close()
    lines = result.stdout.splitlines()
    place = f"u:text line 1, from the search server at {pages.url.split('/')[2]}"
    assert (lines[0], lines[-2], lines[-1]) == (
        f"The Cedar plant: It makes 7 MW.  [{place}]",
        f"Quote, not proven: “The Cedar plant: It makes 7 MW.” ({place})",
        "Reply checked: word for word from the quotes",
    )
    down = terminal.chat(f"{QUESTION}\n", "--search-server", pages.url)
    assert (down.exit_code, down.stdout) == (1, "")


def test_input_that_is_no_text_is_wrong_use(terminal: Terminal) -> None:
    result = terminal.chat(b"\xff\xfe\x00H\x00i\n")
    assert result.exit_code == 2
    assert result.stderr == "error: the input is not UTF-8 text\nhint: Save it as UTF-8.\n"


def test_a_module_may_have_an_engine_of_its_own(terminal: Terminal) -> None:
    terminal.server.answer(at_a_server({Module.SDM: {"point": 0, "needed": False}}))
    result = terminal.chat(f"{QUESTION}\n", "--sdm-model", "extractive")
    assert result.stdout == "It makes 42 MW of power.  [cedar.txt:line 1]\n"
    assert Module.SDM not in terminal.asked()
    assert Module.SGM in terminal.asked()


def test_options_of_modules_are_sent_for_these_modules_alone(terminal: Terminal) -> None:
    result = terminal.chat(f"{QUESTION}\n", "--srm-inference", "nucleus", "--srm-topp", "0.5")
    assert (result.exit_code, result.stderr) == (0, "")
    sent = {module_of(prompt_in(body)): body.get("top_p") for body in terminal.server.bodies}
    assert (sent[Module.SRM], sent[Module.SDM]) == (0.5, None)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--srm-inference", "factual_nucleus", "srm_inference factual_nucleus"),
        ("--srm-max-prompt-len", "100", "srm_max_prompt_len"),
    ],
)
def test_what_cannot_be_done_is_said(terminal: Terminal, option: str, value: str, told: str) -> None:
    result = terminal.chat("/quit\n", option, value)
    assert result.exit_code == 0
    assert result.stderr.startswith("note: ")
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_new_folder_is_read_first_and_so_is_a_new_file(terminal: Terminal, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "new")
    first = command("chat", folder, "--search", "always", stdin=f"{QUESTION}\n/why\n")
    assert "cedar.txt" in first.stdout


def test_at_a_terminal_steps_are_shown_others_chat_beside_it_and_ctrl_c_ends_it(terminal: Terminal) -> None:
    with screen(terminal.words()) as at_screen:
        at_screen.wait_for("/help lists the commands")
        at_screen.type(QUESTION)
        at_screen.wait_for("It makes 42 MW of power.")
        assert "deciding …".encode() in at_screen.shown
        at_screen.type("I work at the Elm plant.", "How much power does the Elm plant make?")
        beside = terminal.chat("I work at the Oak plant.\nHow much power does the Oak plant make?\n/memory\n")
        assert "It makes 45 MW of power.  [oak.txt:line 1]\n" in beside.stdout
        assert "I work at the Oak plant." in beside.stdout
        at_screen.wait_for("It makes 43 MW of power.")
        at_screen.type("/memory")
        at_screen.wait_for("I work at the Elm plant.  [about you")
        assert at_screen.interrupt() == 130
    assert b"interrupted" in at_screen.shown


def test_at_a_terminal_a_reply_is_read_while_the_model_still_writes(terminal: Terminal) -> None:
    gate = threading.Event()
    pieces = ('{"quotes": [], "reply": "It makes 42', " MW of power.", " Shall", " I", ' go on?"}')
    replies = at_a_server()

    def answer(body: Body) -> Response:
        return streamed(*pieces, gate=gate) if body.get("stream") else replies(body)

    terminal.server.answer(answer)
    with screen(terminal.words()) as at_screen:
        at_screen.wait_for("/help lists the commands")
        at_screen.type(QUESTION)
        at_screen.wait_for("It makes 42 MW of power.")
        assert b"Shall" not in at_screen.shown  # the server holds it back
        at_screen.press_ctrl_c()
        at_screen.wait_for("Press Ctrl-C again to end the chat.")
        gate.set()
        at_screen.type(QUESTION)
        at_screen.wait_for("It makes 42 MW of power. Shall I go on?  [cedar.txt:line 1]\r\n")
        assert at_screen.shown.count(b"It makes 42") == 2


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("Hello there\n", (None, "Hello there")),
        ("", (None, "")),
        ("//home is a path", (None, "/home is a path")),
        (" //", (None, "/")),
        ("/why\n", (ChatCommand.WHY, "")),
        ("/WHY", (ChatCommand.WHY, "")),
        ("  /memory add I sing. ", (ChatCommand.MEMORY, "add I sing.")),
        ("/search\talways", (ChatCommand.SEARCH, "always")),
        ("/save my file.jsonl", (ChatCommand.SAVE, "my file.jsonl")),
        ("👋 مرحبا", (None, "👋 مرحبا")),
    ],
)
def test_a_line_is_said_or_a_command(typed: str, line: tuple[ChatCommand | None, str]) -> None:
    assert read_line(typed) == line


@pytest.mark.parametrize("typed", ["/serch always", "/", "/ why", "/home/anna", "/\tx", "/wh y"])
def test_a_command_that_there_is_not_is_told(typed: str) -> None:
    with pytest.raises(DialogueError, match="unknown command /") as caught:
        read_line(typed)
    assert "/help" in caught.value.hint
    assert ("/search" in caught.value.hint) == ("serch" in typed)


def test_the_help_names_every_command_and_every_type_of_dislike() -> None:
    named = HELP.replace(",", " ").replace(";", " ").split()
    assert {f"/{command}" for command in ChatCommand} <= set(named)
    assert [word for word in named if word in set(DislikeType)] == list(DislikeType)


CLEAR = "\r\x1b[K"


def test_words_come_once_each_and_the_rest_is_told() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.step(Module.SRM)
    spoken.hear("One.")
    spoken.hear("One. Two.")
    spoken.step(Module.MGM)  # it would wipe out the words
    assert screen.getvalue() == f"{CLEAR}replying …{CLEAR}One. Two."
    reply = "One. Two. Three.  [a.txt]\n"
    assert reply[spoken.end(reply) :] == " Three.  [a.txt]\n"


def test_a_reply_that_turns_out_otherwise_is_told_whole_on_a_line_of_its_own() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.hear("One.")
    assert spoken.end("Zero.\n") == 0
    assert screen.getvalue() == "One.\n"


def test_a_reply_that_was_not_heard_is_told_whole_and_no_step_stays() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.step(Module.SDM)
    assert spoken.end("One.\n") == 0
    assert screen.getvalue() == f"{CLEAR}deciding …{CLEAR}"


def test_after_an_error_a_line_is_ended_and_the_next_reply_begins_anew() -> None:
    screen = io.StringIO()
    spoken = Spoken(screen, screen)
    spoken.hear("One.")
    spoken.end()
    spoken.hear("Two.")
    assert screen.getvalue() == "One.\nTwo."


def test_control_characters_do_not_reach_the_terminal() -> None:
    screen = io.StringIO()
    Spoken(screen, screen).hear("red: \x1b[31m.")
    assert "\x1b" not in screen.getvalue()


@pytest.fixture
def plants(tmp_path: Path) -> Investigator:
    return Investigator(write_folder(tmp_path / "plants"), workspace=tmp_path / "w", embedder=ScriptedEmbedder())


def told(investigator: Investigator, most_vectors: int = 400) -> list[str]:
    stream, token = io.StringIO(), STREAMS.set(StreamOptions(verbose=True))
    try:
        with redirect_stderr(stream):
            read_folder(investigator, most_vectors)
    finally:
        STREAMS.reset(token)
    return stream.getvalue().splitlines()


def test_a_new_folder_is_read_and_gets_its_vectors_with_progress_and_then_nothing_is_left_to_do(
    plants: Investigator,
) -> None:
    lines = told(plants)
    assert lines[0].startswith("reading files 1/9: ")
    assert lines.index("computing vectors 0/9") < len(lines) - 1
    assert any(line.startswith("computing vectors 9/9") for line in lines)
    assert plants.status().without_vectors == 0
    assert told(plants) == []


def test_vectors_of_a_large_folder_are_left_for_when_they_are_needed(plants: Investigator) -> None:
    assert not [line for line in told(plants, most_vectors=8) if "vectors" in line]
    assert plants.status().without_vectors == 9


def test_a_folder_that_another_has_open_is_left_alone_and_that_is_told(plants: Investigator) -> None:
    told(plants)
    with plants.library():
        assert told(plants) == ["note: waiting for another process that uses the index of this folder"]
