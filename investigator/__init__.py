"""Research agents that investigate a folder of documents and answer with proven quotes.

    from investigator import Investigator

    answer = Investigator("folder").ask("What was the revenue in 2023?")
    print(answer.status, answer.text)

`__init__.pyi` lists the public names, for type checkers and at run time. Each name is loaded on first use, so importing
the package takes almost no time. `__version__` is the version of the installed distribution.
"""

from typing import Any

import lazy_loader

_named, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        # this module imports nothing else until it is used
        from investigator.resources.distribution import installed_version

        return installed_version()
    return _named(name)
