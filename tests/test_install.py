"""Shipped packages are complete: a wheel works without the checkout, and a source distribution can be tested."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import metadata
from pathlib import Path

import pytest

from docs.site.man import man_page
from investigator.resources.distribution import DISTRIBUTION, NAMESAKE, install_command, namesake_warning

ROOT = Path(__file__).parent.parent
TEMPLATES = {path.relative_to(ROOT / "prompts").as_posix() for path in (ROOT / "prompts").rglob("*.j2")}

_LIST_TEMPLATES = """
from investigator.asking.prompts import Prompts
from investigator.resources import prompts_folder
Prompts()
for path in sorted(prompts_folder().rglob("*.j2")):
    print(path.relative_to(prompts_folder()).as_posix())
"""


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution of this checkout, built without network."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def installed(distributions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel, like an installation."""
    folder = tmp_path_factory.mktemp("site")
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_an_installed_package_finds_its_own_templates(installed: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    where = "import investigator.asking.prompts as p; print(p.__file__)"
    assert _python(where, environment, tmp_path) == [str(installed / "investigator" / "asking" / "prompts.py")]
    assert set(_python(_LIST_TEMPLATES, environment, tmp_path)) == TEMPLATES != set()


@pytest.mark.parametrize("suffix", [".py", ".pyi", ".typed", ".j2", ".css", ".txt", ".json"])
def test_every_file_of_the_package_is_in_the_wheel(installed: Path, suffix: str) -> None:
    package = ROOT / "investigator"
    wanted = {path.relative_to(ROOT) for path in package.rglob(f"*{suffix}")}
    assert {path for path in wanted if not (installed / path).is_file()} == set()


def test_the_wheel_brings_nothing_beside_the_package(installed: Path) -> None:
    assert {path.name.partition("-")[0] for path in installed.iterdir()} == {"investigator", "document_investigator"}


def test_the_wheel_says_what_it_holds_and_needs(installed: Path) -> None:
    (bill,) = installed.glob("document_investigator-*.dist-info/sboms/*.json")
    held = json.loads(bill.read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (held["bomFormat"], held["metadata"]["component"]["name"]) == ("CycloneDX", DISTRIBUTION)
    needed = {re.split(r"[^A-Za-z0-9._-]", line)[0].lower() for line in project["dependencies"]}
    assert {one["name"] for one in held["components"] if one["type"] == "library"} == needed
    assert "NLTK stop words" in {one["name"] for one in held["components"]}


def test_the_manual_page_is_that_of_the_commands(installed: Path) -> None:
    (page,) = installed.glob("*.data/data/share/man/man1/investigator.1")
    assert page.read_text(encoding="utf-8") == man_page(), "run `make man`"


def test_the_distribution_is_called_one_thing(distributions: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert {path.name.partition("-")[0] for path in distributions.iterdir()} == {DISTRIBUTION.replace("-", "_")}


def test_nobody_is_told_to_install_the_namesake() -> None:
    told = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "investigator").rglob("*.*")]
    texts = {path: path.read_text(encoding="utf-8") for path in told if path.suffix in {".md", ".py", ".j2", ".txt"}}
    namesake = re.compile(rf"(?:pip install|pipx install|uv tool install|uv add)[^\n`]*[\"' ]{NAMESAKE}(?![\w/-])")
    assert [path for path, text in texts.items() if namesake.search(text)] == []


def test_a_missing_extra_is_installed_by_its_packages_because_no_index_has_this_one() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    known = metadata(DISTRIBUTION).get_all("Provides-Extra") or []  # of the installation, which may be older
    declared = {extra: lines for extra, lines in declared.items() if extra in {*known} - {"dev"}}
    assert "mcp" in declared
    named = {extra: set(re.findall(r'"([\w\[\]-]+)', install_command(extra))) for extra in declared}
    assert named == {extra: {re.split("[<>=]", line)[0] for line in lines} for extra, lines in declared.items()}


def test_nobody_is_told_to_install_this_one_from_an_index() -> None:
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "investigator").rglob("*.py")]
    from_index = re.compile(rf"(?:install|add)\s+[\"'`]?{DISTRIBUTION}(?![\w-])")
    assert [path.name for path in texts if from_index.search(path.read_text(encoding="utf-8"))] == []


def test_the_namesake_is_warned_of_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = tmp_path / f"{NAMESAKE}-7.5.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {NAMESAKE}\nVersion: 7.5\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert f"{NAMESAKE} 7.5 is also installed" in namesake_warning()
    metadata.unlink()
    importlib.invalidate_caches()
    assert namesake_warning() == ""


def test_a_source_distribution_can_be_built_and_tested(distributions: Path) -> None:
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    assert {f"prompts/{template}" for template in TEMPLATES} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "Makefile", "constraints.txt", "tests/test_install.py"} <= names
    assert not [name for name in names if name.startswith((".venv", "dist/", "build/")) or "__pycache__" in name]


def _python(program: str, environment: dict[str, str], folder: Path) -> list[str]:
    """Return the lines that a program prints when it runs far from the checkout."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
