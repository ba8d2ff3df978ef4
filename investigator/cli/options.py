"""Groups of options that several commands share; see `lazy_command.with_groups`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.output import note
from investigator.documents.objects import object_address
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.readers.pictures.ocr import why_not
from investigator.errors import FolderError, SettingsError
from investigator.investigator import Investigator
from investigator.settings import Settings, load_settings, unknown_variables

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of documents.")]
Model = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[ROLE=]PROVIDER:NAME",
        help="Language model, for all roles or for one (plan, ask, reflect, answer, check, chat); repeatable. By "
        "default, no language model is used.",
    ),
]
Workspace = Annotated[Path | None, typer.Option(metavar="DIR", help="Directory for the index and the runs.")]
PromptsFolder = Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of your own prompt templates.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print JSON records, one per line.")]


def folder_and_run(first: Path, second: str) -> tuple[Path, str]:
    """Return a folder and a run, given as FOLDER RUN, RUN FOLDER, FOLDER or, in the current folder, RUN."""
    if _is_folder(first) or (not second and len(first.parts) > 1):
        return first, second
    if not second:
        return Path(), str(first)
    return (Path(second), str(first)) if _is_folder(Path(second)) else (first, second)


def _is_folder(path: Path) -> bool:
    return path.is_dir() or bool(object_address(path))


def check_order(folder: Path, words: str, command: str) -> None:
    """Raise FolderError if the folder and the question or query were given in the wrong order."""
    if not folder.exists() and "\0" not in words and Path(words).expanduser().is_dir():
        typed = json.dumps(str(folder), ensure_ascii=False)
        raise FolderError(f"no folder {typed}", hint=f"The folder comes first: investigator {command} {words} {typed}")


def kept_of(
    folder: Path, workspace: Path | None, *, prompts: Path | None = None, settings: Settings | None = None
) -> Investigator:
    """Return an Investigator for reading stored data about a folder, and print the notices about its workspace.

    Raises the same errors as its constructor.
    """
    investigator = Investigator(folder, workspace=workspace, prompts=prompts, settings=settings)
    for notice in investigator.parts.notices():
        note(notice.text)
    return investigator


def _whole_changes(changes: list[str] | None) -> list[str] | None:
    """Reject a change without a value early, because the next word may be a secret that must not appear in an error
    message.
    """
    for change in changes or ():
        if "=" not in change and not _is_file(change):
            raise typer.BadParameter("write it as part.field=value, or name a settings file (.toml or .json)")
    return changes


def _is_file(change: str) -> bool:
    return "=" not in change and change.lower().endswith((".toml", ".json"))


def note_unknown_variables() -> None:
    """Print a note that names environment variables that look like settings, but are none."""
    if unknown := unknown_variables():
        note(f"no setting has the name of these environment variables, so they change nothing: {', '.join(unknown)}")


@dataclass(frozen=True)
class SettingsOptions:
    """Options that change settings from their defaults."""

    given: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PART.FIELD=VALUE",
            help="Change one setting, or all that a settings file (.toml, .json) contains; repeatable. To list all: "
            "investigator settings",
            callback=_whole_changes,
        ),
    ] = None

    @property
    def file(self) -> Path | None:
        """Return the settings file. Raises SettingsError if there are several."""
        files = [Path(change) for change in self.given or () if _is_file(change)]
        if len(files) > 1:
            raise SettingsError("only one settings file can be used", hint="Merge them into one file.")
        return files[0].expanduser() if files else None

    @property
    def changes(self) -> tuple[str, ...]:
        """Return the changes of single settings; they take precedence over the file."""
        return tuple(change for change in self.given or () if not _is_file(change))

    def load(self, *more: str) -> Settings:
        """Return the settings; the `--set` changes in `more` take precedence. Raises the same errors as
        `load_settings`.

        Print a note if explicitly chosen languages for text recognition are missing. There is no such note for the
        default language, because most folders have no pictures.
        """
        settings = load_settings(self.file, [*self.changes, *more])
        note_unknown_variables()
        chosen = settings.reader.ocr_languages != ReaderSettings().ocr_languages
        if chosen and settings.reader.ocr and (obstacle := why_not(settings.reader)):
            note(f"pictures cannot be read in {settings.reader.ocr_languages}: {obstacle}")
        return settings


@dataclass(frozen=True)
class CommonOptions:
    """Options shared by all commands that query a folder."""

    model: Model = None
    workspace: Workspace = None
    prompts: PromptsFolder = None
    settings: SettingsOptions = SettingsOptions()

    def investigator(self, folder: Path, settings: Settings, record: Path | None = None) -> Investigator:
        """Return the Investigator for a folder. Raises the same errors as its constructor."""
        return Investigator(
            folder,
            model=self.model or None,
            settings=settings,
            workspace=self.workspace,
            prompts=self.prompts,
            record=record,
        )
