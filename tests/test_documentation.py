"""The documentation is built without a network, its links lead somewhere, and it loads nothing from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import investigator
from docs.site.build import build
from docs.site.checking import problems
from investigator.settings import Settings


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built documentation: its pages as Markdown in `pages`, as HTML in `site`."""
    pytest.importorskip("zensical")
    folder = tmp_path_factory.mktemp("docs")
    assert build(folder) == []
    return folder


def test_the_site_holds_the_guides_and_the_reference(built: Path) -> None:
    for page in ("index", "start", "guides/asking", "decisions/index", "reference/commands"):
        assert (built / "site" / f"{page}.html").is_file()


def test_the_reference_names_commands_settings_routes_and_public_names(built: Path) -> None:
    headings = {path.stem: _headings(path) for path in (built / "pages" / "reference").glob("*.md")}
    assert {"investigator ask", "investigator prompts show", "investigator eval"} <= headings["commands"]
    parts = {name for name, field in Settings.model_fields.items() if hasattr(field.annotation, "model_fields")}
    assert parts <= headings["settings"]
    assert "POST /v1/investigations" in headings["rest"]
    assert set(dir(investigator)) - headings["python"] == {"__version__"} & set(dir(investigator))


def _headings(page: Path) -> set[str]:
    lines = page.read_text(encoding="utf-8").splitlines()
    return {line.lstrip("# ") for line in lines if line.startswith("##")}


def test_the_documentation_stays_short() -> None:
    root = Path(investigator.__file__).parents[1]
    pages = [root / "README.md", *root.glob("docs/*.md"), *root.glob("docs/guides/*.md")]
    words = (word for page in pages for word in page.read_text(encoding="utf-8").split())
    assert sum(any(map(str.isalnum, word)) for word in words) <= 13_000  # the bars of tables are no words
    assert len((root / "README.md").read_text(encoding="utf-8").splitlines()) <= 110


def test_a_lost_link_and_a_foreign_font_are_found(tmp_path: Path) -> None:
    page = '<a href="lost.html">x</a><a href="#here">y</a><p id="here"><img src="https://example.org/a.png">'
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    (tmp_path / "page.css").write_text("@font-face { src: url(//fonts.example.org/a.woff2) }", encoding="utf-8")
    assert problems(tmp_path) == [
        "index.html links to lost.html",
        "index.html loads https://example.org/a.png",
        "page.css loads //fonts.example.org/a.woff2",
    ]
