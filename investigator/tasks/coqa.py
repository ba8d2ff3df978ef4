"""CoQA (Reddy et al. 2019): questions about a story, each of which depends on the earlier ones.

`coqa` shows the story before the first question; `coqa:open` never shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import TypeAdapter

from investigator.errors import DataError
from investigator.files.text_lines import json_document
from investigator.tasks.file_teacher import Fields, FileTeacher, Id, TaskRow


class _StoryTurn(TaskRow):
    input_text: str
    turn_id: int
    span_text: str = ""


class Story(TaskRow):
    """A story, its questions, and the answers of one or more people."""

    id: Id
    source: str = ""
    story: str
    questions: tuple[_StoryTurn, ...]
    answers: tuple[_StoryTurn, ...]
    additional_answers: Mapping[str, tuple[_StoryTurn, ...]] = {}


class _Coqa(TaskRow):
    data: tuple[Story, ...]


class DefaultTeacher(FileTeacher):
    """Shows the story with the first question, and then only the questions. Each story is an episode."""

    suffixes = (".json",)
    expected = "CoQA's JSON: `data` with story, questions and answers, each with input_text and turn_id"
    shows_story: ClassVar[bool] = True

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        """Yield the questions about all stories. Raises DataError if a question has no answer."""
        content = json_document(self.file, TypeAdapter(_Coqa))
        for story in content.data if content else ():
            for turn, question in enumerate(story.questions):
                shown = f"{story.story}\n" if turn == 0 and self.shows_story else ""
                yield {"text": f"{shown}{question.input_text}", **self._known(story, question)}, turn == 0

    def _known(self, story: Story, question: _StoryTurn) -> Fields:
        everyone = (story.answers, *story.additional_answers.values())
        own, *others = ([answer for answer in each if answer.turn_id == question.turn_id] for each in everyone)
        if not own:
            problem = f"turn {question.turn_id} of {story.id} has no answer"
            raise DataError(f"{self.file} cannot be used: {problem}")
        texts = (answer.input_text for answers in (own, *others) for answer in answers)
        return {"labels": tuple(dict.fromkeys(texts)), "evidence": [own[-1].span_text], "story_id": story.id}


class OpenTeacher(DefaultTeacher):
    """Shows only the questions."""

    shows_story = False
