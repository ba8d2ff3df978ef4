"""The entry point: investigates a folder, searches the folder's index, and reads stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from investigator.asking.budget import Budget
from investigator.documents.folder import check_folder
from investigator.documents.objects import ObjectFolder, object_address
from investigator.engines.base import Embedder
from investigator.errors import FolderError, SettingsError, StoreError, expect
from investigator.records import Answer, Answered, BatchEnded, Matrix, OutlinePart
from investigator.research.schema import TypedSchema, read_schema
from investigator.services.investigations import Investigations
from investigator.services.model_roles import Model
from investigator.services.parts import Parts
from investigator.services.run_records import RunOptions, engine_names
from investigator.services.workspace_choice import choose_workspace
from investigator.settings import Settings, load_settings

if TYPE_CHECKING:
    from langchain_core.callbacks import BaseCallbackHandler
    from pydantic import BaseModel


class Investigator(Investigations):
    """Investigates a folder of documents; its index, runs and memories are kept in `workspace`.

        answer = Investigator("folder").ask("How long was the follow-up?")
        print(answer.status, answer.text)

    `folder` is a path, or the address of a folder in object storage (s3://BUCKET/PREFIX), which is copied to this
    machine. `model` is `provider:name`, several `role=provider:name`, an Engine, or an Engine for each role; without it
    the built-in engine answers, and no language model is used. `settings` come from `load_settings`. `workspace` is the
    directory of the index, by default in the user's data directory. `prompts` is a folder of templates that replace
    shipped templates. `embedder` replaces the embedding model. LangChain's `callbacks` receive every call of a chat
    model. The language model's replies are appended to the `record` file; the model `recorded:FILE` replays them later.
    `joint` is a budget that this Investigator shares with others; it applies to individual questions.

    Attributes: `folder` and `workspace` (paths), `engines` (the engine of each role), `engine_name`, and `parts` (the
    components of a run). A workspace runs one question at a time: a second one raises WorkspaceLockedError.

    Raises FolderError, SettingsError, TemplateError or CredentialError if these cannot be used.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        model: Model | None = None,
        settings: Settings | None = None,
        workspace: str | Path | None = None,
        prompts: str | Path | None = None,
        embedder: Embedder | None = None,
        callbacks: Sequence[BaseCallbackHandler] = (),
        record: str | Path | None = None,
        joint: Budget | None = None,
    ) -> None:
        settings, notices = _settings(settings), list[str]()
        expect(callbacks, Sequence, "callbacks", SettingsError)
        expect(joint, (Budget, type(None)), "joint", SettingsError)
        address = object_address(folder)
        objects = ObjectFolder(address) if address else None
        place = objects.folder if objects is not None else _path(folder, "folder")
        check_folder(place)
        chosen = _path(workspace, "workspace") if workspace is not None else None
        own_prompts = _path(prompts, "prompts") if prompts is not None else None
        kept_in = choose_workspace(place, chosen, settings.folder, notices.append)
        parts = Parts(settings, embedder=embedder, prompts=own_prompts, callbacks=callbacks)
        engines = parts.engines(model, _path(record, "record") if record is not None else None, place)
        bring_down = objects.bring_down if objects is not None else None
        super().__init__(place, kept_in, parts, engines, joint, bring_down)
        for notice in notices:
            parts.notify(notice)

    @property
    def engine_name(self) -> str:
        """Return the name of the engine, or one name per role if they differ."""
        return engine_names(self.engines)

    def ask(
        self,
        question: str,
        *,
        mission: str | None = None,
        strategy: str | None = None,
        only: Sequence[str] = (),
        after: str = "",
        fresh: bool = False,
        cache: bool = True,
        as_of: str = "",
    ) -> Answer:
        """Investigate and answer. Takes the fields of `RunOptions`, and raises the errors of `investigate`."""
        options = RunOptions(mission, strategy, only, fresh, cache, after, as_of=as_of)
        for event in self.investigate(question, options):
            if isinstance(event, Answered) and event.investigation.answer is not None:
                return event.investigation.answer
        raise StoreError("the investigation ended without an answer")

    def matrix(self, questions: Sequence[str] | TypedSchema, options: RunOptions = RunOptions()) -> Matrix:
        """Ask each document every question. Raises the errors of `investigate_matrix`."""
        for event in self.investigate_matrix(questions, options):
            if isinstance(event, BatchEnded) and isinstance(event.outcome, Matrix):
                return event.outcome
        raise StoreError("the matrix ended without an outcome")

    def extract(self, schema: type[BaseModel] | Mapping[str, Any] | str, options: RunOptions = RunOptions()) -> Matrix:
        """Read the values of a pydantic class or a JSON Schema from each document. Raises DataError for a schema that
        cannot be used, and the errors of `investigate_matrix`.
        """
        return self.matrix(read_schema(schema), options)

    def report(
        self,
        subject: str,
        options: RunOptions = RunOptions(),
        *,
        outline: Sequence[OutlinePart] = (),
        is_update: bool = False,
    ) -> Answer:
        """Write a report, whose sections are in the answer. Raises the errors of `write_report`."""
        for event in self.write_report(subject, options, outline=outline, is_update=is_update):
            if isinstance(event, Answered) and event.investigation.answer is not None:
                return event.investigation.answer
        raise StoreError("the report ended without an answer")


def _settings(settings: object) -> Settings:
    if isinstance(settings, Settings):
        return settings
    if settings is not None:
        hint = 'Create settings with: load_settings(None, ["research.rounds=2"])'
        raise SettingsError(f"settings must be Settings, not {type(settings).__name__}", hint=hint)
    return load_settings()


def _path(path: str | Path, called: str) -> Path:
    expect(path, (str, Path), called, FolderError)
    return Path(path).expanduser()
