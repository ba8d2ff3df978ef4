"""CoQA (Reddy et al. 2019): questions about a story, each building on those before.

`coqa` shows the story before the first question; `coqa:open` never shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from investigator.errors import DialogueFormatError
from investigator.evaluation.lines import ForeignRow
from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.reading import json_document


class Said(ForeignRow):
    """A question."""

    input_text: str
    turn_id: int


class Answer(Said):
    """An answer in free words, and the words of the story that it rests on."""

    span_text: str = ""


class Story(ForeignRow):
    """A story, its questions, and the answers of one or more people."""

    id: str
    source: str = ""
    story: str
    questions: tuple[Said, ...]
    answers: tuple[Answer, ...]
    additional_answers: Mapping[str, tuple[Answer, ...]] = {}


class Coqa(ForeignRow):
    """A file of CoQA: stories with questions and answers."""

    data: tuple[Story, ...]


class DefaultTeacher(FileTeacher):
    """Shows the story and the first question, then the questions alone. A story is an episode."""

    suffixes = (".json",)

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        """The questions of all stories. Raises DialogueFormatError where one has no answer."""
        for story in json_document(self.file, Coqa).data:
            by_turn = {answer.turn_id: answer for answer in story.answers}
            for turn, question in enumerate(story.questions):
                if question.turn_id not in by_turn:
                    raise DialogueFormatError(
                        f"{self.file} cannot be used: turn {question.turn_id} of {story.id} has no answer"
                    )
                fields = {
                    "text": self.asked(story, question, first=turn == 0),
                    "labels": _labels(story, question.turn_id),
                    "evidence": [by_turn[question.turn_id].span_text],
                    "story_id": story.id,
                }
                yield fields, turn == 0

    def asked(self, story: Story, question: Said, *, first: bool) -> str:
        """The text of a question."""
        return f"{story.story}\n{question.input_text}" if first else question.input_text


class OpenTeacher(DefaultTeacher):
    """Shows the questions alone."""

    def asked(self, story: Story, question: Said, *, first: bool) -> str:
        """The text of a question."""
        return question.input_text


def _labels(story: Story, turn: int) -> tuple[str, ...]:
    everyone = (story.answers, *story.additional_answers.values())
    return tuple(
        dict.fromkeys(answer.input_text for answers in everyone for answer in answers if answer.turn_id == turn)
    )
