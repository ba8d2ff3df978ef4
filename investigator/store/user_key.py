"""The user's key, and the codes made with it, which let this program recognise its own data."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from pathlib import Path

from platformdirs import user_data_path

from investigator.errors import SettingsError

KEY_NAME = "user.key"
_BYTES = 32
_HINT = "Set XDG_DATA_HOME to a folder that you can write to, or remove the file: a new key is then created."


def user_key(directory: Path | None = None) -> bytes:
    """Return the key of this user, 32 random bytes, creating it on first use; only its owner can read the file. The
    file is in the user's data directory unless another directory is given. Raises SettingsError if the file cannot be
    created or read, or is not a plain file that belongs to this user.
    """
    path = (directory or user_data_path("investigator", appauthor=False)) / KEY_NAME
    try:
        if not os.path.lexists(path):
            _make(path)
        return _read(path)
    except OSError as error:
        raise SettingsError(f"the key {path} cannot be used: {error.strerror or error}", hint=_HINT) from error


def code(key: bytes, purpose: str, *parts: str) -> str:
    """Return the hexadecimal HMAC-SHA256 of the given texts; `purpose` makes a code for one use invalid for others."""
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for part in (purpose, *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def same_code(first: str, second: str) -> bool:
    """Return True if two codes are equal, in constant time."""
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))


def _make(path: Path) -> None:
    """Write a new key to a temporary file and link it into place, so that no process reads half of it; if two processes
    create one, the first key is kept.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{KEY_NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(draft, flags, 0o600), "wb") as file:
        file.write(secrets.token_bytes(_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _read(path: Path) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        foreign = hasattr(os, "getuid") and status.st_uid != os.getuid()
        if foreign or not stat.S_ISREG(status.st_mode) or status.st_size != _BYTES:
            raise SettingsError(f"{path} is not a key of this user", hint=_HINT)
        if hasattr(os, "fchmod") and status.st_mode & 0o077:
            os.fchmod(file.fileno(), 0o600)
        return file.read(_BYTES)
