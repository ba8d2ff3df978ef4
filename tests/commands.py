"""Runs commands of `investigator` in this process."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from investigator.cli.main import app


def command(*words: object, stdin: str | bytes | None = None) -> Result:
    """Run `investigator` with these words."""
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)
