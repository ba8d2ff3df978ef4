"""Finds the engines, readers and tasks that other packages add through entry points."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from investigator.errors import SettingsError

__all__ = ["EntryPoint", "load", "load_path", "plug_ins"]


def plug_ins(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group (`investigator.engines`), keyed by name; nothing is imported yet.

    Reading the metadata of every installed package takes tens of milliseconds, so call this only for a name that is not
    built in. Results are cached until `sys.path` changes. If two packages add the same name, the package that comes
    first on the path is used.
    """
    return _plug_ins(group, tuple(sys.path))


@cache
def _plug_ins(group: str, path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        points.setdefault(point.name, point)
    return MappingProxyType(points)


def load(point: EntryPoint) -> object:
    """Import the target of an entry point. Raises SettingsError if the plug-in raises any exception."""
    try:
        loaded: object = point.load()
    except Exception as error:  # third-party code may raise any exception
        origin = f" of the package {point.dist.name}" if point.dist is not None else ""
        raise SettingsError(
            f"the plug-in {point.value}{origin} cannot be loaded: {type(error).__name__}: {error}",
            hint="Check that its package is installed with its dependencies, or remove the package.",
        ) from error
    return loaded


def load_path(path: str) -> object:
    """Import the object `package.module:name`. Raises SettingsError if the object does not exist."""
    return load(EntryPoint(name=path, value=path, group=""))
