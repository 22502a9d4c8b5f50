"""Biomedical entity linking: encoders, losses and evaluation.

``evaluate`` and ``compare`` score predictions, ``link`` and ``NameLinker`` make them without any training,
``Encoder`` encodes and trains. Each is imported when it is first asked for: the package alone loads no torch.
"""

from importlib import import_module

__version__ = "0.2.0"
_MODULES = {
    "Encoder": "encoder",
    "NameLinker": "linker",
    "compare": "evaluation",
    "evaluate": "evaluation",
    "link": "linker",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
