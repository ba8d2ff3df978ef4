"""Everything installed with this package may be used by anyone: its licences are on a list, or have a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement

OWN = "document-investigator"
ALLOWED = {
    *(
        "mit",
        "mit-0",
        "mit-cmu",
        "isc",
        "zlib",
        "0bsd",
        "bsd",
        "bsd-2-clause",
        "bsd-3-clause",
        "3-clause bsd",
        "bsl-1.0",
    ),
    *("apache", "apache-2.0", "apache 2.0", "apache software", "llvm-exception", "mpl-2.0", "mozilla public 2.0"),
    *("psf-2.0", "python software foundation", "cnri-python", "cc0-1.0", "dfsg approved"),
}
REASONS = {  # not on the list, and taken all the same
    "psycopg": "LGPL-3.0: only with the extra postgres; imported as it is, and exchangeable by the user",
    "psycopg-binary": "as psycopg",
    "pypdfium2": "by its metadata BSD-3-Clause, Apache-2.0, and the permissive licences of PDFium's parts",
    "axe-playwright-python": "MIT by its LICENSE file; its metadata name none. For the tests alone",
}


def test_every_dependency_has_a_licence_of_the_list_or_a_reason() -> None:
    known = dict(_licences())
    unknown = {name: known[name] for name in known.keys() - REASONS.keys() if not _is_allowed(known[name])}
    assert unknown == {}


def test_a_licence_that_binds_others_is_found_out() -> None:
    assert _is_allowed("Apache-2.0 AND (MIT OR BSD-3-Clause)")
    assert _is_allowed("Mozilla Public License 2.0 (MPL 2.0)")
    for licence in ("GPL-3.0-or-later", "MIT AND AGPL-3.0-only", "LGPL-3.0-only", "Elastic-2.0", ""):
        assert not _is_allowed(licence), licence


def _is_allowed(expression: str) -> bool:
    """Return True if each part of an SPDX expression, or of names of licences, is on the list."""
    plain = re.sub(r"\((?:MPL 2\.0|ISCL)\)|\blicense\b|, version 2\.0", "", expression, flags=re.IGNORECASE)
    parts = re.split(r"\band\b|\bor\b|\bwith\b|[;()]", plain.lower())
    names = [" ".join(part.split()) for part in parts if part.strip()]
    return bool(names) and set(names) <= ALLOWED


def _licences() -> Iterator[tuple[str, str]]:
    """Yield name and licence of each installed distribution that ours or one of its extras requires."""
    own = distribution(OWN)
    todo = [Requirement(line) for line in own.requires or ()]
    seen: dict[str, set[str]] = {}
    while todo:
        wanted = todo.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in seen and wanted.extras <= seen[name]:
            continue
        seen.setdefault(name, set()).update(wanted.extras)
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of another system, or an extra that is not installed
            continue
        yield name, _licence(found)
        needed = map(Requirement, found.requires or ())
        todo += [
            one
            for one in needed
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in ("", *wanted.extras))
        ]


def _licence(found: Distribution) -> str:
    metadata = found.metadata
    named = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier", ()) if line.startswith("License")]
    texts = (metadata.get("License-Expression"), "; ".join(named), (metadata.get("License") or "").partition("\n")[0])
    return next((text for text in texts if text), "")
