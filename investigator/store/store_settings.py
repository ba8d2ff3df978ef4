"""Settings for the store: where runs and memories are kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from investigator.records import Record
from investigator.secrets import register_address

_DRIVER = "postgresql+psycopg://"


def _known_address(url: str) -> str:
    register_address(url, user=False)
    if url.startswith("postgresql://"):
        return _DRIVER + url.removeprefix("postgresql://")
    if url and not url.startswith(_DRIVER):
        raise ValueError(f"store.url must be a PostgreSQL address that begins with {_DRIVER}")
    return url


class StoreSettings(Record):
    """Settings for the database of runs and memories."""

    url: Annotated[str, AfterValidator(_known_address)] = Field(
        default="",
        description="a PostgreSQL database for runs and memories, which several machines can share, as "
        f"{_DRIVER}USER@HOST/DATABASE; empty: a file in the workspace",
    )
    name: str = Field(
        default="",
        max_length=58,
        pattern=r"^[A-Za-z0-9._-]*$",
        description="folder name in that database, the same on all machines; empty: derived from the folder's path",
    )
