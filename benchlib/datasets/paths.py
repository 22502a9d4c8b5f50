"""A user's own corpus and ontology: a PubTator file as the test split, and an ontology by its extension."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..corpus import Corpus
from ..ontology import Ontology
from ..readers.dictionary_tsv import read_dictionary
from ..readers.obo import read_obo
from ..readers.ontology_file import OntologyFile
from ..readers.pubtator import PubTator
from ..readers.rrf import read_rrf
from .benchmark import Benchmark
from .zeshel import zeshel

READERS = {".tsv": read_dictionary, ".txt": read_dictionary, ".obo": read_obo}
LISTED = 20  # oddities shown in full


def load_paths(corpus: Path | str, ontology: Path | str | None) -> Benchmark:
    """The corpus as a test split, with empty train and dev splits.

    ``corpus``: a PubTator file. ``ontology``: ``.tsv`` or ``.txt`` (a dictionary), ``.obo``, each
    also with ``.gz``; or a folder of ``.RRF`` files, or a file within one. Of ZESHEL, which has all splits,
    ``corpus`` is the folder, and ``ontology`` its ``documents/WORLD.json`` for the world of test: see
    :func:`zeshel`.

    A mention that is not where its offsets say, a document that stands twice, and a gold id outside the
    ontology are no errors: they are counted and listed in ``notes``. A file that is not of its format is
    one: ValueError with path:line, FileNotFoundError for a missing file. A corpus without an ontology is
    a ValueError too.
    """
    if ontology is None:
        raise ValueError(f"{corpus}: a corpus given by its path needs `ontology`, the path of its ontology")
    corpus, ontology = Path(corpus), Path(ontology)
    if corpus.is_dir():
        return zeshel(corpus, ontology.stem)
    dictionary = read_ontology(ontology)
    reader = PubTator(tolerant=True, repeated_documents=True)
    name = corpus.name.removesuffix(".gz").rsplit(".", 1)[0]
    test = reader.read(_present(corpus), f"{name}-test")
    notes = (
        *_counted(ontology, dictionary.dropped),
        *_counted(corpus, test.dropped),
        *_listed(f"mentions of {corpus.name} stand elsewhere than their offsets say", reader.issues),
        *_listed(f"gold ids of {corpus.name} are not in {ontology.name}", outside(test, dictionary.ontology)),
    )
    empty = (Corpus(f"{name}-{split}", ()) for split in ("train", "dev"))
    return Benchmark(name, *empty, test, dictionary.ontology, notes=notes)


def read_ontology(path: Path) -> OntologyFile:
    """Raises ValueError for an extension that is none of those known."""
    _present(path)
    if path.is_dir():
        return read_rrf(path)
    extension = Path(path.name.removesuffix(".gz")).suffix
    if extension.upper() == ".RRF":
        return read_rrf(path.parent)
    if extension not in READERS:
        known = ", ".join(READERS)
        raise ValueError(f"{path}: expected an ontology as {known} or .RRF (or a folder of .RRF files)")
    return READERS[extension](path)


def outside(corpus: Corpus, ontology: Ontology) -> list[str]:
    """Gold ids that are no id of the ontology, with the document of their first mention."""
    first: dict[str, str] = {}
    for document, mention in corpus.mentions():
        for id in sorted(mention.gold.ids):
            if id not in ontology:
                first.setdefault(id, f"{id} (document {document.id})")
    return list(first.values())


def _present(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    return path


def _counted(path: Path, dropped: Mapping[str, int]) -> tuple[str, ...]:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
    return (f"Left out of {path.name}: {reasons}.",) if reasons else ()


def _listed(what: str, found: list[str]) -> tuple[str, ...]:
    """One note with the count and the first of them, or none."""
    if not found:
        return ()
    more = f"; and {len(found) - LISTED:,} more" if len(found) > LISTED else ""
    return (f"{len(found):,} {what}: {'; '.join(found[:LISTED])}{more}",)
