"""Clinical notes with the concepts of each in a file of its own: ShARe, and n2c2 2019 track 3.

Both are under data use agreements; the forms of a line are those of their task descriptions (SemEval-2014
task 7; Luo et al. 2020). A mention in several pieces has a further pair of offsets for each, and ``CUI-less``
is one without a concept.
"""

import re
from collections import Counter
from pathlib import Path

from benchlib.corpus import Corpus, Document, Mention
from benchlib.formats.gold_ids import GoldReader, generic_gold
from benchlib.formats.lines import numbered_lines, read_error

_SHARE = ("NOTE||TYPE||CUI||start||end, with further ||start||end", 3)  # and the place of the first offset
_N2C2 = ("ID||CUI||start||end, with further ||start||end", 2)
_FORMS = {".pipe.txt": _SHARE, ".pipe": _SHARE, ".norm": _N2C2}
_CUI = re.compile(r"C\d{7}|CUI-less")


def annotated(folder: Path | str) -> list[Path]:
    """The annotation files somewhere in a folder, by name: ``.pipe`` and ``.pipe.txt`` of ShARe, ``.norm`` of
    n2c2."""
    found = (path for path in Path(folder).rglob("*") if path.name.endswith(tuple(_FORMS)))
    return sorted(found, key=lambda path: path.name)


def read_notes(folder: Path | str, name: str, gold: GoldReader = generic_gold) -> Corpus:
    """The notes in a folder that have an annotation file; the two have one name but for their endings, that
    of a note being ``.txt`` or ``.text``, and may lie in folders of their own.

    Offsets count the characters of a note, its carriage returns too. A mention in several pieces is dropped,
    counted as ``discontinuous span``. Raises ValueError for a folder without annotation files, a line that is
    not of the form (path:line), offsets outside the note, a note that is not UTF-8 and annotations
    with two notes; FileNotFoundError for those without one.
    """
    notes: dict[str, list[Path]] = {}
    for path in sorted(Path(folder).rglob("*.t*xt")):
        if path.suffix in (".txt", ".text") and not path.name.endswith(tuple(_FORMS)):
            notes.setdefault(path.stem, []).append(path)
    documents, dropped = [], Counter()
    for path in annotated(folder):
        ending = next(ending for ending in _FORMS if path.name.endswith(ending))
        stem = path.name.removesuffix(ending)
        if stem not in notes:
            raise FileNotFoundError(f"{path}: expected its note {stem}.txt in {folder}, found none")
        if len(notes[stem]) > 1:
            told = " and ".join(map(str, notes[stem]))
            raise ValueError(f"{path}: expected one note {stem}, found {told}")
        text, mentions = _text(notes[stem][0]), []
        for number, line in numbered_lines(path):
            if line.strip():
                found = _mention(path, number, line.strip(), _FORMS[ending], text, gold)
                mentions += [found] if isinstance(found, Mention) else []
                dropped.update([found] if isinstance(found, str) else [])
        documents.append(Document(stem, text, tuple(mentions)))
    if not documents:
        raise ValueError(f"{folder}: expected notes with {', '.join(_FORMS)} files, found none")
    return Corpus(name, tuple(documents), dropped)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected UTF-8, {error.reason} at byte {error.start}") from None


def _mention(
    path: Path, number: int, line: str, form: tuple[str, int], text: str, gold: GoldReader
) -> Mention | str:
    """The mention of a line, or the reason for leaving it out."""
    (expected, first), fields = form, line.split("||")
    (*head, cui), offsets = fields[:first] or [""], fields[first:]
    type = head[1] if len(head) > 1 else ""
    whole = len(offsets) >= 2 and len(offsets) % 2 == 0 and all(map(str.isdecimal, offsets))
    if not whole or not all(head) or not _CUI.fullmatch(cui):
        raise read_error(path, number, expected, line)
    pieces = list(zip(*[map(int, offsets)] * 2, strict=True))
    if not all(0 <= start < end <= len(text) for start, end in pieces):
        raise read_error(
            path, number, f"offsets in order, within the {len(text):,} characters of its note", line
        )
    if len(pieces) > 1:
        return "discontinuous span"
    [(start, end)] = pieces
    meant = gold(cui, type, ())
    return meant if isinstance(meant, str) else Mention(start, end, text[start:end], type, meant)
