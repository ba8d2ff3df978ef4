"""From a question to the run that investigates it: checked, identified, begun or gone on with."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from pydantic import ValidationError

from investigator.asking.budget import CEILINGS, BudgetSettings, ceiling_reached
from investigator.asking.prompts import Prompts
from investigator.engines.base import Engine, traits_of
from investigator.engines.roles import Role
from investigator.errors import QuestionError, ReplayError
from investigator.records import Investigation, Record, Search, UsedEngine
from investigator.research.method_settings import MethodSettings
from investigator.retrieval.folder_index import FolderIndex
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.scoring.prices import Price
from investigator.settings import Settings
from investigator.store.database import Database
from investigator.store.journal import Journal, Run, Runs

_LONGEST_QUESTION = 10_000
_IDENTITY = {"question", "mission", "strategy", "engine", "made_with"}


class MadeWith(Record):
    """The settings that an investigation was made with, as its record keeps them."""

    method: MethodSettings
    retrieval: RetrievalSettings


def checked(question: str) -> str:
    """The question without white space around it. Raises QuestionError where it cannot be asked."""
    asked = question.strip()
    if not asked:
        raise QuestionError("the question is empty")
    if any("\ud800" <= character <= "\udfff" for character in asked):
        raise QuestionError(
            "the question holds characters that are no text (it did not come as UTF-8)",
            hint="Set the terminal to UTF-8, or put the question into a UTF-8 file and ask with - as the question.",
        )
    if len(asked) > _LONGEST_QUESTION:
        raise QuestionError(
            f"the question has {len(asked):,} characters, the most is {_LONGEST_QUESTION:,}",
            hint="Put the long text into a file of the folder and ask a short question about it.",
        )
    return asked


def name_of(engines: Mapping[Role, Engine]) -> str:
    """Who answers: one name, or one for each role where they differ."""
    names = {role: engine.name for role, engine in engines.items()}
    if len(set(names.values())) == 1:
        return names[Role.ASK]
    return ", ".join(f"{role}={name}" for role, name in names.items())


def blank_case(
    question: str, mission: str | None, strategy: str | None, engines: Mapping[Role, Engine], settings: Settings
) -> Investigation:
    """The record that an investigation starts with, without an id."""
    return Investigation(
        id="",
        question=question,
        mission=mission or settings.mission,
        strategy=strategy or settings.strategy,
        engine=name_of(engines),
        engines=tuple(UsedEngine(role=role, name=e.name, traits=traits_of(e)) for role, e in engines.items()),
        made_with=MadeWith(method=settings.method, retrieval=settings.retrieval).model_dump_json(),
    )


def made_with(case: Investigation, settings: Settings) -> MadeWith:
    """The settings of a kept run; those of today where its record names none. Raises ReplayError."""
    if not case.made_with:
        return MadeWith(method=settings.method, retrieval=settings.retrieval)
    try:
        return MadeWith.model_validate_json(case.made_with)
    except ValidationError as error:
        setting = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ReplayError(
            f"the run {case.id} was made by another version of this program: its setting {setting} is not known here",
            hint="Read it with: investigator show RUN, or ask its question again to investigate anew.",
        ) from error


def open_run(
    database: Database,
    index: FolderIndex,
    blank: Investigation,
    prompts: Prompts,
    corpus_settings: str,
    *,
    fresh: bool,
    now: datetime,
) -> tuple[Run, Investigation]:
    """The run of a case over the documents as they are, begun or gone on with, and the case with its id."""
    sampling = " ".join(used.traits.sampling for used in blank.engines)
    identity = _digest(blank.model_dump_json(include=_IDENTITY), sampling, prompts.fingerprint())
    corpus = _digest(index.corpus.fingerprint(), corpus_settings)
    run_id = f"{now:%Y%m%d-%H%M%S}-{_digest(identity, now.isoformat())[:6]}"
    begun = blank.changed(id=run_id, search=index.best_search())
    runs = Runs(database)
    run = runs.open(identity, corpus, begun, now.astimezone(UTC).isoformat(), fresh=fresh)
    search = runs.investigation(run.id).search if run.resumed else begun.search  # a run goes on as it began
    return run, begun.changed(id=run.id, search=search)


def finished(
    database: Database, run: Run, budget: BudgetSettings, price_of: Callable[[str], Price | None]
) -> Investigation | None:
    """The record of a run that has ended; one that a ceiling stopped has not, once the ceiling is higher."""
    if not run.finished:
        return None
    case = Runs(database).investigation(run.id)
    if case.answer is not None and case.answer.stop in CEILINGS:
        journal = Journal(database, run.id, time.monotonic, reuse=False, price_of=price_of)
        if not ceiling_reached(budget, journal.usage(), journal.elapsed()):
            return None
    return case


def answered_already(done: Investigation) -> str:
    """That a run has ended before, in a sentence."""
    if done.answer is not None and done.answer.stop in CEILINGS:
        ended = f"Run {done.id} ended as {done.answer.outcome}"
        return f"{ended}; it goes on with a higher ceiling. --fresh investigates anew."
    early = ", which was before all passages had vectors" if done.search is Search.CANDIDATES else ""
    return f"Run {done.id} has answered this already{early}; --fresh investigates anew."


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
