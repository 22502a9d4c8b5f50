"""What every page of the book begins and ends with: its parameters and its stamp."""

from .parameters import ParameterError, chosen, parameters
from .stamp import command, missing_note, stamp

__all__ = ["ParameterError", "chosen", "command", "missing_note", "parameters", "stamp"]
