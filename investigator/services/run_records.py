"""Creates the initial record of a run, finds an earlier run to resume, and reads the settings of a run."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from textwrap import shorten
from typing import Any

from pydantic import ValidationError

from investigator.asking.budget import CEILINGS
from investigator.documents.document_ids import known_id
from investigator.engines.base import Engine, traits_of
from investigator.engines.embedding.verifiers import CheckSettings
from investigator.engines.roles import Role
from investigator.errors import FolderError, QuestionError, ReplayError, SettingsError, UnreadableRunError, expect
from investigator.records import EarlierQuestion, Investigation, Record, RunSetup, Search, Trust, UsedEngine
from investigator.research.research_settings import ResearchSettings
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.secrets import redacted
from investigator.settings import Settings
from investigator.store.journal import Run, Runs

LONGEST_QUESTION = 10_000
"""Maximum length of a question, in characters."""
_NEW = {"id", "question", "earlier", "setup"}
_IDENTITY: dict[str, bool | set[str]] = {
    "question": True,
    "earlier": True,
    "setup": {"mission", "strategy", "as_of", "engine", "made_with"},
}
"""What distinguishes runs, beside the scope and the outline, if any."""
_MOST_TURNS = 4
_ANEW = "To start over: --fresh, or `fresh` in Python and the API."
_LONGEST_TURN = 600  # characters of an earlier answer

MATRIX = "matrix-"
"""The beginning of the id of a run that is a matrix."""

REPORT = "report-"
"""The beginning of the id of a run that is a report; its parts are runs whose ids begin with `PART_OF` and that id."""

LAST_RUN = "last"
"""The name for the last run that a user started; matrices and questions in evaluations do not count."""

TrustOf = Callable[[Role, Engine], Trust]
"""Returns how far an engine is trusted in a role."""


class MadeWith(Record):
    """The settings of a run, as stored in its record."""

    research: ResearchSettings
    retrieval: RetrievalSettings
    check: CheckSettings


def valid_question(question: str, called: str = "question") -> str:
    """Return the question without known secrets or surrounding whitespace; errors refer to the question as `called`.
    Raises QuestionError.
    """
    expect(question, str, f"the {called}", QuestionError)
    stripped = redacted(question.strip())
    hint = "Enter at least one word to search for." if called != "question" else ""
    if not stripped:
        raise QuestionError(f"the {called} is empty", hint=hint)
    if any("\ud800" <= character <= "\udfff" for character in stripped):
        raise QuestionError(
            "the question contains characters that are not text (the input was not UTF-8)",
            command="Set the terminal to UTF-8, or put the question into a UTF-8 file and pass - as the question.",
        )
    if not any(character.isalnum() for character in stripped):
        raise QuestionError(f"the {called} contains no words: {stripped[:40]!r}", hint=hint)
    if len(stripped) > LONGEST_QUESTION:
        raise QuestionError(
            f"the {called} has {len(stripped):,} characters; the limit is {LONGEST_QUESTION:,}",
            hint="Put the long text into a file in the folder and ask a short question about it.",
        )
    return stripped


def engine_names(engines: Mapping[Role, Engine]) -> str:
    """Return the name of the engine, or one name for each role if the roles have different engines."""
    names = {role: engine.name for role, engine in engines.items()}
    if len(set(names.values())) == 1:
        return names[Role.ASK]
    return ", ".join(f"{role}={name}" for role, name in names.items())


def distinct_questions(questions: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct questions without known secrets. Raises QuestionError if there are none, or one is faulty."""
    if isinstance(questions, str):
        raise QuestionError("questions must be a list, not one string", hint="Put the question in a list.")
    expect(questions, Iterable, "questions", QuestionError)
    distinct: dict[str, str] = {}
    for question in questions:
        valid = valid_question(question)
        distinct.setdefault(" ".join(valid.split()), valid)
    if not distinct:
        raise QuestionError("no question given", command="Give a file of questions, or ask one with --question.")
    return tuple(distinct.values())


_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("mission", "strategy"), (str, type(None))),
    **dict.fromkeys(("fresh", "cache"), bool),
    **dict.fromkeys(("after", "as_of"), str),
    "only": Sequence,
    "repetition": int,
}


@dataclass(frozen=True)
class RunOptions:
    """The options of a question.

    `only` limits the question to certain documents, given by their ids or by patterns such as `reports/*.pdf`. `fresh`
    starts over and pays again. Replies that other runs paid for are reused for identical prompts, unless `cache` is
    off. `after` is the run that the question follows up on (its id, or `last`); it supplies the context that the
    question omits. A `repetition`, counted from 1, asks the same question again as a separate run without reusing
    replies. `as_of` is the day (ISO 8601) as of which the question is asked; by default, the day of the run.
    """

    mission: str | None = None
    strategy: str | None = None
    only: Sequence[str] = ()
    fresh: bool = False
    cache: bool = True
    after: str = ""
    repetition: int = 0
    as_of: str = ""

    def __post_init__(self) -> None:
        """Raise SettingsError for a value of the wrong type."""
        if isinstance(self.only, str):
            raise SettingsError("only must be a list of documents, not one string", hint=f"Write only=[{self.only!r}]")
        for name, types in _TYPES.items():
            expect(getattr(self, name), types, name, SettingsError)
        for document in self.only:
            expect(document, str, "each document of only", SettingsError)
        if self.as_of and not _is_day(self.as_of):
            raise SettingsError(f"as_of must be a day, not {self.as_of[:40]!r}", hint="Write it as in 2026-03-31.")


