"""The records that the packages exchange: frozen, typed, and with one wire format.

`__init__.pyi` lists their names. A module is loaded when one of its names is first used, because the process that reads
files needs only a few modules.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
