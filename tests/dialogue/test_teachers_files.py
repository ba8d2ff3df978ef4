"""The teachers that read files: ParlAI's text, conversations in JSON lines, numbered lines; and the text format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import (
    ConversationTeacher,
    FbDeprecatedDialogTeacher,
    FixedDialogTeacher,
    ParlAIDialogTeacher,
)
from investigator.dialogue.text_format import msg_to_str, str_to_msg
from investigator.errors import DataError, DialogueError

TRICKY = st.text(alphabet=st.sampled_from("\\|_PIE\t\n\r ntu0d:é😀א\u2028")) | st.text()


@given(TRICKY, st.lists(TRICKY, min_size=1), TRICKY, TRICKY)
@example("C:\\new\\table", ["__PIPE__"], "\\__PIPE__", "__PIPE_|")
@example("|PIPE__", ["__PIPE|", "__PIPE__PIPE__"], "\\u000d", "\\\\n")
def test_every_text_comes_back_as_it_was(text: str, labels: list[str], name: str, other: str) -> None:
    message = Message(id=name, text=text, labels=labels, answer=other, episode_done=True)
    line = msg_to_str(message)
    assert not {"\n", "\r"} & set(line)
    assert str_to_msg(line) == message


def test_a_text_without_backslashes_is_written_as_others_write_it() -> None:
    message = {"text": "a|b\tc\nd", "labels": ["e", "f"], "reward": 1, "episode_done": True}
    assert msg_to_str(message) == "text:a__PIPE__b\\tc\\nd\tlabels:e|f\tepisode_done:True\treward:1"


def test_a_backslash_that_escapes_nothing_is_a_backslash() -> None:
    assert str_to_msg("text:C:\\Users\\_x \\alpha\tlabels:y")["text"] == "C:\\Users\\_x \\alpha"  # type: ignore[index]


@pytest.mark.parametrize("word", ["False", "false", "0", "no", " False", ""])
def test_an_episode_that_is_said_not_to_be_done_is_not(word: str) -> None:
    assert str_to_msg(f"text:x\tlabels:y\tepisode_done:{word}")["episode_done"] is False  # type: ignore[index]


@pytest.mark.parametrize("field", ["the milk", ":the milk"])
def test_a_field_without_a_name_is_an_error_that_shows_it(field: str) -> None:
    with pytest.raises(DataError, match=f"'{field}'"):
        str_to_msg(f"text:Where is\t{field}\tlabels:kitchen")


def test_a_missing_value_is_not_written() -> None:
    assert msg_to_str({"text": "x", "labels": ["y", None], "image": None}) == "text:x\tlabels:y"


@pytest.mark.parametrize("name", ["", "a:b", "a\tb", "a\nb"])
def test_a_field_whose_name_cannot_be_read_again_is_not_written(name: str) -> None:
    with pytest.raises(DialogueError, match="cannot be written"):
        msg_to_str({"text": "x", name: "y"})


def test_whole_episodes_come_back_from_their_file(tmp_path: Path) -> None:
    path = tmp_path / "talks.txt"
    talk = [
        {"text": "שלום\r\n", "labels": ["a\\nb"], "episode_done": False},
        {"text": "", "labels": ["|"], "reward": 2.5, "episode_done": True},
        {"id": "z", "text": "x", "labels": ["y"], "episode_done": True},
    ]
    path.write_bytes("".join(f"{msg_to_str(example)}\n" for example in talk).encode())
    teacher = ParlAIDialogTeacher({"datafile": str(path), "datatype": "valid"})
    assert (teacher.num_examples(), teacher.num_episodes()) == (3, 2)
    assert [teacher.get(0, 0), teacher.get(0, 1), teacher.get(1)] == talk


def made(kind: type[FixedDialogTeacher], path: Path, content: str, **options: object) -> FixedDialogTeacher:
    path.write_bytes(content.encode())
    return kind({"datafile": str(path), "datatype": "valid", **options})


def pairs(teacher: FixedDialogTeacher) -> list[list[tuple[object, object]]]:
    """Return the text and labels of all examples, by episode."""
    episodes: list[list[tuple[object, object]]] = [[]]
    for act in teacher:
        episodes[-1].append((act["text"], act.get("eval_labels")))
        if act["episode_done"]:
            episodes.append([])
    return episodes[:-1]


def conversation(*texts: str, **more: object) -> str:
    return json.dumps({"dialog": [[{"id": str(n % 2), "text": text} for n, text in enumerate(texts)]], **more})


def test_an_episode_ends_where_a_line_says_so_and_not_where_it_says_false(tmp_path: Path) -> None:
    text = "text:a\tlabels:1\tepisode_done:False\ntext:b\tlabels:2\tepisode_done:True\ntext:c\tlabels:3|4\n"
    assert pairs(made(ParlAIDialogTeacher, tmp_path / "f", text)) == [[("a", ["1"]), ("b", ["2"])], [("c", ["3", "4"])]]


def test_blank_lines_and_line_ends_of_windows_do_no_harm(tmp_path: Path) -> None:
    text = "\ufefftext:a\tlabels:1\r\n\r\n  \r\ntext:b\tlabels:2\tepisode_done:True\r\n\r\n"
    assert pairs(made(ParlAIDialogTeacher, tmp_path / "f", text)) == [[("a", ["1"]), ("b", ["2"])]]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("labels:b", "no text"),
        ("text:a", "no labels"),
        ("text:a\teval_labels:b", "eval_labels must be written as labels"),
        ("text:a\tlabels:b\treward:oops", "the reward 'oops' is not a number"),
        ("text:a\tlabels:b\tsomething", "no colon"),
        ('{"text": "a", "labels": ["b"]}', "no text"),
    ],
)
def test_a_line_that_is_no_example_is_named_with_its_gist(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        made(ParlAIDialogTeacher, tmp_path / "talks.txt", f"text:good\tlabels:yes\n\n{line}\n")
    assert all(part in caught.value.message for part in ("talks.txt, line 3: ", problem, repr(line)))


def test_an_episode_without_an_end_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made(ParlAIDialogTeacher, tmp_path / "f", "text:a\tlabels:b\n" * 205)
    assert [record.getMessage().count("line 101") for record in caplog.records] == [1]


def test_a_stream_of_a_file_is_begun_anew_after_each_pass_in_training(tmp_path: Path) -> None:
    text = "text:a\tlabels:1\tepisode_done:True\ntext:b\tlabels:2\n"
    teacher = made(ParlAIDialogTeacher, tmp_path / "f", text, datatype="train:ordered:stream")
    assert [(teacher.act().text, teacher.epoch_done()) for _ in range(3)] == [("a", False), ("b", True), ("a", False)]


def test_a_stream_finds_a_bad_line_when_it_comes_to_it(tmp_path: Path) -> None:
    lines = [f"text:{number}\tlabels:y\tepisode_done:True\n" for number in range(5)]
    teacher = made(ParlAIDialogTeacher, tmp_path / "f", "".join(lines) + "bad\n", datatype="valid:stream")
    assert [teacher.act().text for _ in range(3)] == ["0", "1", "2"]
    with pytest.raises(DataError, match="line 6"):
        [teacher.act() for _ in range(3)]
    with pytest.raises(DialogueError, match="could not be read completely"):
        teacher.act()


def test_the_labels_of_a_conversation_are_the_turns_of_who_is_asked_for(tmp_path: Path) -> None:
    second, first, both = (
        pairs(made(ConversationTeacher, tmp_path / "f", conversation("a", "b", "c"), label_turns=who))
        for who in ("secondspeaker", "firstspeaker", "both")
    )
    assert second == [[("a", ["b"])]]
    assert first == [[("__SILENCE__", ["a"]), ("b", ["c"])]]
    assert both == first + second
    with pytest.raises(DialogueError, match="'thirdspeaker'"):
        made(ConversationTeacher, tmp_path / "f", conversation("a", "b"), label_turns="thirdspeaker")


def test_blank_lines_and_line_separators_inside_texts_do_not_break_conversations(tmp_path: Path) -> None:
    inside = '{"dialog": [[{"id": "x", "text": "one\u2028two"}, {"id": "y", "text": "three"}]]}'
    teacher = made(ConversationTeacher, tmp_path / "f", f"\n{inside}\r\n\n{conversation('p', 'q')}\n\n")
    assert pairs(teacher) == [[("one\u2028two", ["three"])], [("p", ["q"])]]


def test_context_is_left_out_with_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    turns = [{"id": "context", "text": "c"}, {"id": "x", "text": "a"}, {"id": "y", "text": "b"}]
    line = json.dumps({"dialog": [turns], "context": "so"}) + "\n"
    assert pairs(made(ConversationTeacher, tmp_path / "f", line * 3)) == [[("a", ["b"])]] * 3
    assert len(caplog.records) == 1


def test_turns_come_whole_with_the_example_and_need_no_inner_list(tmp_path: Path) -> None:
    line = '{"dialog": [{"id": "x", "text": "a", "mood": "glad"}, {"text": "b"}]}'
    act = made(ConversationTeacher, tmp_path / "f", line).act()
    assert (act["text"], act["eval_labels"]) == ("a", ["b"])
    assert act["x_turn"] == {"id": "x", "text": "a", "mood": "glad"}
    assert act["y_turn"] == {"id": None, "text": "b"}


def test_a_turn_without_a_text_is_asked_and_not_graded(tmp_path: Path) -> None:
    teacher = made(ConversationTeacher, tmp_path / "f", '{"dialog": [[{"id": "x"}, {"id": "y"}]]}')
    assert teacher.act().text == ""
    assert "metrics" not in teacher.observe(Message(text="what?"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"dialog": [[}', "it is not JSON"),
        ('{"talk": []}', 'must have a list "dialog"'),
        ("[]", 'must have a list "dialog"'),
        ('{"dialog": [["hello"]]}', "a turn must have an id and a text"),
        ('{"dialog": [[{"id": "x", "text": 5}]]}', "the text of a turn must be a string"),
    ],
)
def test_a_line_that_is_no_conversation_is_named_with_its_gist(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        made(ConversationTeacher, tmp_path / "talks.jsonl", f"{conversation('a', 'b')}\n{line}\n")
    assert "talks.jsonl, line 2: " in caught.value.message
    assert problem in caught.value.message


@pytest.mark.parametrize("kind", [ParlAIDialogTeacher, ConversationTeacher, FbDeprecatedDialogTeacher])
def test_a_missing_file_is_an_error_and_an_empty_one_is_no_data(tmp_path: Path, kind: type[FixedDialogTeacher]) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        kind({"datafile": str(tmp_path / "none"), "datatype": "valid"})
    assert pairs(made(kind, tmp_path / "f", "")) == []


def test_numbered_lines_without_labels_are_put_before_the_next_question(tmp_path: Path) -> None:
    text = "1 Sam left.\n2 Pat came.\t\t0.5\n3 Who is here?\tPat|pat\t1\tSam|Pat\n1 New.\n2 Rest.\n1 Last?\tyes\n"
    teacher = made(FbDeprecatedDialogTeacher, tmp_path / "f", text)
    assert pairs(teacher) == [
        [("Sam left.\nPat came.\nWho is here?", ("Pat", "pat"))],
        [("New.\nRest.", None)],
        [("Last?", ("yes",))],
    ]
    assert teacher.get(0)["reward"] == 1.5
    assert teacher.get(0)["label_candidates"] == ("Sam", "Pat")


@pytest.mark.parametrize("line", ["hello there", "2 q\ta\tmuch", "2\tq"])
def test_a_line_without_a_number_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(DataError, match="line 2: expected: number text"):
        made(FbDeprecatedDialogTeacher, tmp_path / "f", f"1 q\ta\n{line}\n")
