"""`investigator model [list | pull | remove]`: models that run on this machine."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJson
from investigator.cli.output import print_result, resumable, tell
from investigator.cli.progress import display_on
from investigator.engines.gguf.pulled import (
    ModelList,
    PulledModel,
    model_named,
    models_folder,
    pulled_models,
    recommended_models,
    remove_pulled,
)
from investigator.engines.gguf.pulled import pull as fetch
from investigator.records import Progressed
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.schemas import Printed

_MEGABYTE = 1_000_000
_HEADING = ("model", "licence", "size", "sha256", "in our benchmarks", "")


class ModelAction(StrEnum):
    """An action on models."""

    LIST = "list"
    PULL = "pull"
    REMOVE = "remove"


def model(
    action: Annotated[ModelAction, typer.Argument(metavar="ACTION", help="list, pull [NAME], remove NAME")] = (
        ModelAction.LIST
    ),
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A name from the list, or OWNER/REPOSITORY:FILE.gguf.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the models that run on this machine, fetch one, or delete one. `pull` without a name fetches the first in
    the list.

    The file comes from huggingface.co, or the hub that HF_ENDPOINT names, and is verified by the hub's checksum. To
    resume a stopped download, run the same command again. Use it with `--model local` or `--model NAME`.
    """
    match action:
        case ModelAction.PULL:
            _pull(name)
        case ModelAction.REMOVE:
            removed = remove_pulled(name)
            tell(f"removed {removed.name} ({removed.size / 1e9:.1f} GB)")
        case ModelAction.LIST:
            pulled = pulled_models()
            others = (model for model in recommended_models() if model.name not in {each.name for each in pulled})
            print_result(Printed.MODELS, ModelList(models=(*pulled, *others)), models_text, as_json=as_json)


def _pull(name: str) -> None:
    model = model_named(name)
    tell(f"fetching {model.repo}:{model.file} into {models_folder()}")
    kept = "the download so far is kept; run the same command again to resume."
    with resumable(kept), display_on(sys.stderr) as display:

        def show(done: int, total: int) -> None:
            display.show(Progressed(phase="megabytes", done=done // _MEGABYTE, total=-(-total // _MEGABYTE)))

        pulled = fetch(model, datetime.now(UTC), show)
    tell(f"sha256 {pulled.sha256}, licence {pulled.licence or 'not stated by the hub'}, according to the hub")
    tell(f'To use the model: investigator ask FOLDER "question" --model {pulled.name}')


def models_text(listed: ModelList) -> Text:
    """Return the models, one per line; ends with a newline."""
    measured = {model.name: model.measured for model in recommended_models()}
    rows = []
    for model in listed.models:
        size, sha256, state = "", "", ""
        if isinstance(model, PulledModel):
            size, sha256, state = f"{model.size / 1e9:.2f} GB", model.sha256[:12], "pulled"
        elif model.gigabytes:
            size = f"about {model.gigabytes:.1f} GB"
        benchmark = inert_line(measured.get(model.name, "not measured"), 80)
        rows.append((inert_line(model.name), inert_line(model.licence, 30), size, sha256, benchmark, state))
    note = "For models that are not pulled yet, size and sha256 come from the hub; `model pull` verifies them.\n"
    return columns(rows, heading=_HEADING, left=range(len(_HEADING))).append(f"\n{note}", style="dim")
