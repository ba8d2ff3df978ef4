"""Checks that every link of the built site has a target, and that no page loads anything from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

_LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data")}
_ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^'\")]+)|@import\s+['\"]?((?:https?:)?//[^'\");]+)")


class _Page(HTMLParser):
    """The anchors of a page, the addresses that it links to, and those that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the anchors and addresses of one tag."""
        values = {name: value for name, value in attrs if value}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        for name in ("href", "src", "data"):
            if name not in values or (name == "data" and tag != "object"):
                continue
            is_named_only = tag == "link" and values.get("rel") in ("canonical", "alternate", "prev", "next")
            if (tag, name) in _LOADS and not is_named_only:
                self.loads.add(values[name])
            elif tag == "a":
                self.links.add(values[name])


def problems(site: Path) -> list[str]:
    """Return the problems of the built site, one per line."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    found = [f"{style.relative_to(site)} loads {next(filter(None, match))}" for style in site.rglob("*.css")
             for match in _IN_STYLE.findall(style.read_text(encoding="utf-8"))]  # fmt: skip
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} loads {address}" for address in page.loads if _ELSEWHERE.match(address)]
        if name.name == "404.html":  # its links start at the root of the server
            continue
        near = (address for address in page.links | page.loads if not re.match(r"[a-z]+:|//", address))
        found += [f"{name} links to {address}" for address in near if not _leads(path, address, pages)]
    return sorted(found)


def _leads(page: Path, address: str, pages: dict[Path, _Page]) -> bool:
    path, anchor = urldefrag(unquote(address))
    target = (page.parent / path.partition("?")[0]).resolve() if path else page
    target = target / "index.html" if target.is_dir() else target
    return target.is_file() and (not anchor or target not in pages or anchor in pages[target].anchors)
