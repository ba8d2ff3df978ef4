"""What the README shows is what happens."""

import re
import shutil
from pathlib import Path

import pytest

from investigator.prompts import shipped_folder
from investigator.settings import load_settings

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
REPORT = "# Trial\n\nThe follow-up took 24 months and ended in June.\n\n# Funding\n\nThe trial was paid by the state.\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the folder and the prompts that the examples speak of."""
    place = tmp_path_factory.mktemp("readme")
    (place / "folder").mkdir()
    (place / "folder" / "report.md").write_text(REPORT, encoding="utf-8")
    shutil.copytree(shipped_folder(), place / "prompts")
    return place


def test_the_first_example_fits_into_six_lines() -> None:
    assert len(EXAMPLES[0].strip().splitlines()) <= 6


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(
    number: int, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    exec(compile(EXAMPLES[number], f"README example {number + 1}", "exec"), {})
    assert ("24 months" in capsys.readouterr().out) == ("ask" in EXAMPLES[number] or "Query" in EXAMPLES[number])


def test_the_settings_that_are_named_exist() -> None:
    named = re.findall(r"`((?:method|budget|chat|retrieval)\.[\w.]+)(?:=(\S+?))?`", README)
    assert len(named) >= 8
    for name, value in named:
        load_settings(None, [f"{name}={value or 7}"])


def test_the_tree_of_the_house_stands_in_the_readme() -> None:
    layers = re.search(r"`(cli > .*?shipped)`", README, re.DOTALL)
    assert layers is not None
    package = Path(__file__).parents[1] / "investigator"
    present = {path.stem for path in package.iterdir() if path.is_dir() or path.suffix == ".py"}
    named = set(re.findall(r"\w+", layers.group(1)))
    assert named == {name for name in present if not name.startswith("_") and name != "py"}
