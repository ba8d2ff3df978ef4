"""Invalid options of a chat are reported before anything is read or loaded."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import command


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--search-server", "ftp://x"], "'ftp://x' is not the address of a search server"),
        (["--banana", "1"], "unknown option --banana"),
    ],
)
def test_wrong_options_are_told_before_the_folder_is_looked_at(tmp_path: Path, options: list[str], error: str) -> None:
    result = command("chat", tmp_path / "nowhere", *options, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {error}")
    assert len(result.stderr.splitlines()) == 2
