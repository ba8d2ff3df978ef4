"""Finding and reading the files of tasks: which one is meant, and what is wrong with it where it cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.options import Opt
from investigator.dialogue.text_lines import malformed, text_lines
from investigator.errors import DialogueError, DialogueFormatError
from investigator.evaluation.lines import ForeignRow

FOLD_NAMES = {"train": ("train",), "valid": ("valid", "dev"), "test": ("test",)}
"""What the files of a fold have in their names."""

Row = TypeVar("Row", bound=ForeignRow)
Form = TypeVar("Form")


def fold_of(opt: Opt) -> str:
    """The fold of the datatype: `valid` of `valid:stream`, `train` where there is none."""
    return Datatype(opt.text("datatype", "train")).fold


def named_path(opt: Opt, needed: str = "a file of data") -> Path:
    """What `datafile`, or else `datapath`, names. Raises DialogueError where neither does, or it is not there."""
    task = opt.text("task", "task")
    named = opt.text("datafile") or opt.text("datapath")
    if not named:
        hint = f"Name it: {task}:datafile=PATH, or --datafile PATH"
        raise DialogueError(f"the task {task} needs {needed}", hint=hint)
    path = Path(named).expanduser()
    if not path.exists():
        raise DialogueError(f"there is no file or folder {path}", hint="Name one that exists.")
    return path


def data_file(opt: Opt, *suffixes: str) -> Path:
    """The file that `datafile`, or else `datapath`, names.

    Of a folder it is the one file with one of the suffixes and the fold in its name, or else the only file with one of
    the suffixes. Raises DialogueError where there is none, or more than one.
    """
    path = named_path(opt)
    if path.is_file():
        return path
    return file_of_fold(opt, path, [file for file in path.iterdir() if file.suffix in suffixes])


def file_of_fold(opt: Opt, folder: Path, files: Iterable[Path], kind: str = "data") -> Path:
    """The one of some files of a folder that has the fold in its name, or else the only one.

    Raises DialogueError, which says what kind of file is looked for, where there is none, or more than one.
    """
    fold = fold_of(opt)
    fitting = sorted(file for file in files if file.is_file())
    chosen = [file for file in fitting if _is_of_fold(file, fold)] or fitting
    if len(chosen) != 1:
        found = ", ".join(file.name for file in chosen[:5]) or "none"
        hint = f"Put {fold} into its name, or name the file itself: datafile=PATH. Files that would do: {found}"
        raise DialogueError(f"the folder {folder} does not have one file of {kind} for {fold}", hint=hint)
    return chosen[0]


def json_rows(file: Path, kind: type[Row]) -> Iterator[Row]:
    """The rows of a JSONL file. Raises DialogueFormatError, which names the line."""
    for number, line in text_lines(file):
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            raise malformed(file, number, _reason(error), line) from error


def json_array(file: Path, kind: type[Row]) -> Iterator[Row]:
    """The rows of a file that is one JSON array, or JSONL. Raises DialogueFormatError, which names the place in it."""
    if _content(file).lstrip().startswith(b"["):
        yield from _validated(file, TypeAdapter(tuple[kind, ...]))  # type: ignore[valid-type]
    else:
        yield from json_rows(file, kind)


def json_document(file: Path, kind: type[Row]) -> Row:
    """A file that is one JSON object. Raises DialogueFormatError, which names the place in it."""
    return _validated(file, TypeAdapter(kind))


def _validated(file: Path, form: TypeAdapter[Form]) -> Form:
    try:
        return form.validate_json(_content(file))
    except ValidationError as error:
        raise DialogueFormatError(f"{file} cannot be used: {_reason(error)}", hint="Name another file.") from error


def _reason(error: ValidationError) -> str:
    """Where the first thing is wrong, what, and the value that is there."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    if not where:
        return first["msg"]
    return f"{where}: {first['msg']}, in {first['input']!r:.80}"


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        hint = "Name a file that exists."
        raise DialogueError(f"the data file {file} cannot be read: {error.strerror}", hint=hint) from error


def _is_of_fold(file: Path, fold: str) -> bool:
    words = file.name.lower().replace("-", "_").replace(".", "_").split("_")
    return any(word.startswith(name) for word in words for name in FOLD_NAMES.get(fold, (fold,)))
