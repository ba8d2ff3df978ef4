"""Research agents that investigate a folder of documents and answer with proven quotes.

    from investigator import Investigator

    answer = Investigator("folder").ask("What was the revenue in 2023?")
    print(answer.status, answer.text)

The public names are listed in `__init__.pyi`, for type checkers and at run time alike. Each is loaded when it is first
used, so that importing the package costs next to nothing.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
