"""`investigator prompts list | show | check | copy | diff`: templates and their folders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.asking.prompts import Prompts, check_templates
from investigator.asking.templates import source_of
from investigator.bb3.records import CONTRACTS
from investigator.cli.options import AsJson, PromptsFolder
from investigator.cli.output import print_record, print_result, print_styled, tell
from investigator.errors import TemplateError
from investigator.reports.schemas import Printed
from investigator.resources import prompts_folder
from investigator.workbench.catalogue import card, cards, copy_templates, differences, named
from investigator.workbench.records import TemplateList
from investigator.workbench.wording import card_text, cards_text, checked_text, diff_text

_SMALL_CONTEXT = 4096
_SHARE_FOR_VALUES = 2  # half of the context is reserved for passages and the reply

Name = Annotated[str, typer.Argument(metavar="NAME", help="Template, such as query/ask.")]
Directory = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of templates.")]


def list_templates(prompts: PromptsFolder = None, as_json: AsJson = False) -> None:
    """List the templates with their purpose, input, expected reply and length."""
    listed = cards(Prompts(prompts, CONTRACTS))
    if as_json:
        print_record(Printed.TEMPLATES, TemplateList(templates=listed), own=True)
    else:
        print_styled(cards_text(listed))


def show(name: Name, prompts: PromptsFolder = None, as_json: AsJson = False) -> None:
    """Show a template with its variables, an example of each, the expected reply, and the allowed syntax."""
    own = Prompts(prompts, CONTRACTS)
    (only, *_) = named([name])
    shown = card(only, own)
    if as_json:
        print_record(Printed.TEMPLATE, shown, own=True)
    else:
        print_styled(card_text(shown, source_of(own.path(only))))


def check(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder of templates; default: the shipped ones.")
    ] = None,
    context: Annotated[
        int,
        typer.Option(
            metavar="TOKENS", min=256, help="Context size of the model in tokens; fixed text may fill half of it."
        ),
    ] = _SMALL_CONTEXT,
    as_json: AsJson = False,
) -> None:
    """Check templates against their contracts, and report all problems in all files at once; no model is called.

    The problems found are broken syntax, forbidden constructs, unknown variables, missing required variables, reply
    fields that the template does not request, misspelt fields of values, fixed text that is too long, and files that
    are not named after a template.

    Exit codes: 0 no problem, 2 problems found.
    """
    checked = check_templates(folder or prompts_folder(), CONTRACTS, context // _SHARE_FOR_VALUES)
    if not checked.templates and not checked.problems:
        raise TemplateError(
            f"no template found in {checked.folder}",
            hint="Copy one into it: investigator prompts copy query/ask DIR",
        )
    print_result(Printed.TEMPLATE_CHECK, checked, checked_text, as_json=as_json, own=True)
    if checked.problems:
        raise typer.Exit(2)


def copy(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Templates, or patterns such as 'query/*'.")],
    folder: Directory,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing templates.")] = False,
) -> None:
    """Copy shipped templates into your own folder to change them; `--prompts DIR` then uses that folder."""
    for place in copy_templates(named(names), folder, force=force):
        tell(f"copied to {place}")


def diff(folder: Directory) -> None:
    """Show a unified diff between the shipped templates and the templates in a folder."""
    if lines := differences(folder):
        print_styled(diff_text(lines))
    else:
        tell("no difference")
