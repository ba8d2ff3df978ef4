"""Turn pip's installation report (standard input) into the lines of constraints.txt (standard output).

Used by `make constraints`. The report comes from a dry run, so nothing is installed. Values specific to
one machine are omitted: the local part of a version (`+cpu`), and the CUDA packages, which PyTorch pins itself.
"""

from __future__ import annotations

import json
import sys

HEADER = """\
# The versions that this package was tested with, for `pip install -c constraints.txt -e ".[dev]"` (see: make install).
# pip then has nothing to work out: the same packages everywhere, on Python 3.11 to 3.14.
# They bind nobody who installs the package itself: what it needs is in pyproject.toml.
# Made by `make constraints`; run that again after a change of the dependencies, then `make test`.
"""
OWN = "document-investigator"
PINNED_BY_TORCH = ("nvidia-", "cuda-", "triton")


def main() -> None:
    """Write one pin for each package of the report, sorted by name."""
    packages = [item["metadata"] for item in json.load(sys.stdin)["install"]]
    pins = {package["name"].lower().replace("_", "-"): package["version"].split("+")[0] for package in packages}
    kept = (name for name in sorted(pins) if name != OWN and not name.startswith(PINNED_BY_TORCH))
    sys.stdout.write(HEADER + "".join(f"{name}=={pins[name]}\n" for name in kept))


if __name__ == "__main__":
    main()
