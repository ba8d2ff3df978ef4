"""`investigator eval claims`: compares how well the rules and a verifier separate true claims from false ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from investigator.cli.options import AsJson, SettingsOptions
from investigator.cli.output import print_result
from investigator.engines.embedding.verifiers import CrossEncoderVerifier
from investigator.evaluation.claims import measure_claims, read_claims
from investigator.evaluation.tables import claims_text
from investigator.reports.schemas import Printed


def eval_claims(
    claims: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Claims with their quotes and labels.")],
    settings: SettingsOptions,
    as_json: AsJson = False,
) -> None:
    """Measure how well supported claims are separated from unsupported ones.

    Each row has id, claim, quotes (a list of texts), label (true if the quotes support it) and, if known, kind. The
    rules and the model in verify.model are measured by balanced accuracy (0.5 is chance) and false alarms (true claims
    rejected). The last line names the better one on these claims.
    """
    chosen = settings.load().verify
    verifier = CrossEncoderVerifier(chosen.model) if chosen.model else None
    report = measure_claims(read_claims(claims), verifier, chosen.threshold)
    print_result(Printed.CLAIMS_EVALUATION, report, claims_text, as_json=as_json)
