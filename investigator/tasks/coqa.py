"""CoQA (Reddy et al. 2019): questions about a story, each of which depends on the earlier ones.

`coqa` shows the story before the first question; `coqa:open` never shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from investigator.errors import DialogueFormatError
from investigator.tasks.file_teacher import Fields, FileTeacher
from investigator.tasks.rows import Id, TaskRow, json_document


class Said(TaskRow):
    """A question."""

    input_text: str
    turn_id: int


class FreeAnswer(Said):
    """A free-form answer, and the words in the story that support it."""

    span_text: str = ""


class Story(TaskRow):
    """A story, its questions, and the answers of one or more people."""

    id: Id
    source: str = ""
    story: str
    questions: tuple[Said, ...]
    answers: tuple[FreeAnswer, ...]
    additional_answers: Mapping[str, tuple[FreeAnswer, ...]] = {}


class Coqa(TaskRow):
    """A CoQA file: stories with questions and answers."""

    data: tuple[Story, ...]


class DefaultTeacher(FileTeacher):
    """Shows the story with the first question, and then only the questions. Each story is an episode."""

    suffixes = (".json",)
    expected = "CoQA's JSON: `data` with story, questions and answers, each with input_text and turn_id"

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        """Yield the questions about all stories. Raises DialogueFormatError if a question has no answer."""
        for content in json_document(self.file, Coqa):
            for story in content.data:
                for turn, question in enumerate(story.questions):
                    yield self._fields(story, question, first=turn == 0), turn == 0

    def asked(self, story: Story, question: Said, *, first: bool) -> str:
        """Return the text of a question."""
        return f"{story.story}\n{question.input_text}" if first else question.input_text

    def _fields(self, story: Story, question: Said, *, first: bool) -> Fields:
        given = [answer for answer in story.answers if answer.turn_id == question.turn_id]
        if not given:
            told = f"{self.file} cannot be used: turn {question.turn_id} of {story.id} has no answer"
            raise DialogueFormatError(told)
        return {
            "text": self.asked(story, question, first=first),
            "labels": _labels(story, question.turn_id),
            "evidence": [given[-1].span_text],
            "story_id": story.id,
        }


class OpenTeacher(DefaultTeacher):
    """Shows only the questions."""

    def asked(self, story: Story, question: Said, *, first: bool) -> str:
        return question.input_text


def _labels(story: Story, turn: int) -> tuple[str, ...]:
    everyone = (story.answers, *story.additional_answers.values())
    return tuple(
        dict.fromkeys(answer.input_text for answers in everyone for answer in answers if answer.turn_id == turn)
    )
