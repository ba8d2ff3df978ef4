"""Creates the initial record of a run, finds an earlier run to resume, and reads the settings of a run."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase

from pydantic import ValidationError

from investigator.asking.budget import CEILINGS
from investigator.engines.base import Engine, traits_of
from investigator.engines.embedding.verifiers import VerifySettings
from investigator.engines.roles import Role
from investigator.errors import FolderError, QuestionError, ReplayError, SettingsError, expect
from investigator.questions.following import EarlierQuestion, completed
from investigator.questions.spelling import with_respelled_request
from investigator.records import Investigation, Quote, Record, Search, UsedEngine
from investigator.research.method_settings import MethodSettings
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.secrets import redacted
from investigator.settings import Settings
from investigator.store.journal import Run, Runs

LONGEST_QUESTION = 10_000
"""Maximum length of a question, in characters."""
_IDENTITY = {"question", "mission", "strategy", "engine", "made_with"}  # the scope, if any, is also compared
_NEW = _IDENTITY | {"id", "scope", "engines", "search", "follows", "templates", "matrix"}


LAST_RUN = "last"
"""The name for the last run that a user started; matrix cells and questions in evaluations do not count."""
MATRIX_RUN = "matrix-"
"""Prefix of a matrix id. A matrix is not a run; its cells are."""


class MadeWith(Record):
    """The settings of a run, as stored in its record."""

    method: MethodSettings
    retrieval: RetrievalSettings
    verify: VerifySettings = VerifySettings()


def valid_question(question: str, called: str = "question") -> str:
    """Return the question without known secrets or surrounding whitespace; errors refer to the question as `called`.
    Raises QuestionError.
    """
    expect(question, str, f"the {called}", QuestionError)
    stripped = redacted(question.strip())
    if not stripped:
        hint = "Enter at least one word to search for." if called != "question" else ""
        raise QuestionError(f"the {called} is empty", hint=hint)
    if any("\ud800" <= character <= "\udfff" for character in stripped):
        raise QuestionError(
            "the question contains characters that are not text (the input was not UTF-8)",
            hint="Set the terminal to UTF-8, or put the question into a UTF-8 file and pass - as the question.",
        )
    if not any(character.isalnum() for character in stripped):
        raise QuestionError(f"the {called} contains no words: {stripped[:40]!r}")
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


@dataclass(frozen=True)
class RunOptions:
    """The options of a question.

    `only` limits the question to certain documents, given by their ids or by patterns such as `reports/*.pdf`. `fresh`
    starts over and pays again. Replies that other runs paid for are reused for identical prompts, unless `cache` is
    off. `after` is the run that the question follows up on (its id, or `last`); it supplies the context that the
    question omits. A `repetition`, counted from 1, asks the same question again as a separate run without reusing
    replies.
    """

    mission: str | None = None
    strategy: str | None = None
    only: Sequence[str] = ()
    fresh: bool = False
    cache: bool = True
    after: str = ""
    repetition: int = 0

    def __post_init__(self) -> None:
        """Raise SettingsError for a value of the wrong type."""
        for name in ("mission", "strategy"):
            expect(getattr(self, name), (str, type(None)), name, SettingsError)
        if isinstance(self.only, str):
            raise SettingsError("only must be a list of documents, not one string", hint=f"Write only=[{self.only!r}]")
        expect(self.only, Sequence, "only", SettingsError)
        for document in self.only:
            expect(document, str, "each document of only", SettingsError)
        for name in ("fresh", "cache"):
            expect(getattr(self, name), bool, name, SettingsError)
        expect(self.after, str, "after", SettingsError)
        expect(self.repetition, int, "repetition", SettingsError)

    @property
    def reuses(self) -> bool:
        """Return True if replies that other runs paid for may be used."""
        return self.cache and not self.fresh and not self.repetition


def scope_of(only: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the known documents to which a question is limited, or an empty tuple if it is not limited.

    Raises FolderError if an id or a pattern matches no document.
    """
    scope: dict[str, None] = {}
    for name in only:
        named = [name] if name in known else [one for one in known if fnmatchcase(one, name)]
        if not named:
            near = get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}? " if near else ""
            raise FolderError(
                f"unknown document {name}",
                hint=f"{hint}To list all: investigator status FOLDER --json. Patterns such as 'reports/*' work too.",
            )
        scope.update(dict.fromkeys(named))
    return tuple(sorted(scope))


