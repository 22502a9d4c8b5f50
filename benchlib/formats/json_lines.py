"""Dictionaries as JSON lines: a concept on each line, with every field of :class:`benchlib.ontology.Concept`.

``{"id": "D003924", "names": ["type 2 diabetes", "T2DM"], "types": ["T047"], "parents": ["D003920"],
"definition": "Diabetes of adults.", "alternatives": ["OMIM:125853"]}``. Required are ``id`` and a key of
names: ``name``, a text, ``names`` and ``aliases``, taken in this order; they may be empty.
"""

import json
from dataclasses import fields
from itertools import chain
from pathlib import Path

from ..ontology import Concept
from .json_text import json_or_none
from .lines import add_once, numbered_lines, read_error
from .ontology_file import OntologyFile, bad_lines, concepts_of_file, unique_nonempty

_NAMES = ("name", "names", "aliases")
_KEYS = (*(field.name for field in fields(Concept)), "name", "aliases")
_TEXTS = ("id", "definition", "name")  # the other values are lists of texts


def read_json_lines(path: Path | str, strict: bool = False) -> OntologyFile:
    """The concepts in file order, their values without surrounding white space; blank lines are skipped.

    A line that is no JSON object, has an unknown or missing key, a value of another type, an empty id or one
    of an earlier line is left out with a note. Raises ValueError (path:line) where these are more than 1 %,
    or any is and ``strict``, and for a file without a concept.
    """
    concepts: dict[str, Concept] = {}
    errors: list[str] = []
    for number, line in ((number, line) for number, line in numbered_lines(path) if line.strip()):
        try:
            concept = _concept(path, number, line)
            add_once(path, number, concepts, concept.id, concept)
        except ValueError as error:
            errors.append(str(error))
    return concepts_of_file(path, concepts, notes=bad_lines(path, errors, len(concepts), strict))


def _concept(path: Path | str, number: int, line: str) -> Concept:
    values = json_or_none(line)
    if not isinstance(values, dict) or "id" not in values or values.keys().isdisjoint(_NAMES):
        raise read_error(path, number, "a JSON object with `id` and `names`, each key once", line)
    if unknown := sorted(values.keys() - {*_KEYS}):
        raise read_error(path, number, f"no key but {', '.join(_KEYS)}", unknown[0])
    for key, value in values.items():
        texts = [value] if key in _TEXTS else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            expected = "text" if key in _TEXTS else "a list of texts"
            raise read_error(path, number, f"{key} as {expected}", json.dumps(value, ensure_ascii=False))
        values[key] = value.strip() if key in _TEXTS else unique_nonempty(value)
    if not values["id"]:
        raise read_error(path, number, "an id that is not empty", line)
    names = [[name] if key == "name" else name for key in _NAMES if (name := values.pop(key, ()))]
    return Concept(**values, names=unique_nonempty(chain(*names)))
