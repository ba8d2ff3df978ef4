"""Finds a proposer by name, either built in or from another package.

Another package adds a proposer with an entry point in the group `investigator.proposers`, in its pyproject.toml:

    [project.entry-points."investigator.proposers"]
    toy = "toy_proposer:propose"

From then on `investigator tune ... --search toy` takes the candidates that `propose(workshop)` yields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from investigator.errors import SettingsError
from investigator.plugins import found, load
from investigator.tuning import gepa_search
from investigator.tuning.proposing import Proposer

GROUP = "investigator.proposers"
"""The entry point group for proposers from other packages."""

OWN: Mapping[str, Proposer] = {"gepa": gepa_search.propose}


def proposer_named(name: str) -> Proposer:
    """Return the proposer with the given name. Raises SettingsError, and MissingPackageError if the proposer needs
    another package.
    """
    if name in OWN:
        gepa_search.check_installed()
        return OWN[name]
    points = found(GROUP)
    if name not in points:
        known = ", ".join(dict.fromkeys((*OWN, *points)))
        raise SettingsError(f"unknown proposer {name!r}", hint=f"The known proposers are: {known}.")
    return cast("Proposer", load(points[name]))
