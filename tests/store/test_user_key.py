"""The key of the user is created once, is readable only by its owner, and is never read through a link."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from investigator.errors import SettingsError
from investigator.store.user_key import KEY_NAME, code, user_key


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: user_key(tmp_path / "data"), range(16)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    (file,) = (tmp_path / "data").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_link_a_pipe_and_half_a_key_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(bytes(32))
    for name in ("link", "pipe", "half"):
        (tmp_path / name).mkdir()
    (tmp_path / "link" / KEY_NAME).symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe" / KEY_NAME)
    (tmp_path / "half" / KEY_NAME).write_bytes(bytes(16))
    for name in ("link", "pipe", "half"):
        with pytest.raises(SettingsError, match=KEY_NAME):
            user_key(tmp_path / name)


def test_a_code_depends_on_key_purpose_and_where_each_text_ends() -> None:
    key = bytes(32)
    codes = {code(key, "a", "b", "c"), code(key, "a", "bc"), code(key, "ab", "c"), code(b"x" * 32, "a", "b", "c")}
    assert len(codes) == 4
    assert code(key, "a", "b", "c") in codes
