"""Entry points of installed packages are found by group, loaded by name, and rejected with clear errors."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from investigator.errors import SettingsError
from investigator.plugins import load, load_path, plug_ins

GROUP = "investigator.toys"


def install(folder: Path, entry_points: str, module: str = "BALL = 'red'\n", name: str = "toybox") -> None:
    """Put a package with entry points into a folder, as an installer would."""
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{entry_points}\n")
    (folder / f"{name}.py").write_text(module)


def test_a_package_on_the_path_is_found_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert plug_ins(GROUP) == {}
    install(tmp_path, "ball = toybox:BALL")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert list(plug_ins(GROUP)) == ["ball"]
    assert "toybox" not in sys.modules
    assert load(plug_ins(GROUP)["ball"]) == "red"


def test_the_first_package_on_the_path_wins_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("second", "first"):
        install(tmp_path / name, f"ball = {name}:BALL", f"BALL = {name!r}\n", name)
        monkeypatch.syspath_prepend(str(tmp_path / name))
    assert load(plug_ins(GROUP)["ball"]) == "first"


def test_a_plug_in_that_breaks_is_named_with_its_package_and_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "ball = broken_toybox:BALL", "raise RuntimeError('no paint')\n", "broken_toybox")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SettingsError, match=r"broken_toybox:BALL of the package .* RuntimeError: no paint"):
        load(plug_ins(GROUP)["ball"])


@pytest.mark.parametrize("path", ["no_such_module:ball", "json:no_such_name", "no module:x"])
def test_a_path_that_names_nothing_is_refused(path: str) -> None:
    with pytest.raises(SettingsError, match=path.partition(":")[0]):
        load_path(path)


def test_a_path_is_loaded() -> None:
    assert load_path("json:dumps").__name__ == "dumps"
