"""The sides of `models.py`: `investigator ask`, and one prompt over the ten best passages of `investigator search`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Annotated

from jinja2 import Environment
from models_rows import MARK, Row, Side, Task, blank_row, right_by_text, shown_statement

from investigator import Investigator
from investigator.asking.replies import read_reply
from investigator.engines.base import Embedder, Engine, tokens_of, traits_of
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError, ReplyError
from investigator.proof.quotes import quote_at
from investigator.records import (
    Answer,
    Answered,
    AnswerStatus,
    Decision,
    Event,
    PartStatus,
    Passage,
    Prompt,
    QuestionVariables,
    Record,
)
from investigator.records.exchanges import Judgement, Text
from investigator.services.run_records import RunOptions
from investigator.settings import Settings, load_settings

PASSAGES = 10
_AT_ONCE = 4
"""Number of folders that are open at the same time."""
_PROMPT = Environment(autoescape=False, trim_blocks=True, lstrip_blocks=True).from_string(
    Path(__file__).with_name("one_prompt.j2").read_text("utf-8")
)
_STATUSES: Mapping[PartStatus, AnswerStatus] = {
    PartStatus.ANSWERED: AnswerStatus.ANSWERED,
    PartStatus.IN_PART: AnswerStatus.ANSWERED_IN_PART,
    PartStatus.PREMISE_WRONG: AnswerStatus.PREMISE_WRONG,
    PartStatus.NOT_STATED: AnswerStatus.NOT_FOUND,
}


class OnePromptReply(Record):
    """The reply that the single prompt requests."""

    status: Annotated[PartStatus, Judgement] = PartStatus.NOT_STATED
    answer: Text


@dataclass(frozen=True)
class Setup:
    """The model, the settings and the place of the workspaces; `jobs` questions of a folder are asked at once."""

    model: tuple[str, ...]
    overrides: tuple[str, ...] = ()
    settings_file: Path | None = None
    workspaces: Path = Path(".benchmarks")
    jobs: int = 8
    embedder: Embedder = field(default_factory=SentenceTransformerEmbedder)

    def settings(self, overrides: Sequence[str] = ()) -> Settings:
        """Return the settings, the user's last."""
        return load_settings(self.settings_file, [*overrides, *self.overrides])

    def investigator(
        self, folder: Path, overrides: Sequence[str] = (), engines: Mapping[Role, Engine] | None = None
    ) -> Investigator:
        """Return the investigator of a folder, whose workspace has the name of the set."""
        return Investigator(
            folder,
            model=engines or self.model,
            settings=self.settings(overrides),
            workspace=self.workspaces / folder.parent.name,
            embedder=self.embedder,
        )


