"""The image is built from the contents of the repository, and runs without privileges; tested without Docker."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.packaging.dockerfile import ROOT, copy_context, instructions

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_files_of_a_build_are_enough_to_install(tmp_path: Path) -> None:
    copy_context(tmp_path / "source")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=tmp_path / "source", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("*.whl"))


def test_what_is_installed_is_there_to_be_installed() -> None:
    (install,) = [
        one.text for one in instructions() if one.word == "RUN" and " install " in one.text and "pip" in one.text
    ]
    words = shlex.split(install)
    assert (ROOT / words[words.index("-c") + 1]).is_file()
    extras = words[-1].removeprefix(".[").removesuffix("]").split(",")
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    assert "https://download.pytorch.org/whl/cpu" in words


def test_the_image_runs_without_rights_and_keeps_its_state_in_a_volume() -> None:
    last = [one for one in instructions() if one.stage == 1]
    words = {one.word: one.text for one in last}
    assert max(one.stage for one in instructions()) == 1
    assert words["COPY"].startswith("--from=build ")
    assert words["USER"] == "investigator"
    assert f"XDG_DATA_HOME={words['VOLUME']}" in words["ENV"]
    (prepared,) = [one.text for one in last if one.word == "RUN"]
    assert "useradd" in prepared
    assert f"-o investigator -g investigator {words['VOLUME']}" in prepared
    assert [one.word for one in last].index("USER") > [one.word for one in last].index("RUN")
    assert words["ENTRYPOINT"].strip('[]"') in PROJECT["scripts"]
