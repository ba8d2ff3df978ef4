"""`investigator ask FOLDER QUESTION`: investigate a folder and answer."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask_options import (
    AsJson,
    DryRun,
    Fresh,
    MaxCalls,
    MaxMoney,
    MaxSeconds,
    MaxTokens,
    Mission,
    Model,
    NoCache,
    Overrides,
    PromptsFolder,
    RecordFile,
    ReportFile,
    Rounds,
    SettingsFile,
    Strategy,
    TraceFile,
    TracePrompts,
    WorkspaceFolder,
)
from investigator.cli.chosen_settings import chosen_settings
from investigator.cli.output import check_report, print_json, print_styled, print_text, write_report
from investigator.cli.progress import follow
from investigator.errors import QuestionError, SettingsError
from investigator.investigator import Investigator
from investigator.records import AnswerStatus, Forecast, Investigation
from investigator.reports.replayed import forecast_text

EXIT_CODES = {AnswerStatus.ANSWERED: 0, AnswerStatus.NOT_FOUND: 3, AnswerStatus.NOT_FOUND_SO_FAR: 4}


def ask(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of documents.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question; - reads it from standard input.")],
    model: Model = None,
    mission: Mission = None,
    strategy: Strategy = None,
    fresh: Fresh = False,
    no_cache: NoCache = False,
    dry_run: DryRun = False,
    record: RecordFile = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_money: MaxMoney = None,
    max_seconds: MaxSeconds = None,
    rounds: Rounds = None,
    as_json: AsJson = False,
    report: ReportFile = None,
    trace: TraceFile = None,
    trace_prompts: TracePrompts = False,
    workspace: WorkspaceFolder = None,
    prompts: PromptsFolder = None,
    settings: SettingsFile = None,
    overrides: Overrides = None,
) -> None:
    """Answer a question from a folder of documents.

    Every claim of the answer comes with quotes that are proven to stand in the documents.

    Exit codes: 0 answered, 3 not in the documents, 4 not found so far, 1 the run failed, 2 wrong use, 130 interrupted.
    """
    question = _question(question)
    for option, words in (("--mission", mission), ("--strategy", strategy)):
        _check_text(option, words or "")
    if report is not None:
        check_report(report, folder)

    ceilings = _ceilings(max_calls, max_tokens, max_money, max_seconds, rounds)
    investigator = Investigator(
        folder,
        model=model or None,
        settings=chosen_settings(settings, [*(overrides or ()), *ceilings, *_tracing(trace, trace_prompts)]),
        workspace=workspace,
        prompts=prompts,
        record=record,
    )
    if dry_run:
        _print_forecast(investigator.forecast(question, mission=mission, strategy=strategy), investigator, as_json)
        return
    events = investigator.investigate(question, mission=mission, strategy=strategy, fresh=fresh, cache=not no_cache)
    try:
        investigation = follow(events, sys.stderr)
    except KeyboardInterrupt as stop:
        again = "the same command again, without --fresh," if fresh else "the same command again"
        typer.echo(f"interrupted: everything learned so far is kept; run {again} to go on.", err=True)
        raise typer.Exit(130) from stop
    if report is not None:
        write_report(report, investigation)
    _print(investigation, as_json)


def _ceilings(
    calls: int | None, tokens: int | None, money: float | None, seconds: float | None, rounds: int | None
) -> list[str]:
    """The settings that the options for ceilings stand for."""
    given = {
        "budget.calls": calls,
        "budget.tokens": tokens,
        "budget.money": money,
        "budget.seconds": seconds,
        "method.rounds": rounds,
    }
    return [f"{name}={value}" for name, value in given.items() if value is not None]


def _print_forecast(forecast: Forecast, investigator: Investigator, as_json: bool) -> None:

    if as_json:
        print_json(forecast.model_dump_json(indent=2))
    else:
        print_styled(forecast_text(forecast, investigator.engine_name))


def _tracing(file: Path | None, prompts: bool) -> list[str]:
    """The settings that the options for the trace stand for."""
    named = [] if file is None else [f"trace.file={json.dumps(str(file))}"]
    return [*named, "trace.prompts=true"] if prompts else named


def _print(investigation: Investigation, as_json: bool) -> None:
    """Print the outcome and leave with its exit code."""
    if as_json:
        print_json(investigation.model_dump_json(indent=2))
    else:
        print_text(investigation)
    if investigation.answer is not None:
        raise typer.Exit(EXIT_CODES[investigation.answer.status])


def _check_text(option: str, words: str) -> None:
    """Raises SettingsError where an option did not come as text."""
    try:
        words.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SettingsError(f"the words of {option} are not UTF-8 text", hint="Set the terminal to UTF-8.") from error


def _question(words: str) -> str:
    if words == "-":
        if sys.stdin is None:  # closed by whoever started this process
            raise QuestionError("there is no standard input to read the question from")
        try:
            words = sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise QuestionError("the question on standard input is not UTF-8 text") from error
    if not words.strip():
        raise QuestionError("the question is empty")
    return words.strip()
