"""Prepares the pages of the site: copies docs/ with adapted links, and the files that the pages link to."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from docs.site.reference import reference_pages

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s#]+)([^)]*\))")
_PAGES = {  # pages of the repository that are also in the site
    "benchmarks/RESULTS.md": "results.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
_PLACES = {**_PAGES, "README.md": "index.md"}  # the targets of links to them


def stage(pages: Path) -> None:
    """Write all pages below `pages`. Raises FileNotFoundError for a link to a file that the repository lacks."""
    own = [path for path in DOCS.rglob("*.md") if DOCS / "site" not in path.parents]
    for source in own:
        _write(source, source.relative_to(DOCS), pages)
    for source, target in _PAGES.items():
        _write(ROOT / source, Path(target), pages)
    for target, text in reference_pages().items():
        _put(pages / "reference" / target, text)
    _put(pages / "decisions" / "index.md", _decisions())
    shutil.copy(Path(__file__).with_name("site.css"), pages)


def _write(source: Path, target: Path, pages: Path) -> None:
    """Write one page, and copy the files that it links to, except pages."""

    def turned(found: re.Match[str]) -> str:
        if re.match(r"[a-z]+:", found[2]):
            return found[0]
        led = _in_site((source.parent / found[2]).resolve().relative_to(ROOT), pages)
        up = "../" * len(target.parent.parts)
        return f"{found[1]}{up}{led.as_posix()}{found[3]}"

    _put(pages / target, _LINK.sub(turned, source.read_text(encoding="utf-8")))


def _in_site(path: Path, pages: Path) -> Path:
    """Return the path in the site for a path in the repository; a plain file is copied there."""
    if path.as_posix() in _PLACES:
        return Path(_PLACES[path.as_posix()])
    below_docs = path.relative_to("docs") if path.parts[0] == "docs" else None
    if below_docs is not None and (ROOT / path).is_dir():
        return below_docs / "index.md" if path.name in ("decisions", "reference") else _first_page(below_docs)
    if below_docs is not None and path.suffix == ".md":
        return below_docs
    target = below_docs or Path("files") / path
    (pages / target).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / path, pages / target)
    return target


def _first_page(folder: Path) -> Path:
    return folder / min(path.name for path in (DOCS / folder).glob("*.md"))


def _decisions() -> str:
    """Return the list of the decisions: number, title, link."""
    lines = [
        "# Decisions",
        "",
        "The reasons for the design, with the alternatives considered and the measurements.",
        "",
    ]
    for path in sorted((DOCS / "decisions").glob("0*.md")):
        title = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})".replace(". ", "\\. ", 1))
    return "\n".join(lines) + "\n"


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
