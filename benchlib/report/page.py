"""What every page of the book begins and ends with: its parameters and its stamp."""

from .parameters import ParameterError, chosen, parameters
from .stamp import command, stamp

__all__ = ["ParameterError", "chosen", "command", "parameters", "stamp"]
