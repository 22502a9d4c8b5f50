"""Packages whose names are imported at their first use (PEP 562), as PyTorch takes seconds to load."""

import sys
from collections.abc import Callable
from importlib import import_module


def lazy(package: str, **modules: str) -> Callable[[str], object]:
    """The ``__getattr__`` of a package: ``modules`` has the names that it offers by the module of each, with
    spaces between them, and become its ``__all__``. It raises AttributeError for any other name."""
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    there = vars(sys.modules[package])
    there |= {"__all__": [*module_of], "__dir__": lambda: sorted({*there, *module_of})}
    return __getattr__
