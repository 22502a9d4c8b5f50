"""The JSON files of ESAppMod: ``{"data": {"0": {...}, "1": {...}, ...}}``, ids as numbers.

An error names the entry by its key, because JSON keeps no lines once it is read.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from benchlib.corpus import Gold
from benchlib.formats.json_text import read_json
from benchlib.ontology import Concept

NIL = "0"


def read_entities(path: Path | str) -> list[Concept]:
    """One concept per entity: its id, its canonical name and its type."""
    return [
        Concept(
            _id(entry, path, key), (_text(entry, "entity_name", path, key),), (entry["entity_type_name"],)
        )
        for key, entry in _entries(path, "entity_id", "entity_name", "entity_type_name")
    ]


def read_entity_mentions(path: Path | str) -> list[tuple[str, Gold]]:
    """(mention, gold) of a file that lists the mentions under each entity, in file order."""
    pairs = []
    for key, entry in _entries(path, "entity_id", "mentions"):
        if not isinstance(entry["mentions"], list) or not entry["mentions"]:
            raise ValueError(f"{path}: entry {key}: expected a list of mentions, found {entry['mentions']!r}")
        gold = _gold(entry, path, key)
        pairs.extend((_text({"mentions": m}, "mentions", path, key), gold) for m in entry["mentions"])
    return pairs


def read_mentions(path: Path | str) -> list[tuple[str, Gold]]:
    """(mention, gold) of a file with one mention per entry; the id 0 means no entity at all."""
    return [
        (_text(entry, "mention", path, key), _gold(entry, path, key))
        for key, entry in _entries(path, "entity_id", "mention")
    ]


def _entries(path: Path | str, *fields: str) -> Iterator[tuple[str, dict]]:
    try:
        content = read_json(Path(path).read_bytes())
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}:{error.lineno}: expected JSON, {error.msg}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: expected JSON in UTF-8, {error.reason} at byte {error.start}") from None
    except ValueError as error:
        raise ValueError(f"{path}: expected JSON, found {error}") from None
    data = content.get("data") if isinstance(content, dict) else None
    if not isinstance(data, dict):
        raise ValueError(f'{path}: expected an object with the member "data", itself an object')
    for key, entry in data.items():
        missing = [field for field in fields if not isinstance(entry, dict) or field not in entry]
        if missing:
            raise ValueError(f"{path}: entry {key}: expected the fields {', '.join(missing)}")
        yield key, entry


def _id(entry: dict, path: Path | str, key: str) -> str:
    id = entry["entity_id"]
    if isinstance(id, bool) or not isinstance(id, int | str) or id == "":
        raise ValueError(f"{path}: entry {key}: expected a number or text as entity_id, found {id!r}")
    return str(id)


def _gold(entry: dict, path: Path | str, key: str) -> Gold:
    id = _id(entry, path, key)
    return Gold(printed=id) if id == NIL else Gold((frozenset([id]),), printed=id)


def _text(entry: dict, field: str, path: Path | str, key: str) -> str:
    """The field without the white space around it (the negatives end in a newline)."""
    text = entry[field]
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{path}: entry {key}: expected text in {field}, found {text!r}")
    return text.strip()
