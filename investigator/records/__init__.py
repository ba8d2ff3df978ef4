"""The values that travel through the package: frozen, typed, with one wire form.

Their names are listed in `__init__.pyi`. A module of them is loaded when one of its names is first used: the process
that reads files needs few.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
