"""ESAppMod: names of software, as people write them, against a small catalogue.

The corpus has no documents: a mention is a string on its own, so each mention is a document here, and the
unit of resampling is the gold entity. Three entities hold 30 % of the test mentions.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.formats.json_text import read_json
from benchlib.ontology import Concept, Ontology, fold_name

from .files import FileLocator

DEV_EVERY = 10
DEV_LEAST = 3


def esappmod(locate: FileLocator) -> Benchmark:
    """Train and dev are the published training mentions, test the published test mentions and negatives.

    ``locate`` gives the path of a file of the local mirror.
    """
    training = read_entity_mentions(locate("esappmod/train.json"))
    entities = read_entities(locate("esappmod/tca_entities.json"))
    trained = {id for _, gold in training for id in gold.ids}
    ontology = Ontology("esappmod-canonical", [e for e in entities if e.id in trained])
    dev = dev_positions(training, ontology)
    numbered = [(f"train-{i:06d}", text, gold) for i, (text, gold) in enumerate(training)]
    test = read_mentions(locate("esappmod/infer.json"))
    negative = read_mentions(locate("esappmod/infer_negative.json"))
    return Benchmark(
        "esappmod",
        train=_corpus("esappmod-train", [row for i, row in enumerate(numbered) if i not in dev], ontology),
        dev=_corpus("esappmod-dev", [row for i, row in enumerate(numbered) if i in dev], ontology),
        test=_corpus(
            "esappmod-test",
            [(f"test-{i:06d}", text, gold) for i, (text, gold) in enumerate(test)]
            + [(f"negative-{i:06d}", text, gold) for i, (text, gold) in enumerate(negative)],
            ontology,
        ),
        ontology=ontology,
        cluster="gold",
    )


def dev_positions(training: list[tuple[str, Gold]], ontology: Ontology) -> frozenset[int]:
    """Positions of the training mentions held out: every tenth eligible one, in file order.

    Eligible is a mention of an entity with at least three, whose case-folded string is no canonical name
    and stands once in the file, so that neither a name nor another training mention gives it away.
    """
    strings = Counter(fold_name(text) for text, _ in training)
    of_entity = Counter(gold.printed for _, gold in training)
    names = ontology.owners()
    eligible = [
        i
        for i, (text, gold) in enumerate(training)
        if of_entity[gold.printed] >= DEV_LEAST
        and strings[fold_name(text)] == 1
        and fold_name(text) not in names
    ]
    return frozenset(eligible[DEV_EVERY - 1 :: DEV_EVERY])


def _corpus(name: str, rows: list[tuple[str, str, Gold]], ontology: Ontology) -> Corpus:
    types = {id: concept.types[0] for id, concept in ontology.concepts.items()}
    return Corpus(
        name,
        tuple(
            Document(id, text, (Mention(0, len(text), text, types.get(gold.printed, ""), gold),))
            for id, text, gold in rows
        ),
    )


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
