"""Copies folders in object storage (s3://BUCKET/PREFIX) to this machine, and uses the objects' etags to keep the copies
up to date.

Questions, quotes and proofs refer to the copy. Like any folder, the copy is scanned whenever documents are read.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from investigator.errors import (
    CredentialError,
    DiskFullError,
    FolderError,
    SettingsError,
    SourceChangedError,
    WorkspaceLockedError,
)
from investigator.files import make_private_folder, open_private, read_private, write_private
from investigator.records import Record
from investigator.resources.distribution import install_command
from investigator.secrets import is_secret, register
from investigator.store.locations import place_of_copy

if TYPE_CHECKING:
    from obstore import GetOptions

MOST_OBJECTS, MOST_BYTES = 200_000, 20_000_000_000
"""Larger folders are not copied."""
_ADDRESS = re.compile(r"(s3|gs|az)://?([^/@?#]+(?:/[^?#]*)?)")
_VARIABLES = ("AWS_", "AZURE_", "GOOGLE_")
_PIECE = 8_000_000  # bytes per request
_AT_ONCE = 8  # maximum number of concurrent downloads
_SAVED_AFTER = 200  # save the progress after this many objects, so that a killed process loses little
_LONGEST_STATE = 1_000_000_000
_LONGEST_NAME = 200  # maximum number of bytes in a file name
_ODD = re.compile(r"[\x00-\x1f\x7f\\]|^\.{0,2}$")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_REFUSED = re.compile(r"status code: 40[13]\b|ExpiredToken")
_GO_ON = "Completed downloads are kept: run the same command again to resume."


class CopiedObject(Record):
    """An object: its etag, which changes with its content, its size in bytes, and its path in the copy. The time of
    the file reveals changes; it is 0 until the object is copied.
    """

    etag: str
    size: int
    place: str
    mtime_ns: int = 0


class _Copy(Record):
    """All objects in a copy, keyed by object key."""

    objects: dict[str, CopiedObject] = Field(default_factory=dict)


def object_address(folder: str | Path) -> str:
    """Return the address of a folder in object storage, even if it was parsed as a path; empty for other folders."""
    named = _ADDRESS.fullmatch(str(folder))
    return f"{named[1]}://{named[2].rstrip('/')}" if named else ""


class ObjectFolder:
    """A folder in object storage, and its copy in the user's data directory; `folder` is the path of the copy.
    Credentials come only from the environment (such as AWS_ACCESS_KEY_ID) and are not stored.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._place = place_of_copy(address)
        self.folder = self._place / "files"
        for directory in (self._place, self.folder):
            make_private_folder(directory)

    def bring_down(self, notice: Callable[[str], None]) -> None:
        """Copy new and changed objects, delete the copies of deleted ones, and report a summary if anything changed.

        Raises SettingsError, CredentialError, SourceChangedError or DiskFullError; FolderError if there are no
        objects, too many objects, or they cannot be listed; and WorkspaceLockedError if another process is downloading
        them.
        """
        for name, value in os.environ.items():
            if name.startswith(_VARIABLES) and is_secret(name):
                register(value)
        with self._alone(), _translated(self.address):
            store = _opened(self.address)
            listed, before = self._listed(store), self._read()
            kept = {key: copy for key, copy in before.items() if self._is_current(listed.get(key), copy)}
            for key in before.keys() - kept.keys():
                self._delete(before[key].place)
            new = {key: entry for key, entry in listed.items() if key not in kept}
            self._copy(store, new, kept)
            if new or len(before) != len(kept):
                size = sum(entry.size for entry in new.values()) / 1e6
                gone = len(before.keys() - listed.keys())
                copied = f"{len(new):,} object{'' if len(new) == 1 else 's'} copied ({size:,.1f} MB)"
                notice(f"{self.address}: {copied}, {gone:,} deleted, {len(listed):,} in total.")

    def _listed(self, store: Any) -> dict[str, CopiedObject]:
        import obstore

        entries: dict[str, tuple[str, int]] = {}
        size = 0
        for part in obstore.list(store, chunk_size=1000):
            for about in part:
                if not about["path"].endswith("/"):  # such an object only marks an empty folder
                    entries[about["path"]] = (about["e_tag"] or "", about["size"])
                    size += about["size"]
            if len(entries) > MOST_OBJECTS or size > MOST_BYTES:
                limits = f"{MOST_OBJECTS:,} objects, or more than {MOST_BYTES / 1e9:,.1f} GB"
                hint = "Use a longer prefix: all objects are copied to this machine."
                raise FolderError(f"{self.address} contains more than {limits}", hint=hint)
        if not entries:
            raise FolderError(f"{self.address} contains no objects", hint="Check the bucket and the prefix.")
        where = places(entries)
        return {key: CopiedObject(etag=etag, size=size, place=where[key]) for key, (etag, size) in entries.items()}

    def _is_current(self, listed: CopiedObject | None, copied: CopiedObject) -> bool:
        """Return True if the copy of an object has the object's current content and was not modified."""
        try:
            about = os.lstat(self.folder / copied.place)
        except OSError:
            return False
        same = listed is not None and bool(listed.etag) and listed == copied.changed(mtime_ns=0)
        return same and (about.st_size, about.st_mtime_ns) == (copied.size, copied.mtime_ns)

    def _copy(self, store: Any, new: Mapping[str, CopiedObject], kept: dict[str, CopiedObject]) -> None:
        """Copy objects concurrently; progress is recorded even if one fails."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            left = iter(new)
            while keys := tuple(islice(left, _SAVED_AFTER)):
                tasks = {key: pool.submit(self._fetch, store, key, new[key]) for key in keys}
                failures = [task.exception() for task in tasks.values()]
                kept.update({key: task.result() for key, task in tasks.items() if task.exception() is None})
                self._write(kept)
                for failure in filter(None, failures):
                    raise failure
        self._write(kept)

    def _fetch(self, store: Any, key: str, entry: CopiedObject) -> CopiedObject:
        """Copy one object, in pieces that must all belong to the listed version."""
        import obstore

        target = self.folder / entry.place
        draft = self._place / f"new-{secrets.token_hex(8)}"
        try:
            with open(open_private(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                for start in range(0, entry.size, _PIECE):
                    piece = (start, min(start + _PIECE, entry.size))
                    options: GetOptions = {"range": piece, "if_match": entry.etag} if entry.etag else {"range": piece}
                    file.write(obstore.get(store, key, options=options).bytes())
            if draft.stat().st_size != entry.size:
                raise _changed(f"{self.address}/{key}")
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.replace(target)
        except (obstore.exceptions.PreconditionError, obstore.exceptions.NotFoundError) as error:
            raise _changed(f"{self.address}/{key}") from error
        finally:
            draft.unlink(missing_ok=True)
        return entry.changed(mtime_ns=target.stat().st_mtime_ns)

    def _delete(self, place: str) -> None:
        target = self.folder / place
        target.unlink(missing_ok=True)
        for parent in target.relative_to(self.folder).parents:
            try:
                (self.folder / parent).rmdir() if str(parent) != "." else None
            except OSError:
                return

    def _read(self) -> dict[str, CopiedObject]:
        try:
            return _Copy.model_validate_json(read_private(self._place / "objects.json", _LONGEST_STATE)).objects
        except (OSError, ValidationError):
            return {}

    def _write(self, objects: Mapping[str, CopiedObject]) -> None:
        write_private(self._place / "objects.json", _Copy(objects=dict(objects)).model_dump_json().encode())

    @contextmanager
    def _alone(self) -> Iterator[None]:
        from filelock import FileLock, Timeout  # a folder on this machine must not wait for the import

        try:
            with FileLock(str(self._place / "lock"), mode=0o600, timeout=0):
                yield
        except Timeout:
            raise WorkspaceLockedError(f"another process is copying {self.address}") from None


def places(keys: Iterable[str]) -> dict[str, str]:
    """Map each key to a relative path, the key itself if possible. No two paths are equal, and none is below
    another.
    """
    named = {key: "/".join(map(_name, key.split("/"))) for key in sorted(keys)}
    taken = {place[:at] for place in named.values() for at, sign in enumerate(place) if sign == "/"}
    for key, place in named.items():
        while place in taken:
            place += "%"
        named[key] = place
        taken.add(place)
    return named


def _name(name: str) -> str:
    """Return a part of a key's path, escaped if it is not a valid file name."""
    if not _ODD.search(name) and len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"%{digest}-{re.sub(r'[^A-Za-z0-9._-]+', '-', name)[-60:]}"