def scope_of(only: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the known documents to which a question is limited, or an empty tuple if it is not limited.

    Raises FolderError if an id or a pattern matches no document.
    """
    scope: dict[str, None] = {}
    for name in only:
        own, pattern = known_id(name, known), unicodedata.normalize("NFC", name)
        named = (
            [own]
            if own is not None
            else [other for other in known if fnmatchcase(unicodedata.normalize("NFC", other), pattern)]
        )
        if not named:
            near = get_close_matches(name, known, n=1)
            meant = f"Did you mean {near[0]}? " if near else ""
            raise FolderError(
                f"unknown document {name}",
                hint=f"{meant}Patterns such as a/* work too.",
                command="To list all: investigator index FOLDER --dry-run --json",
            )
        scope.update(dict.fromkeys(named))
    return tuple(sorted(scope))


def new_record(
    question: str,
    options: RunOptions,
    engines: Mapping[Role, Engine],
    settings: Settings,
    trust_of: TrustOf,
    earlier: Sequence[EarlierQuestion] = (),
) -> Investigation:
    """Return the initial record of a run, without a day and a scope; its id, which is empty, begins that of the run.
    `earlier` are the turns that the question may refer to. Raises QuestionError.
    """
    return Investigation(
        id="",
        question=valid_question(question),
        earlier=tuple(earlier),
        setup=RunSetup(
            mission=options.mission or settings.mission,
            strategy=options.strategy or settings.strategy,
            as_of=options.as_of or (settings.as_of.isoformat() if settings.as_of else ""),
            engine=engine_names(engines),
            engines=tuple(
                UsedEngine(role=role, name=engine.name, traits=traits_of(engine), trust=trust_of(role, engine))
                for role, engine in engines.items()
            ),
            made_with=_made_with(settings).model_dump_json(),
        ),
    )


def turns_after(record: Investigation) -> tuple[EarlierQuestion, ...]:
    """Return the turns to which a question after this run may refer, the latest last."""
    answer = shorten(record.answer.text, _LONGEST_TURN, placeholder=" \N{HORIZONTAL ELLIPSIS}") if record.answer else ""
    return (*record.earlier, EarlierQuestion(question=record.full_question, answer=answer))[-_MOST_TURNS:]


def as_it_began(record: Investigation) -> Investigation:
    """Return the record in its initial state."""
    return Investigation.model_validate(record.model_dump(include=_NEW))


def settings_of(record: Investigation, settings: Settings) -> MadeWith:
    """Return the settings of a run, or the current settings if its record contains none. Raises ReplayError."""
    if not record.setup.made_with:
        return _made_with(settings)
    try:
        return MadeWith.model_validate_json(record.setup.made_with)
    except ValidationError as error:
        setting = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ReplayError(
            f"the run {record.id} was made by another version of this program: its setting {setting} is unknown here",
            hint="To read the run: investigator show RUN. To repeat it, ask its question again.",
        ) from error


def _made_with(settings: Settings) -> MadeWith:
    return MadeWith(research=settings.research, retrieval=settings.retrieval, check=settings.check)


def run_identity(new: Investigation, templates: str, repetition: int = 0) -> str:
    """Return a digest that distinguishes the run of a new record from other runs over the same documents. A new grade
    of an engine makes another run, because it may change the status of the answer.
    """
    engines = " ".join(f"{used.traits.sampling} {used.trust}" for used in new.setup.engines)
    again = (f"repetition {repetition}",) if repetition else ()
    outline = filter(None, (new.setup.outline,))
    return digest(new.model_dump_json(include=_IDENTITY), engines, templates, *new.setup.scope, *again, *outline)


def open_run(
    runs: Runs,
    new: Investigation,
    identity: str,
    corpus: str,
    *,
    fresh: bool,
    now: datetime,
    notify: Callable[[str], None] = lambda _: None,
) -> tuple[Run, Investigation]:
    """Start a run, or resume the latest run with the same identity (`run_identity`) over the same `corpus`. A run that
    cannot be read is left as it is, with a notice, and a new one is started.

    Return the run, and the new record with the run's id, which begins with its own, and day; a resumed run keeps its
    original day and search.
    """
    number = f"{new.id}{now:%Y%m%d-%H%M%S}-{digest(identity, now.isoformat())[:6]}"
    named = new.changed(id=number, setup=new.setup.changed(day=day_of(new, now)))
    run = runs.open(identity, corpus, named, now.astimezone(UTC).isoformat(), fresh=fresh)
    try:
        kept = runs.investigation(run.id) if run.resumed else named
    except UnreadableRunError as error:
        notify(f"A new run begins, because {error.message}")
        return open_run(runs, new, identity, corpus, fresh=True, now=now)
    setup = named.setup.changed(day=kept.setup.day, search=kept.setup.search)
    return run, named.changed(id=run.id, setup=setup)


def day_of(new: Investigation, now: datetime) -> str:
    """Return the day of a new run: the one that the user asked for, or today."""
    return new.setup.as_of or now.astimezone().date().isoformat()


def answered_already(record: Investigation) -> str:
    """Return a notice that a run has already ended."""
    if record.answer is not None and record.answer.run.stop in CEILINGS:
        ended = f"Run {record.id} ended with the status {record.answer.status}"
        return f"{ended}; a higher limit resumes it. {_ANEW}"
    early = ", before all passages had vectors" if record.setup.search is Search.CANDIDATES else ""
    day = f" as of {record.setup.day}" if record.setup.day else ""
    return f"Run {record.id} has already answered this{day}{early}. {_ANEW}"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text  # other ISO 8601 forms, such as weeks, are not accepted
    except ValueError:
        return False


def digest(*parts: str) -> str:
    """Return the sha256 of texts, in hexadecimal."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
