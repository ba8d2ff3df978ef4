"""`investigator schema [NAME]`: the JSON Schemas of what commands print with `--json`."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import Annotated

import typer

from investigator.cli.output import print_plain
from investigator.errors import UserError
from investigator.reports.schemas import Printed, json_schema


def schema(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Kind of result, such as investigation.")] = "",
) -> None:
    """List the kinds of JSON that commands print, or print the JSON Schema of one.

    The first field of `--json` output, `schema`, contains its name and version: investigator/investigation/3.
    """
    if not name:
        print_plain("\n".join(kind.schema for kind in Printed))
        return
    known = {spelling: kind for kind in Printed for spelling in (kind.value, kind.schema)}
    if name not in known:
        near = "".join(f"Did you mean {kind}? " for kind in get_close_matches(name, known, n=1))
        raise UserError(f"unknown kind of result {name!r}", hint=f"{near}To list the kinds: investigator schema")
    print_plain(json.dumps(json_schema(known[name]), indent=2))
