"""BRAT folders: a ``.txt`` file for each document and its annotations in an ``.ann`` file of the same name.

Format: https://brat.nlplab.org/standoff.html
"""

import re
from functools import partial
from itertools import pairwise
from pathlib import Path

from ..corpus import Corpus
from .gold_ids import GoldReader, generic_gold
from .lines import numbered_lines, read_error
from .offsets import Oddities
from .standoff import Annotation, Passage, annotated_corpus

_MENTION = re.compile(r"(T\S+)\t(\S+) ([0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*)\t(.*)")
_ID = re.compile(r"N\S+\tReference (\S+) (\S+)(?:\t.*)?|#\S+\tAnnotatorNotes (T\S+)\t(\S+)")


def is_brat(path: Path | str) -> bool:
    """Whether a folder has ``.ann`` files. Raises ValueError for one of BioSyn's ``.concept`` files."""
    if next(Path(path).rglob("*.concept"), None):
        raise ValueError(f"{path}: .concept files of BioSyn are not read; expected the corpus as PubTator")
    return next(Path(path).rglob("*.ann"), None) is not None


def read_brat(
    folder: Path | str, name: str, gold: GoldReader = generic_gold, oddities: Oddities | None = None
) -> Corpus:
    """The documents of a folder and its folders. The id of a mention is that of its references (``N``) with
    ``|`` between, else a note of the annotator (``#``) of one word; without any it is NIL. Other annotations
    are not read. Longer notes, and texts without an ``.ann`` file, are counted in ``oddities``, which gets
    what is odd about offsets too. Pieces with only white space between them are one, as BRAT splits mentions
    at line ends.

    What is dropped and counted: :func:`benchlib.formats.standoff.annotated_corpus`. Raises ValueError
    (path:line) for a mention or a reference of another form, and FileNotFoundError for a missing text.
    """
    oddities, folder = oddities or Oddities(), Path(folder)
    for path in folder.rglob("*.txt"):
        if not path.with_suffix(".ann").exists():
            oddities.counted["texts without an .ann file, left out"] += 1
    documents = map(partial(_document, folder, oddities), sorted(folder.rglob("*.ann")))
    return annotated_corpus(name, documents, gold, oddities)


def _document(folder: Path, oddities: Oddities, path: Path) -> tuple[str, str, list[Passage]]:
    try:
        text = path.with_suffix(".txt").read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.with_suffix('.txt')}: expected UTF-8, {error.reason}") from None
    lines, ids, notes = list(numbered_lines(path)), {}, {}
    for number, line in lines:
        if match := _ID.fullmatch(line.rstrip(" ")):
            of, id, noted, note = match.groups()
            (ids if of else notes).setdefault(of or noted, []).append(id or note)
        elif line.startswith("#"):
            oddities.counted["notes of several words or of no mention, not read as ids"] += 1
        elif line.startswith("N"):
            raise read_error(path, number, "`N1<TAB>Reference T1 database:id<TAB>text`", line)
    annotations = []
    for number, line in lines:
        if line.startswith("T"):
            if not (match := _MENTION.fullmatch(line)):
                raise read_error(path, number, "`T1<TAB>type start end<TAB>text`", line)
            key, type, offsets, string = match.groups()
            spans = sorted(tuple(map(int, pair.split())) for pair in offsets.split(";"))
            apart = any(text[end:start].strip() for (_, end), (start, _) in pairwise(spans))
            span, id = (spans[0][0], spans[-1][1]), "|".join(ids.get(key) or notes.get(key, [])) or None
            annotations.append(Annotation(span, string, type, id, pieces=offsets if apart else ""))
    return path.relative_to(folder).with_suffix("").as_posix(), text, [Passage(text, annotations)]
