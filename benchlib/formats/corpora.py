"""A corpus that is no PubTator file, by what its path holds."""

from pathlib import Path

from ..corpus import Corpus
from .bioc import read_bioc
from .brat import is_brat, read_brat
from .gold_ids import GoldReader
from .lines import numbered_lines


def read_corpus(path: Path, name: str, gold: GoldReader) -> Corpus | None:
    """The corpus in a folder of BRAT, or in a file of BioC in XML or JSON; None for any other path."""
    if path.is_dir():
        return read_brat(path, name, gold) if is_brat(path) else None
    _, first = next(numbered_lines(path), (0, ""))
    return read_bioc(path, name, gold) if first.lstrip().startswith(("<", "{", "[")) else None
