"""HotpotQA (Yang et al. 2018): questions that need more than one paragraph. `hotpotqa` shows all paragraphs and the
question, `hotpotqa:gold` shows only the paragraphs that are needed, and `hotpotqa:open` shows only the question. Fields
that only 2WikiMultiHopQA has are read as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, NamedTuple

from pydantic import BeforeValidator, Field, TypeAdapter

from investigator.files.text_lines import json_document, json_rows
from investigator.tasks.file_teacher import Fields, FileTeacher, Id, TaskRow


class Paragraph(NamedTuple):
    """A paragraph with its title."""

    title: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the title and the sentences."""
        return f"{self.title}\n{''.join(self.sentences).strip()}"


class Fact(NamedTuple):
    """A supporting sentence, with its index in its paragraph."""

    title: str
    sentence: int


def _pairs(second: str) -> BeforeValidator:
    """Parse pairs in any of the published forms: as pairs, as two columns, or as either of these in a JSON string."""

    def paired(value: object) -> object:
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except RecursionError as error:
                raise ValueError("it is nested too deeply") from error
        if isinstance(value, dict) and isinstance(value.get("title"), list) and isinstance(value.get(second), list):
            value = list(zip(value["title"], value[second], strict=True))
        return _as_tuples(value)

    return BeforeValidator(paired)


def _as_tuples(value: object) -> object:
    """Convert lists, however nested, to tuples, as rows require."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list | tuple) else value


class MultiHopRow(TaskRow):
    """A question from HotpotQA or 2WikiMultiHopQA. Test files have neither answers nor facts."""

    id: Id = Field(alias="_id", min_length=1)
    question: str = Field(min_length=1)
    answer: str | None = None
    type: str | None = None
    level: str | None = None
    context: Annotated[tuple[Paragraph, ...], _pairs("sentences")]
    supporting_facts: Annotated[tuple[Fact, ...], _pairs("sent_id")] = ()
    evidences: tuple[tuple[str, str, str], ...] = ()

    @property
    def gold(self) -> tuple[Paragraph, ...]:
        """Return the supporting paragraphs."""
        titles = {fact.title for fact in self.supporting_facts}
        return tuple(paragraph for paragraph in self.context if paragraph.title in titles)

    @property
    def evidence(self) -> list[str]:
        """Return the supporting sentences, except the few in the data that do not exist."""
        sentences = {(paragraph.title, n): text for paragraph in self.context for n, text in enumerate(paragraph[1])}
        return [sentences[fact].strip() for fact in self.supporting_facts if fact in sentences]


class DefaultTeacher(FileTeacher):
    """Shows all paragraphs and the question. The supporting sentences are in `evidence`."""

    suffixes: ClassVar = (".json", ".jsonl")
    expected = "an array of questions (.json) or one per line (.jsonl): _id, question, context and, if known, answer"

    def examples(self) -> Iterator[tuple[Fields, bool]]:
        if self.file.suffix == ".jsonl":
            yield from ((self._fields(row), True) for _, row in json_rows(self.file, MultiHopRow))
        else:
            rows = json_document(self.file, TypeAdapter(tuple[MultiHopRow, ...])) or ()
            yield from ((self._fields(row), True) for row in rows)

    def _fields(self, row: MultiHopRow) -> Fields:
        return {
            "text": "\n\n".join([*(paragraph.text for paragraph in self.shown(row)), row.question]),
            **({} if row.answer is None else {"labels": (row.answer,)}),
            "question_id": row.id,
            "question_type": row.type or "",
            "documents": [paragraph.title for paragraph in row.gold],
            "evidence": row.evidence,
            **({"reasoning": [list(triple) for triple in row.evidences]} if row.evidences else {}),
        }

    def shown(self, row: MultiHopRow) -> Sequence[Paragraph]:
        """Return the paragraphs shown before the question."""
        return row.context


class GoldTeacher(DefaultTeacher):
    """Shows only the paragraphs needed for the answer, and the question."""

    def shown(self, row: MultiHopRow) -> Sequence[Paragraph]:
        return row.gold


class OpenTeacher(DefaultTeacher):
    """Shows only the question."""

    def shown(self, row: MultiHopRow) -> Sequence[Paragraph]:
        return ()
