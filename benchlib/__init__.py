"""benchlib: the parts of a living reproducibility study of biomedical entity linking."""

__version__ = "0.2.0"
