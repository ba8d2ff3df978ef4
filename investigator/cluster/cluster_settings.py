"""Settings for an index distributed over machines."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from investigator.records import Record

LOCAL, AUTO, CLIENT = "local", "auto", "ray://"


def _known_address(address: str) -> str:
    if address and address not in (LOCAL, AUTO) and not address.removeprefix(CLIENT).partition(":")[2].isdecimal():
        raise ValueError(f"cluster.address must be {LOCAL}, {AUTO} or {CLIENT}HOST:PORT")
    return address


class ClusterSettings(Record):
    """The cluster of machines that index and search a folder together."""

    address: Annotated[str, AfterValidator(_known_address)] = Field(
        default="",
        description=f"Ray cluster for the index: {LOCAL} (this machine), {AUTO} (the one that this machine "
        f"belongs to) or {CLIENT}HOST:PORT; empty: no cluster, one index in the workspace",
    )
    shards: int = Field(
        default=0,
        ge=0,
        le=10_000,
        description="number of shards, ideally several per worker; changing it rebuilds the whole index; "
        "0 keeps the existing number, or 8 for a new index",
    )
