"""`investigator settings [PART]`: every setting with its value, default, source and description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from investigator.cli.options import AsJson, SettingsOptions, note_unknown_variables
from investigator.cli.output import print_result
from investigator.errors import SettingsError
from investigator.records.base import Record
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.schemas import Printed
from investigator.settings import (
    Settings,
    SettingSource,
    load_settings,
    setting_fields,
    settings_by_source,
    shown_value,
)


class ListedSetting(Record):
    """A setting; values are written as for `--set`, long ones are shortened, and secrets are hidden."""

    name: str
    value: str
    default: str
    source: SettingSource
    description: str


class SettingsList(Record):
    """Settings in the order of their parts."""

    settings: tuple[ListedSetting, ...]


def settings(
    settings: SettingsOptions,
    part: Annotated[str, typer.Argument(metavar="PART", help="Only this part, such as chat or research.query.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the settings with their values, defaults, sources and descriptions. Secrets are hidden.

    Set one with --set PART.FIELD=VALUE, in a file of settings, or in an environment variable such as
    INVESTIGATOR_CHAT__TIMEOUT.
    """
    listed = listed_settings(settings.file, settings.changes, part.strip("."))
    note_unknown_variables()
    print_result(Printed.SETTINGS, listed, settings_text, as_json=as_json, own=True)


def listed_settings(file: Path | None, overrides: Sequence[str], part: str = "") -> SettingsList:
    """Return the settings of a part, or all. Raises SettingsError if the part or a setting is unknown."""
    loaded, layers = load_settings(file, overrides), settings_by_source(file, overrides)
    listed = []
    for name, field in setting_fields():
        if part and not f"{name}.".startswith(f"{part}."):
            continue
        given = [source for source, values in layers.items() if _is_in(name, values)]
        value, default = (shown_value(attrgetter(name)(settings)) for settings in (loaded, Settings.model_construct()))
        listed.append(
            ListedSetting(
                name=name,
                value=value,
                default=default,
                source=given[-1] if given else SettingSource.DEFAULT,
                description=field.description or "",
            )
        )
    if not listed:
        raise SettingsError(f"no setting is named {part!r}", hint=f"The parts are: {', '.join(Settings.model_fields)}.")
    return SettingsList(settings=tuple(listed))


def _is_in(name: str, values: Mapping[str, Any]) -> bool:
    below: Any = values
    for step in name.split("."):
        if not isinstance(below, Mapping) or step not in below:
            return False
        below = below[step]
    return True


def settings_text(listed: SettingsList) -> Text:
    """Return a table of settings, one per line, that ends with a newline."""
    rows = [
        (
            inert_line(setting.name),
            inert_line(setting.value),
            "" if setting.value == setting.default else inert_line(setting.default),
            setting.source.value,
            setting.description,
        )
        for setting in listed.settings
    ]
    heading = ("setting", "value", "default", "source", "meaning")
    return columns(rows, heading=heading, left=range(len(heading))).append("\n")