def ask_all(setup: Setup, tasks: Sequence[Task], keep: Callable[[Row], None]) -> None:
    """Ask the questions, several folders and several questions of each at the same time; the choices of settings take
    turns. `keep` gets each row as soon as it is known, from one thread at a time.
    """
    keeping = Lock()

    def kept(row: Row) -> None:
        with keeping:
            keep(row)

    folders = [list(own) for _, own in groupby(sorted(tasks, key=_folder), key=_folder)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done in as_completed([pool.submit(_ask_folder, setup, own, kept) for own in folders]):
            done.result()


def _folder(task: Task) -> str:
    return str(task.folder)


def _ask_folder(setup: Setup, tasks: Sequence[Task], keep: Callable[[Row], None]) -> None:
    for overrides in dict.fromkeys(task.side.overrides for task in tasks):
        own = [task for task in tasks if task.side.overrides == overrides]
        _ask_tasks(setup.investigator(own[0].folder, overrides), own, setup.jobs, keep)


def _ask_tasks(investigator: Investigator, tasks: Sequence[Task], jobs: int, keep: Callable[[Row], None]) -> None:
    for _ in investigator.index(vectors=True):
        pass
    alone = [task for task in tasks if task.side is Side.ONE_PROMPT]
    with investigator.library() as library:
        passages = {task.key: [hit.passage for hit in library.hits(task.question.wording, PASSAGES)] for task in alone}
    with investigator.opened() as ask, ThreadPoolExecutor(jobs) as pool:

        def answer(task: Task) -> None:
            blank, began = blank_row(task, investigator.engine_name), time.monotonic()
            try:
                if task.key in passages:
                    row = one_prompt(blank, task, investigator.engines[Role.ANSWER], passages[task.key])
                else:
                    row = investigated(blank, task, investigator, ask(task.question.wording, RunOptions(fresh=True)))
            except InvestigatorError as error:
                row = blank.changed(failure=f"{type(error).__name__}: {error.message}")
            keep(row.changed(seconds=round(time.monotonic() - began, 1)))

        for done in as_completed([pool.submit(answer, task) for task in tasks]):
            done.result()


def investigated(blank: Row, task: Task, investigator: Investigator, events: Iterable[Event]) -> Row:
    """Return the row of the method, given the events of its investigation."""
    (run,) = [event.investigation for event in events if isinstance(event, Answered)]
    answer = run.answer
    if answer is None:
        return blank.changed(failure="the investigation ended without an answer")
    documents = investigator.cited_documents(run.citations)
    citations = answer.citations
    indexed = [quote for quote in citations if quote.document_id in documents]
    return blank.changed(
        run_id=run.id,
        status=answer.status,
        reason=answer.reason,
        text=answer.text,
        sources=tuple(_source(quote.document_id, quote.page) for quote in citations),
        documents=belonging(answer),
        statements=tuple(map(shown_statement, answer.statements)),
        withheld=tuple(map(shown_statement, answer.check.withheld)),
        not_stated=tuple(entry.text for entry in answer.not_stated),
        quotes=len(citations),
        standing=sum(quote_at(documents[quote.document_id], quote.start, quote.end) == quote for quote in indexed),
        rounds=len(run.rounds),
        is_right=right_by_text(task.question, answer.text),
        calls=run.usage.calls,
        input_tokens=run.usage.input_tokens,
        output_tokens=run.usage.output_tokens,
    )


def belonging(answer: Answer) -> tuple[str, ...]:
    """Return the documents that an answer names: those that its table says belong, or else those that it cites."""
    if answer.table:
        return tuple(row.document_id for row in answer.table if row.decision is Decision.YES)
    cited = (quote.document_id for statement in answer.statements for quote in statement.quotes)
    return tuple(dict.fromkeys(cited))


def one_prompt(blank: Row, task: Task, engine: Engine, passages: Sequence[Passage]) -> Row:
    """Return the row of a single prompt with as many of the passages as fit. Raises EngineError."""
    question, room = task.question.wording, traits_of(engine).context_tokens
    for count in range(len(passages), -1, -1):
        text = _PROMPT.render(question=question, passages=passages[:count])
        if room is None or tokens_of(engine, text) <= room:
            break
    variables = QuestionVariables(document_id="", purpose=question, perspectives="")
    reply = engine.reply(Prompt("answer/answer", variables, text, OnePromptReply))
    try:
        read = read_reply(reply.text, OnePromptReply)
    except ReplyError:
        read = OnePromptReply(status=PartStatus.ANSWERED, answer=reply.text)
    numbers = [int(number) for mark in MARK.findall(read.answer) for number in mark.split(",")]
    named = [passages[number - 1].document_id for number in numbers if 0 < number <= len(passages)]
    return blank.changed(
        status=_STATUSES[read.status],
        text=read.answer,
        sources=tuple(_source(passage.document_id, passage.page) for passage in passages),
        documents=tuple(dict.fromkeys(named)),
        is_right=right_by_text(task.question, read.answer),
        calls=1,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
    )


def _source(document_id: str, page: int | None) -> str:
    return f"{document_id}, page {page}" if page else document_id
