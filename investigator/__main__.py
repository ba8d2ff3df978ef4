"""Run the command `investigator`, also with `python -m investigator`."""

from __future__ import annotations

import sys

try:
    from investigator.cli.main import run
except KeyboardInterrupt:  # the command line takes some time to import
    sys.exit(130)

if __name__ == "__main__":
    run()
