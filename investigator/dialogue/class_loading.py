"""Classes that a user names, loaded from the installed packages."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from types import ModuleType
from typing import TypeVar

from investigator.dialogue.task_strings import Place
from investigator.errors import DialogueError, UnknownTaskError

Kind = TypeVar("Kind")


def load_class(places: Sequence[Place], kind: type[Kind], *, sought: str, hint: str = "") -> type[Kind]:
    """The class at the first of these places whose module there is.

    `sought` says what it is, as in "agent repeat_label". Raises UnknownTaskError, with the hint, where there is no such
    module or no such class in it, and DialogueError where the module needs another one that is missing, or the class
    is not of this kind.
    """
    for place in places:
        module = _module(place.module)
        if module is not None:
            return _class(module, place, kind, sought, hint)
    looked = " or ".join(place.module for place in places)
    raise UnknownTaskError(f"there is no {sought}: no module {looked}", hint=hint)


def _module(name: str) -> ModuleType | None:
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return None
        hint = f"Install the package that holds {error.name}."
        raise DialogueError(f"the module {name} needs {error.name}, which is missing", hint=hint) from error


def _class(module: ModuleType, place: Place, kind: type[Kind], sought: str, hint: str) -> type[Kind]:
    found = getattr(module, place.name, None)
    if found is None:
        raise UnknownTaskError(f"there is no {sought}: the module {place.module} has no class {place.name}", hint=hint)
    if not isinstance(found, type) or not issubclass(found, kind):
        raise DialogueError(f"{place} is no {kind.__name__}", hint=f"Derive the class from {kind.__name__}.")
    if inspect.isabstract(found):
        raise DialogueError(f"{place} is only the base of others", hint=hint or "Name one that derives from it.")
    return found
