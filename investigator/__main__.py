"""Run the command `investigator` with `python -m investigator`."""

from __future__ import annotations

from investigator.cli.main import run

if __name__ == "__main__":
    run()
