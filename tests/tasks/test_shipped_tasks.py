"""Each shipped task reads its example file as its data set defines; messages come as in the seed (parlai_messages)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigator.dialogue.messages import Message
from investigator.dialogue.teachers import Teacher
from investigator.dialogue.text_format import msg_to_str
from investigator.errors import DataError
from investigator.tasks.loading import create_teacher

DATA = Path(__file__).resolve().parents[2] / "data"
EXAMPLES = DATA / "dialogue"


def teacher(task: str, file: str | Path, **opt: object) -> Teacher:
    return create_teacher({"task": task, "datafile": str(EXAMPLES / file), "datatype": "train:ordered", **opt})


def messages(task: str, file: str | Path, **opt: object) -> list[dict[str, Any]]:
    return [dict(message) for message in teacher(task, file, **opt)]


def turns(task: str, file: str) -> list[tuple[str, list[str], bool]]:
    return [(m["text"], list(m["labels"]), m["episode_done"]) for m in messages(task, file)]


def test_squad_shows_the_paragraph_and_gives_each_answer_once() -> None:
    first, _, impossible, _ = messages("squad", "squad.json")
    assert first["text"].startswith("The lighthouse of Grey Point")
    assert first["text"].endswith("electricity.\nWhen was the lighthouse first lit?")
    assert first["labels"] == ("3 May 1861", "1861")
    assert impossible["labels"] == ("",)
    assert "answer_starts" not in first
    assert messages("squad:open", "squad.json")[1]["text"] == "Who kept the lighthouse?"


def test_squad_index_says_where_in_the_text_each_label_starts() -> None:
    for message in messages("squad:index", "squad.json"):
        labels = [label for label in message["labels"] if label]
        starts = zip(message["answer_starts"], labels, strict=True)
        assert [message["text"][start : start + len(label)] for start, label in starts] == labels


def test_hotpotqa_shows_all_paragraphs_those_needed_or_none() -> None:
    everything, gold, alone = (messages(f"hotpotqa{kind}", "hotpotqa.json")[0] for kind in ("", ":gold", ":open"))
    question = "In which village was the keeper of Grey Point born?"
    assert everything["text"].split("\n\n")[2:] == ["Fernbrook\nFernbrook is a village with a mill.", question]
    assert [part.split("\n")[0] for part in gold["text"].split("\n\n")] == ["Grey Point", "Ida Marsh", question]
    assert alone["text"] == question
    for message in (everything, gold, alone):
        assert message["labels"] == ("Fernbrook",)
        assert message["evidence"] == ["Its keeper was Ida Marsh.", "Ida Marsh was born in Fernbrook."]
        assert message["documents"] == ["Grey Point", "Ida Marsh"]


def test_multi_hop_rows_are_read_in_columns_in_json_text_and_line_by_line(tmp_path: Path) -> None:
    (row, _) = json.loads((EXAMPLES / "hotpotqa.json").read_text(encoding="utf-8"))
    titles, sentences = zip(*row["context"], strict=True)
    fact_titles, numbers = zip(*row["supporting_facts"], strict=True)
    columns = {
        "context": {"title": titles, "sentences": sentences},
        "supporting_facts": {"title": fact_titles, "sent_id": numbers},
    }
    as_text = {key: json.dumps(row[key]) for key in columns}
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps({**row, **form}) + "\n" for form in (columns, as_text)), encoding="utf-8")
    expected = messages("hotpotqa:gold", "hotpotqa.json")[0]
    for message in messages("hotpotqa:gold", file):
        assert {key: message[key] for key in ("text", "labels", "evidence")} == {
            key: expected[key] for key in ("text", "labels", "evidence")
        }


def test_questions_of_a_test_file_without_answers_have_no_labels(tmp_path: Path) -> None:
    file = tmp_path / "test.json"
    file.write_text('[{"_id": "1", "question": "Why?", "context": [["A", ["b."]]]}]', encoding="utf-8")
    (message,) = messages("hotpotqa", file, datatype="test")
    assert message["text"] == "A\nb.\n\nWhy?"
    assert not {"labels", "eval_labels"} & message.keys()


def test_twowiki_gives_the_triples_of_the_reasoning() -> None:
    (message,) = messages("twowiki:gold", "twowiki.json")
    assert message["reasoning"][1] == ["Ida Marsh", "place of birth", "Fernbrook"]
    assert "Fernbrook is a village" not in message["text"]


def test_beir_labels_are_the_fitting_documents_best_first() -> None:
    plain, ranked = (messages(task, "beir", datatype="test")[1] for task in ("beir", "beir:candidates"))
    assert (plain["text"], plain["eval_labels"]) == ("where were oats ground", ("d2", "d3"))
    assert "label_candidates" not in plain
    assert sorted(ranked["label_candidates"]) == ["d1", "d2", "d3"]


def test_quac_shows_the_section_once() -> None:
    first, second, third = turns("quac", "quac.json")
    assert first[0].startswith("Grey Point\nHistory\nThe lighthouse")
    assert first[1:] == (["on 3 May 1861", "3 May 1861"], False)
    assert second == ("Did it have a keeper?", ["Its keeper, Ida Marsh", "Ida Marsh"], False)
    assert third == ("Who built it?", ["CANNOTANSWER"], True)
    assert turns("quac:open", "quac.json")[0][0] == "Grey Point\nHistory\nWhen was it first lit?"


def test_coqa_gives_the_answers_of_everybody() -> None:
    first, second, third = turns("coqa", "coqa.json")
    assert first[0].endswith("has been a school.\nWhat did the mill grind?")
    assert second == ("Until when?", ["1898", "until 1898"], False)
    assert third == ("And what is it now?", ["a school"], True)
    assert turns("coqa:open", "coqa.json")[0][0] == "What did the mill grind?"


def test_doc2dial_goes_through_a_conversation_and_to_the_reply_that_is_asked_for() -> None:
    assert turns("doc2dial", "doc2dial.jsonl") == [
        ("Is the mill at Fernbrook open?", ["Not as a mill. Do you want to know what it is now?"], False),
        ("Yes, please.", ["It has been a school since 1950."], True),
        ("Welcome.\nWhen was Grey Point first lit?", ["On 3 May 1861."], True),
    ]
    first, last = messages("doc2dial:last", "doc2dial.jsonl")
    assert first["text"].count("\n") == 2
    assert (last["labels"], last["documents"], last["answerability"]) == (
        ("On 3 May 1861.",),
        ["light.txt"],
        "ANSWERABLE",
    )


def test_what_is_known_of_the_last_reply_is_not_told_before_it(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    conversation = [
        {"speaker": who, "text": what} for who, what in (("user", "Hi"), ("agent", "Hello"), ("user", "Why?"))
    ]
    row = {"id": "1", "conversation": conversation, "reference": "So.", "contexts": [{"text": "So it is."}]}
    file.write_text(json.dumps(row), encoding="utf-8")
    greeting, question = messages("doc2dial", file)
    assert "passages" not in greeting
    assert question["passages"] == ["So it is."]


def test_doc2dial_search_asks_whether_to_search() -> None:
    assert [(text, label) for text, label, _ in turns("doc2dial:search", "doc2dial.jsonl")] == [
        ("Welcome.\nWhen was Grey Point first lit?", ["search"]),
        ("Thank you, bye.", ["do not search"]),
    ]


def test_doc2dial_reads_the_files_of_the_data_set_itself(tmp_path: Path) -> None:
    row = json.loads((EXAMPLES / "doc2dial.jsonl").read_text(encoding="utf-8").split("\n")[0])
    file = tmp_path / "doc2dial_dial_train.json"
    file.write_text(json.dumps({"dial_data": {"mills": {"mill.txt": [row]}}}), encoding="utf-8")
    assert turns("doc2dial", str(file)) == turns("doc2dial", "doc2dial.jsonl")[:2]


def test_babi_tells_what_happened_since_the_last_question() -> None:
    first, second, third = messages("babi", "babi.txt")
    assert first["text"] == "Ida took the lamp.\nIda went to the tower.\nWhere is the lamp?"
    assert (second["text"], second["episode_done"]) == ("Tom went to the mill.\nWhere is Tom?", True)
    assert (third["labels"], third["evidence"]) == (("school",), ["Tom took the oats.", "Tom went to the school."])
    assert first["label_candidates"] == ("mill", "school", "tower")


def test_babi_tasks_are_found_by_number_size_and_fold(tmp_path: Path) -> None:
    for folder, answer in (("en", "small"), ("en-10k", "large")):
        for number in range(1, 21):
            for fold in ("train", "test"):
                file = tmp_path / folder / f"qa{number}_some-name_{fold}.txt"
                file.parent.mkdir(exist_ok=True)
                file.write_text(f"1 Here.\n2 Where? \t{answer} {number} {fold}\t1\n", encoding="utf-8")
    opt = {"datapath": str(tmp_path), "datatype": "test"}

    def answers(task: str) -> list[str]:
        return [message["eval_labels"][0] for message in create_teacher({"task": task, **opt})]

    assert answers("babi:task1k:15") == ["small 15 test"]
    assert answers("babi:task10k:1") == ["large 1 test"]
    assert answers("babi:all10k") == [f"large {number} test" for number in range(1, 21)]


def test_bb3x_learns_what_was_said_and_what_each_module_decided() -> None:
    assert [labels for _, labels, _ in turns("bb3x", "bb3x.jsonl")] == [
        ["It was lit on 3 May 1861."],
        ["Beside a mill, you told me."],
    ]
    assert [labels for _, labels, _ in turns("bb3x:sdm", "bb3x.jsonl")] == [["search"], ["do not search"]]
    assert [labels for _, labels, _ in turns("bb3x:mdm", "bb3x.jsonl")] == [
        ["do not access memory"],
        ["access memory"],
    ]
    assert turns("bb3x:sgm", "bb3x.jsonl")[0][1] == ["Grey Point lighthouse first lit"]
    assert turns("bb3x:skm", "bb3x.jsonl")[0][1][0].startswith("The lighthouse of Grey Point")
    with pytest.raises(DataError, match="no example for the task bb3x:vrm"):
        teacher("bb3x:vrm", "bb3x.jsonl")
    (message,) = messages("bb3x:label_agent=human", "bb3x.jsonl")
    assert message["labels"] == ["Do you remember where I grew up?"]


def test_bb3x_reads_the_released_files_of_a_fold(tmp_path: Path) -> None:
    line = (EXAMPLES / "bb3x.jsonl").read_text(encoding="utf-8")
    for number in (0, 4, 5, 7):
        named = line.replace("chat-1", f"chat-{number}")
        (tmp_path / f"release_data_{number:02d}.jsonl").write_text(named, encoding="utf-8")
    chats = [message["chat_id"] for message in messages("bb3x:sgm", tmp_path, datatype="valid")]
    assert chats == ["chat-4", "chat-5"]


def test_the_text_format_and_conversations_are_tasks() -> None:
    assert turns("text", "text.txt") == [
        ("Ida went to the tower.\nWhere is Ida?", ["tower"], False),
        ("Where was she before?", ["mill", "the mill"], True),
        ("Who keeps the lighthouse?", ["Ida Marsh"], True),
    ]
    second = [message["labels"] for message in messages("conversations", "conversations.jsonl")]
    assert second == [["It is lit at dusk."], ["At half past eight."], ["I never counted them."]]
    both = messages("conversations:label_turns=both", "conversations.jsonl")
    assert [message["labels"][0] for message in both[:3]] == [
        "May I see the lamp?",
        "When is that today?",
        "It is lit at dusk.",
    ]


def test_folder_questions_know_their_documents_and_their_folder() -> None:
    known, *_, unknown = messages("folder", DATA / "examples" / "questions.jsonl")
    assert known["documents"][0] == "gambia-co-artemether-transmission.pdf"
    assert known["labels"][0] in known["evidence"]
    assert (unknown["labels"], "documents" in unknown) == (("not in the documents",), False)
    assert Path(known["folder"]).name == "child-health"


@pytest.mark.parametrize("task", ["squad", "quac", "coqa", "doc2dial", "babi", "bb3x", "text", "conversations"])
def test_a_task_streams_the_same_messages(task: str) -> None:
    (file,) = EXAMPLES.glob(f"{task}.*")
    assert messages(task, file, datatype="valid:stream") == messages(task, file, datatype="valid")


FILMS = ["Top Hat", "Kitty Foyle", "The Barkleys of Broadway"]
MOVIES = Message(text="what movies are about ginger rogers?", labels=FILMS, episode_done=True)
ANIMALS = ["wolf", "mouse", "cat", "sheep"]
STORY = "Cats are afraid of sheep.\nMice are afraid of cats.\nWinona is a cat.\nWhat is winona afraid of?"
BABI = [
    Message(text=STORY, labels=["sheep"], label_candidates=ANIMALS, episode_done=False),
    Message(text="What is jessica afraid of?", labels=["sheep"], label_candidates=ANIMALS, episode_done=False),
    Message(text="What is emily afraid of?", labels=["mouse"], label_candidates=ANIMALS, episode_done=True),
]


def written(path: Path, *episodes: list[Message]) -> Path:
    path.write_text(
        "".join(f"{msg_to_str(example)}\n" for episode in episodes for example in episode), encoding="utf-8"
    )
    return path


def test_an_episode_of_one_exchange_and_one_of_three_come_as_the_seed_shows_them(tmp_path: Path) -> None:
    acts = messages("text", written(tmp_path / "seed.txt", [MOVIES], BABI))
    assert [act["episode_done"] for act in acts] == [True, False, False, True]
    assert [list(act["labels"]) for act in acts] == [FILMS, ["sheep"], ["sheep"], ["mouse"]]
    assert acts[1]["text"] == STORY
    assert all(list(act["label_candidates"]) == ANIMALS for act in acts[1:])


def test_messages_bear_the_name_of_their_task(tmp_path: Path) -> None:
    assert {act["id"] for act in messages("text", written(tmp_path / "seed.txt", [MOVIES]))} == {"text"}


def test_labels_move_where_they_cannot_be_learned_from(tmp_path: Path) -> None:
    path = written(tmp_path / "seed.txt", [MOVIES])
    for datatype in ("valid", "test"):
        (act,) = messages("text", path, datatype=datatype)
        assert "labels" not in act
        assert list(act["eval_labels"]) == FILMS


def test_a_reward_comes_with_the_example_it_stands_at(tmp_path: Path) -> None:
    path = tmp_path / "rewards.txt"
    path.write_text("text:a\tlabels:b\treward:1\ntext:c\tlabels:d\treward:-0.5\ntext:e\tlabels:f\n", encoding="utf-8")
    assert [act.get("reward") for act in messages("text", path)] == [1, -0.5, None]


def test_a_field_of_ones_own_passes_through_as_text(tmp_path: Path) -> None:
    path = written(tmp_path / "own.txt", [Message(MOVIES, answer_starts="12")])
    assert messages("text", path)[0]["answer_starts"] == "12"
