"""The name of this package's distribution, and the commands that install its extras.

The package index has another project called `investigator`, which also installs an `investigator/` folder. All
installation hints use the name defined here.
"""

import re

DISTRIBUTION = "document-investigator"
NAMESAKE = "investigator"


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra: `pip install "mcp<3,>=2.0"`. It names these packages
    because this distribution may come from a checkout or a wheel, and then an index does not have it.
    """
    # imported here because it is slow to import and rarely needed
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = [line.partition(";") for line in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        needed = []
    named = [f'"{name.strip()}"' for name, _, marker in needed if re.search(rf"""extra == ["']{extra}["']""", marker)]
    return "pip install " + " ".join(named or [f'-e ".[{extra}]"'])


def installed_version(package: str = DISTRIBUTION) -> str:
    """Return the version of a distribution, or an empty string if it is not installed."""
    # imported here because it is slow to import and rarely needed
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def namesake_warning() -> str:
    """Return a warning if the other project's distribution is also installed, otherwise an empty string."""
    if not (other := installed_version(NAMESAKE)):
        return ""
    return (
        f"the distribution {NAMESAKE} {other} is also installed: it belongs to another project, and overwrites files "
        f"of this one. Remove both with: pip uninstall {NAMESAKE} {DISTRIBUTION}; then install this one again"
    )
