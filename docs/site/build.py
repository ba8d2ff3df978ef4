"""Build the documentation into build/docs/site: `make docs`. Needs no network; exits with 1 if a check fails."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from docs.site.checking import problems
from docs.site.staging import ROOT, stage

CONFIGURATION = Path(__file__).with_name("zensical.toml")


def build(folder: Path) -> list[str]:
    """Build the site below `folder`; return its problems. Raises CalledProcessError if it cannot be built."""
    shutil.rmtree(folder, ignore_errors=True)
    stage(folder / "pages")
    shutil.copy(CONFIGURATION, folder)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", CONFIGURATION.name]
    subprocess.run(command, cwd=folder, check=True)
    return problems(folder / "site")


if __name__ == "__main__":
    wrong = build(ROOT / "build" / "docs")
    sys.exit("\n".join(wrong) if wrong else 0)
