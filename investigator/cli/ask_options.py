"""The options of `investigator ask`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Model = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[ROLE=]PROVIDER:NAME",
        help="The language model, for every role or for one; repeatable. Without it no language model is used.",
    ),
]
Mission = Annotated[str | None, typer.Option(metavar="TEXT", help="What the investigation is for.")]
Strategy = Annotated[str | None, typer.Option(metavar="TEXT", help="How to go about it.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on with a kept run.")]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Do not use replies that other runs got to the same prompts.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the plan and the calls and tokens to expect; ask no language model.")
]
RecordFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep the model's replies in this file; --model recorded:FILE gives them again."),
]
MaxCalls = Annotated[int | None, typer.Option(metavar="N", help="Stop before more engine calls than this.")]
MaxTokens = Annotated[int | None, typer.Option(metavar="N", help="Stop before more tokens than this.")]
MaxMoney = Annotated[float | None, typer.Option(metavar="USD", help="Stop before it costs more than this.")]
MaxSeconds = Annotated[float | None, typer.Option(metavar="S", help="Make no call after so many seconds.")]
Rounds = Annotated[int | None, typer.Option(metavar="N", help="Rounds of planning and asking, at most.")]
TraceFile = Annotated[
    Path | None, typer.Option(metavar="FILE.jsonl", help="Also add a line of JSON for each engine call to this file.")
]
TracePrompts = Annotated[
    bool, typer.Option("--trace-prompts", help="Write the texts of prompts and replies into that file too.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the whole investigation as JSON.")]
ReportFile = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Also write the report to this HTML file.")]
WorkspaceFolder = Annotated[Path | None, typer.Option(metavar="DIR", help="Where the index and the runs are kept.")]
PromptsFolder = Annotated[Path | None, typer.Option(metavar="DIR", help="A folder of your own prompt templates.")]
SettingsFile = Annotated[Path | None, typer.Option(metavar="FILE", help="A settings file.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="PART.FIELD=VALUE", help="Change one setting; repeatable.")
]