def _changed(address: str) -> SourceChangedError:
    return SourceChangedError(f"the object {address} was changed while it was copied", hint=_GO_ON)


def _opened(address: str) -> Any:
    from obstore.store import from_url

    named = (value for name, value in os.environ.items() if name.startswith(_VARIABLES) and "ENDPOINT" in name)
    plain = any(endpoint.startswith("http://") for endpoint in named)  # a server that the user has configured
    return from_url(
        address,
        client_options={"connect_timeout": "10s", "timeout": "60s", "allow_http": plain},
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=60)},
    )


@contextmanager
def _translated(address: str) -> Iterator[None]:
    try:
        from obstore.exceptions import BaseError
    except ImportError as error:
        raise SettingsError(
            "folders in object storage need the package obstore",
            hint=f"Install it with: {install_command('objects')}",
        ) from error
    try:
        yield
    except (BaseError, FileNotFoundError) as error:
        raise _own_error(error, address) from error
    except OSError as error:
        raise DiskFullError(f"the copy of {address} cannot be written: {error.strerror}", hint=_GO_ON) from error


def _own_error(error: Exception, address: str) -> CredentialError | FolderError:
    message, kind = str(error).partition("Debug source")[0].strip(), type(error).__name__
    code = _CODE.search(message)
    reason = code[1] if code is not None else message
    if kind in {"PermissionDeniedError", "UnauthenticatedError"} or _REFUSED.search(message):
        return CredentialError(
            f"{address} rejects the credentials: {reason}",
            hint="Set or renew them in environment variables such as AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and "
            f"AWS_SESSION_TOKEN; files such as ~/.aws are not read. {_GO_ON}",
        )
    if kind == "InvalidPathError":
        hint = "Rename the object, or use a prefix that does not include it: empty names, . and .. are not supported."
        return FolderError(f"{address} cannot be read: {reason}", hint=hint)
    hint = f"Check the bucket and the prefix, AWS_REGION and, for your own server, AWS_ENDPOINT_URL. {_GO_ON}"
    return FolderError(f"{address} cannot be read: {reason}", hint=hint)
