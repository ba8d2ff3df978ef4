"""`investigator prompts show | copy`: templates, and trials of them on real steps."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from investigator.asking.contracts import METHOD, SYNTAX, example_of
from investigator.asking.prompts import Prompts, nearest, template_version
from investigator.asking.templates import SUFFIX, file_in, source_of
from investigator.bb3.records import CONTRACTS
from investigator.cli.ask import EffortOptions
from investigator.cli.options import CommonOptions, Folder
from investigator.cli.output import note, print_plain, print_record, print_result, tell
from investigator.cli.progress import display_on
from investigator.engines.base import guessed_tokens, traits_of
from investigator.engines.roles import role_of
from investigator.errors import SettingsError, TemplateError, UserError
from investigator.files import write_private
from investigator.investigator import Investigator
from investigator.reports.schemas import Printed
from investigator.reports.wording import plural
from investigator.resources import prompts_folder
from investigator.workbench.trial import TemplateCard, TemplateList, TemplateTrial, judged, trial_text, tried
from investigator.workbench.uses import FoundUses, uses_in

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of templates.")]
Question = Annotated[
    str | None, typer.Argument(metavar="QUESTION", help="Question about the folder; or use --run instead.")
]

_HEAD = re.compile(r"\{#-?\s*Purpose:\s*(.+?)\.?\s*Variables:", re.DOTALL)
_OWNERS = {"bb3": "chat"}


def _card(name: str, prompts: Prompts) -> TemplateCard:
    contract, file, shipped = CONTRACTS[name], prompts.path(name), _shipped(name)
    owner = name.partition("/")[0]
    head = _HEAD.search(source_of(shipped))
    return TemplateCard(
        name=name,
        owner=_OWNERS.get(owner) or owner.title().replace("_", ""),
        purpose=" ".join(head[1].split()) if head else "",
        file=str(file),
        own=file != shipped,
        tokens=template_version(name, source_of(file)).tokens,
        variables=tuple(contract.variables.model_fields),
        must_use=contract.must_use,
        reply=contract.reply.__name__ if contract.reply else "",
        must_name=contract.must_name,
    )


def _list_text(listed: TemplateList) -> Text:
    lines = []
    for template in listed.templates:
        reply = f"reply {template.reply}" if template.reply else "no engine is called"
        own = ", yours" if template.own else ""
        names = ", ".join(f"{name}{'*' * (name in template.must_use)}" for name in template.variables)
        size = f"  {template.owner}, about {plural(template.tokens, 'token')} of fixed text, {reply}{own}"
        lines += [Text.assemble((template.name, "bold"), size), Text(f"  {template.purpose}")]
        lines.append(Text(f"  {names}", style="dim"))
    return Text("\n").join([*lines, Text("* required", style="dim"), Text(SYNTAX, style="dim")]).append("\n")


def copy(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Templates, or patterns such as 'query/*'.")],
    folder: Directory,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing templates.")] = False,
) -> None:
    """Copy shipped templates into your own folder to change them; `--prompts DIR` then uses that folder."""
    places = {name: folder / f"{name}{SUFFIX}" for pattern in names for name in _named(pattern)}
    there = [str(place) for name, place in places.items() if file_in(folder, f"{name}{SUFFIX}") is not None]
    if there and not force:
        raise UserError(f"files already exist: {', '.join(there)}", hint="Choose another folder, or add --force.")
    for name, place in places.items():
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_private(place, _shipped(name).read_bytes())
        except OSError as error:
            raise UserError(f"{place} cannot be written: {error.strerror}", hint="Choose another folder.") from error
        tell(f"copied to {place}")


def _named(pattern: str) -> Sequence[str]:
    """Return the names of templates that match a name or pattern, such as `query/*`. Raises TemplateError."""
    wanted = pattern.removesuffix(SUFFIX)
    names = [name for name in CONTRACTS if fnmatchcase(name, wanted)]
    if not names:
        near = nearest(wanted, tuple(CONTRACTS))
        meant = f"Did you mean {near}? " if near else ""
        raise TemplateError(f"unknown template {pattern}", hint=f"{meant}To list all: investigator prompts show")
    return names


def _shipped(name: str) -> Path:
    return prompts_folder() / f"{name}{SUFFIX}"


@dataclass(frozen=True)
class StepOptions:
    """Options that select the step for a template."""

    run: Annotated[str | None, typer.Option("--run", metavar="RUN", help="Stored run, as listed by `show`.")] = None
    step: Annotated[
        int, typer.Option(metavar="N", min=1, help="Number of the step among those that use the template.")
    ] = 1
    ran_with: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the templates that the run used, if any.")
    ] = None

    @contextmanager
    def uses(self, name: str, investigator: Investigator, question: str | None) -> Iterator[FoundUses]:
        """Open the run, or simulate a run of the question. Raises SettingsError."""
        if name not in METHOD:
            hint = f"To try it: investigator dialogue module {name.partition('/')[2]} --prompts DIR"
            raise SettingsError(f"{name} is a chat template, which no run uses", hint=f"{hint} [--show-prompt]")
        if bool(question) == bool(self.run):
            raise SettingsError("expected either a question or a run", hint="For example: FOLDER --run RUN")
        with uses_in(investigator, self.run or "", question or "") as uses:
            yield uses


def show(
    common: CommonOptions,
    which: StepOptions,
    effort: EffortOptions,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Template, such as query/ask; without it: list all.")
    ] = "",
    folder: Folder = Path(),
    question: Question = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask the model again; ignore stored replies.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: the list, the variables of the prompt, or the trial.")
    ] = False,
) -> None:
    """List the templates, print the prompt that one produces for a step, or send it to a model.

    The list has the purpose, variables, expected reply and length of each template. The prompt is that of a step of a
    stored run, or of the first step that a question would reach with the built-in engine; without folder, question or
    run, its variables are examples.

    With --model, the prompt is sent, and the reply is shown after the earlier reply: that of the stored run or, for a
    question, that of the same model with the shipped template. The output has the replies, their parsed content or the
    parsing error, the proven quotes, and the score. Every call is stored: repeating the command costs nothing.
    """
    if not name:
        own = Prompts(common.prompts, CONTRACTS)
        listed = TemplateList(templates=tuple(_card(name, own) for name in CONTRACTS))
        print_result(Printed.TEMPLATES, listed, _list_text, as_json=as_json, own=True)
    elif common.model:
        _try(_named(name)[0], common, which, effort, folder, question, fresh=fresh, as_json=as_json)
    elif fresh or any(effort.settings()):
        raise UserError("a prompt that is only shown needs no calls", hint="Name a model to send it to: --model MODEL")
    else:
        _render(_named(name)[0], common, which, folder, question, as_json=as_json)


def _render(
    name: str, common: CommonOptions, which: StepOptions, folder: Path, question: str | None, *, as_json: bool
) -> None:
    own = Prompts(common.prompts, CONTRACTS)
    values = example_of(CONTRACTS[name].variables)
    if question is not None or which.run is not None:
        investigator = replace(common, prompts=which.ran_with).investigator(folder, common.settings.load())
        with which.uses(name, investigator, question) as uses:
            values = uses.of(name, which.step).prompt.variables
    text = own.render(own.path(name), values)
    if as_json:
        print_record(Printed.TEMPLATE_VARIABLES, values)
    else:
        print_plain(text)
    tell(f"about {plural(guessed_tokens(text), 'token')}")


def _try(
    name: str,
    common: CommonOptions,
    which: StepOptions,
    effort: EffortOptions,
    folder: Path,
    question: str | None,
    *,
    fresh: bool,
    as_json: bool,
) -> None:
    settings = common.settings.load(*effort.settings())
    investigator = replace(common, prompts=which.ran_with).investigator(folder, settings)
    parts = investigator.parts
    own = parts.with_prompts(common.prompts)
    file, shipped = own.prompts.path(name), "shipped template"
    source = shipped if file == _shipped(name) else str(file)
    with which.uses(name, investigator, question) as uses, display_on(sys.stderr, time.monotonic) as display:
        parts.watch(display.show_writing)
        use, load = uses.of(name, which.step), uses.library.document
        is_compared = not use.replies and file != parts.prompts.path(name)
        variants = [parts, own] if is_compared else [own]
        sent, usage = tried(uses, use, investigator, variants, datetime.now(UTC), fresh=fresh)
        before = judged(sent[0], shipped, load) if is_compared else None
        if use.replies:
            before = judged(use, f"run {uses.record.id}", load)
        after = judged(sent[-1], source, load)
    trial = TemplateTrial(template=name, about=uses.record.question, old=before, new=after, usage=usage)
    if not traits_of(investigator.engines[role_of(name)]).is_model:
        note(
            "the built-in engine answers from the variables, regardless of the template; choose a --model for this role"
        )
    for notice in parts.notices():
        note(notice.text)
    print_result(Printed.TEMPLATE_TRIAL, trial, trial_text, as_json=as_json)
