"""Files of one user are private whatever the umask; links, pipes and files of other users are never opened."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from investigator.errors import ForeignFileError
from investigator.files import (
    check_private_file,
    check_private_folder,
    make_private_folder,
    open_private,
    read_private,
    write_private,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


@pytest.fixture(params=[0o000, 0o077, 0o777], ids=oct)
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.usefixtures("_umask")
def test_permissions_do_not_depend_on_the_umask(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_private_folder(folder)
    write_private(folder / "whole", b"x")
    os.close(open_private(folder / "opened", os.O_WRONLY | os.O_CREAT))
    assert [mode(folder.parent), mode(folder)] == [0o700, 0o700]
    assert [mode(folder / "whole"), mode(folder / "opened")] == [0o600, 0o600]


def link(path: Path) -> None:
    path.symlink_to("victim")


def second_name(path: Path) -> None:
    os.link(path.with_name("victim"), path)


@pytest.mark.parametrize("plant", [link, second_name, os.mkfifo, Path.mkdir])
def test_what_is_no_plain_file_is_refused_at_once_and_left_as_it_is(tmp_path: Path, plant) -> None:
    victim, path = tmp_path / "victim", tmp_path / "writer.pid"
    victim.write_bytes(b"precious")
    plant(path)
    for use in (
        lambda: open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        lambda: read_private(path),
        lambda: check_private_file(path),
    ):
        with pytest.raises(ForeignFileError, match=r"writer\.pid") as caught:
            use()
        assert caught.value.hint
    assert victim.read_bytes() == b"precious"


def test_a_whole_write_replaces_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"precious")
    (tmp_path / "servers.json").symlink_to("victim")
    write_private(tmp_path / "servers.json", b"new")
    assert (tmp_path / "victim").read_bytes() == b"precious"
    assert (tmp_path / "servers.json").read_bytes() == b"new"


def test_a_folder_that_others_write_to_is_closed_if_empty_and_else_refused(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    check_private_folder(folder)
    assert mode(folder) == 0o700
    folder.chmod(0o777)
    (folder / "planted").touch()
    with pytest.raises(ForeignFileError, match="other users can write"):
        check_private_folder(folder)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "f").touch()
    for path, check in ((tmp_path / "w", check_private_folder), (tmp_path / "f", check_private_file)):
        os.chown(path, 65534, 65534)
        with pytest.raises(ForeignFileError, match="belongs to another user"):
            check(path)
