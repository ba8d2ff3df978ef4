"""A folder that changes at random, indexed by processes that are killed, ends with the same index as a new one."""

import signal
from pathlib import Path

import pytest
from soak import soak

ROUNDS = 6
"""Enough to find a mistake sooner or later; `python tests/journeys/soak.py 200` is the long form."""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_edits_renames_deletions_and_kills_leave_the_index_of_the_folder_as_it_is(tmp_path: Path) -> None:
    killed = soak(ROUNDS, seed=7, directory=tmp_path)
    assert killed > 0
