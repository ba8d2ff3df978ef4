"""Shows a table of local models. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from investigator.engines.gguf.pulled import LocalModel, PulledModel
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line

_HEADING = ("model", "licence", "size", "sha256", "in our benchmarks", "")


def models_text(recommended: Sequence[LocalModel], pulled: Sequence[PulledModel]) -> Text:
    """Return the recommended and pulled models, one per line; ends with a newline."""
    there = {model.name: model for model in pulled}
    known = {model.name: model for model in recommended}
    rows = [_row(name, known.get(name), there.get(name)) for name in dict.fromkeys((*known, *there))]
    note = Text("For models that are not pulled yet, size and sha256 come from the hub; `model pull` verifies them.")
    note.stylize("dim")
    return Text("\n").join([columns(rows, heading=_HEADING, left=range(len(_HEADING))), note]).append("\n")


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
