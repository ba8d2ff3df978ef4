"""`investigator model [list | pull | remove]`: models that run on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJson
from investigator.cli.output import print_result, resumable, tell
from investigator.cli.progress import display_on
from investigator.engines.gguf.pulled import (
    LocalModel,
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
            pulled, known = pulled_models(), recommended_models()
            others = (model for model in known if model.name not in {each.name for each in pulled})
            listed = ModelList(models=(*pulled, *others))
            print_result(Printed.MODELS, listed, lambda _: models_text(known, pulled), as_json=as_json)


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


def models_text(recommended: Sequence[LocalModel], pulled: Sequence[PulledModel]) -> Text:
    """Return the recommended and pulled models, one per line; ends with a newline."""
    there = {model.name: model for model in pulled}
    known = {model.name: model for model in recommended}
    rows = [_row(name, known.get(name), there.get(name)) for name in dict.fromkeys((*known, *there))]
    note = "For models that are not pulled yet, size and sha256 come from the hub; `model pull` verifies them.\n"
    return columns(rows, heading=_HEADING, left=range(len(_HEADING))).append(f"\n{note}", style="dim")


def _row(name: str, model: LocalModel | None, pulled: PulledModel | None) -> tuple[str, ...]:
    licence = pulled.licence if pulled is not None else model.licence if model is not None else ""
    about = f"about {model.gigabytes:.1f} GB" if model is not None and model.gigabytes else ""
    return (
        inert_line(name),
        inert_line(licence, 30),
        f"{pulled.size / 1e9:.2f} GB" if pulled is not None else about,
        pulled.sha256[:12] if pulled is not None else "",
        inert_line(model.measured if model is not None else "not measured", 80),
        "pulled" if pulled is not None else "",
    )
