"""`investigator watch FOLDER --questions FILE`: keeps the answers to standing questions up to date."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.ask import EffortOptions
from investigator.cli.options import AsJsonLines, CommonOptions, Folder
from investigator.cli.output import note, print_lines, print_styled, resumable, tell
from investigator.cli.progress import Watch, shown
from investigator.errors import RunError, SettingsError
from investigator.records import BatchEnded, Event, Notice, StandingUpdate
from investigator.reports.inert import inert_json_prose
from investigator.reports.schemas import Printed, stamped
from investigator.reports.standing import summary_line, update_text
from investigator.services.question_file import read_question_file
from investigator.services.watching import RESCAN, moments, watched
from investigator.store.workspace import sole_watcher

CHANGED = 6
"""The exit code of `--once` if an answer is new or has changed."""
_KEPT = "the answers are kept; run the same command again to go on."
_LONGEST_COMMAND = 300  # seconds that the command of --exec may take


@dataclass(frozen=True)
class WatchOptions:
    """When a folder is looked at, and what happens if an answer changes."""

    once: Annotated[bool, typer.Option("--once", help="Update the answers once, and exit.")] = False
    command: Annotated[
        str,
        typer.Option(
            "--exec",
            metavar="COMMAND",
            help="Run this command, without a shell, when an answer is new or has changed; it gets the update as JSON "
            "on standard input.",
        ),
    ] = ""
    poll: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0.1,
            help="Compare the files every so many seconds, as network drives need it, which report no changes.",
        ),
    ] = None


def watch(
    folder: Folder,
    common: CommonOptions,
    effort: EffortOptions,
    watching: WatchOptions,
    questions: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The questions: .txt (one per line), .csv (column question), .jsonl (field question). A change of "
            "this file counts at once.",
        ),
    ],
    as_json: AsJsonLines = False,
) -> None:
    """Keep the answers to questions up to date while a folder changes.

    A question is asked again only if a document that its answer cites has changed or is gone, or if a new or changed
    document is among those that the planner would see first; otherwise its answer stands, without a call. What changed
    is shown with the quotes before and now. Answers are kept in the workspace, so the next start goes on from them.
    Limits such as --max-calls apply to each update. Ctrl-C ends it.

    Exit codes of --once: 0 all answers stand, 6 an answer is new or has changed, 1 a question failed or another process
    used the folder for more than five minutes, 2 usage error, 130 interrupted.
    """
    command, file = _command(watching.command), questions.expanduser()
    investigator = common.investigator(folder, common.settings.load(*effort.settings()))
    name, update = str(file.resolve()), investigator.update_standing
    places = (investigator.folder.resolve(), investigator.workspace.resolve())
    read_question_file(file, note)
    code: int | None = None
    noted: set[str] = set()
    with sole_watcher(investigator.workspace), resumable(_KEPT):
        tell(f"updating the answers from {folder}" if watching.once else f"watching {folder}; Ctrl-C ends it")
        for event in watched(
            lambda current: _shown(update(current, name), investigator.parts.watch, noted),
            partial(read_question_file, file),
            [None] if watching.once else moments(*places, file=file, poll=watching.poll),
            patience=RESCAN if watching.once else inf,
        ):
            if isinstance(event, Notice):
                note(event.text)
            elif isinstance(event, BatchEnded) and isinstance(made := event.outcome, StandingUpdate):
                _report(made, command, as_json=as_json, is_first=code is None)
                has_failed = any(question.failure for question in made.asked)
                code = RunError.exit_code if has_failed else CHANGED if made.is_news else 0
    raise typer.Exit(code or 0)


def _report(update: StandingUpdate, command: Sequence[str], *, as_json: bool, is_first: bool) -> None:
    """Print an update, unless it says nothing, and run the command if an answer is new or has changed."""
    if as_json and not update.is_empty:
        print_lines([(Printed.STANDING_UPDATE, update)])
    elif update.asked:
        print_styled(update_text(update))
    if is_first or not update.is_empty:
        tell(summary_line(update))
    if command and update.is_news:
        _run(command, update)


def _shown(events: Iterator[Event], watch: Watch, noted: set[str]) -> Iterator[Event]:
    """Show the events of an update on standard error, and yield the last one, for which the terminal is left free. A
    notice that was shown before is left out.
    """
    unseen = (event for event in events if not isinstance(event, Notice) or event.text not in noted)
    ended: list[Event] = []
    for event in shown(unseen, sys.stderr, watch=watch):
        if isinstance(event, Notice):
            noted.add(event.text)
        elif isinstance(event, BatchEnded):
            ended.append(event)
    yield from ended


def _command(words: str) -> Sequence[str]:
    """Return a command as its words. Raises SettingsError if there is no such program."""
    try:
        command = shlex.split(words, posix=sys.platform != "win32")
    except ValueError as error:
        raise SettingsError(f"--exec {words} is not a command: {error}", hint="Close each quotation mark.") from error
    if command and shutil.which(command[0]) is None:
        raise SettingsError(
            f"the program {command[0]} of --exec was not found",
            hint="Name a program with its arguments. There is no shell; to use one: --exec 'sh -c \"...\"'",
        )
    return command


def _run(command: Sequence[str], update: StandingUpdate) -> None:
    """Run a command with an update as JSON on its standard input, and report what it prints, and its failure."""
    sent = inert_json_prose(stamped(Printed.STANDING_UPDATE, update)) + "\n"
    try:
        done = subprocess.run(
            command,
            input=sent.encode("utf-8"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LONGEST_COMMAND,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        note(f"{command[0]} failed: {error}")
        return
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        tell(f"{command[0]}: {line}")
    if done.returncode != 0:
        note(f"{command[0]} failed with exit code {done.returncode}")