def new_record(
    question: str,
    options: RunOptions,
    engines: Mapping[Role, Engine],
    settings: Settings,
    before: Sequence[EarlierQuestion] = (),
) -> Investigation:
    """Return the initial record of a run, without an id and a scope. Mistyped words in the request are corrected, and a
    question that refers to the questions `before` it is completed; the original wording is also kept. Raises
    QuestionError.
    """
    said = valid_question(question)
    asked = completed(with_respelled_request(said), before)
    return Investigation(
        id="",
        question=asked,
        follows=said if asked != said else "",
        mission=options.mission or settings.mission,
        strategy=options.strategy or settings.strategy,
        engine=engine_names(engines),
        engines=tuple(UsedEngine(role=role, name=e.name, traits=traits_of(e)) for role, e in engines.items()),
        made_with=_made_with(settings).model_dump_json(),
    )


def matrix_id(records: Sequence[Investigation]) -> str:
    """Return the matrix id for the given new records; it is the same for the same questions and settings."""
    return f"{MATRIX_RUN}{_digest(*(record.model_dump_json(include=_IDENTITY) for record in records))[:8]}"


def earlier_question(record: Investigation) -> EarlierQuestion:
    """Return the subject of a run, to complete a follow-up question."""
    quotes = record.answer.citations if record.answer is not None else ()
    cited = Counter(quote.document_id for quote in quotes)
    return EarlierQuestion(record.question, tuple(name for name, _ in cited.most_common()))


def as_it_began(record: Investigation) -> Investigation:
    """Return the record in its initial state."""
    return Investigation.model_validate(record.model_dump(include=_NEW))


def settings_of(record: Investigation, settings: Settings) -> MadeWith:
    """Return the settings of a run, or the current settings if its record contains none. Raises ReplayError."""
    if not record.made_with:
        return _made_with(settings)
    try:
        return MadeWith.model_validate_json(record.made_with)
    except ValidationError as error:
        setting = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ReplayError(
            f"the run {record.id} was made by another version of this program: its setting {setting} is unknown here",
            hint="To read the run: investigator show RUN. To repeat it, ask its question again.",
        ) from error


def _made_with(settings: Settings) -> MadeWith:
    return MadeWith(method=settings.method, retrieval=settings.retrieval, verify=settings.verify)


def run_identity(new: Investigation, templates: str, repetition: int = 0) -> str:
    """Return a digest that distinguishes the run of a new record from other runs over the same documents."""
    sampling = " ".join(used.traits.sampling for used in new.engines)
    again = (f"repetition {repetition}",) if repetition else ()
    return _digest(new.model_dump_json(include=_IDENTITY), sampling, templates, *new.scope, *again)


def open_run(
    runs: Runs, new: Investigation, identity: str, corpus: str, *, fresh: bool, now: datetime
) -> tuple[Run, Investigation]:
    """Start a run, or resume the latest run with the same identity (`run_identity`) and documents (`corpus_digest`).

    Return the run, and the new record with the run's id; a resumed run keeps its original search.
    """
    named = new.changed(id=f"{now:%Y%m%d-%H%M%S}-{_digest(identity, now.isoformat())[:6]}")
    run = runs.open(identity, corpus, named, now.astimezone(UTC).isoformat(), fresh=fresh)
    search = runs.investigation(run.id).search if run.resumed else named.search
    return run, named.changed(id=run.id, search=search)


def corpus_digest(fingerprint: str, embedder: str, chunks: str) -> str:
    """Return a digest of a run's documents, which covers their fingerprint and the index settings."""
    return _digest(fingerprint, f"{embedder} {chunks}")


def answered_already(record: Investigation) -> str:
    """Return a notice that a run has already ended."""
    if record.answer is not None and record.answer.stop in CEILINGS:
        ended = f"Run {record.id} ended with the status {record.answer.outcome}"
        return f"{ended}; a higher limit resumes it. --fresh starts over."
    early = ", before all passages had vectors" if record.search is Search.CANDIDATES else ""
    return f"Run {record.id} has already answered this{early}; --fresh starts over."


def quotes_gone(run_id: str, gone: Sequence[Quote], total: int) -> str:
    """Return a notice that a run's quotes are no longer in the files."""
    places = ", ".join(dict.fromkeys(quote.place for quote in gone))
    are = "is" if len(gone) == 1 else "are"
    return f"{len(gone)} of {total} quotes of the run {run_id} {are} no longer in the files: {places}"


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
