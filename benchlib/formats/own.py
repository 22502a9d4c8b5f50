"""A user's own corpora and ontology: PubTator, BioC or BRAT as splits, and an ontology by its extension."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..benchmark import SPLITS, Benchmark
from ..corpus import Corpus, Gold, Mention
from ..ontology import Ontology
from ..sanity import ASKED, sanity_checks, warning_text
from .bioc import is_bioc, read_bioc
from .brat import is_brat, read_brat
from .gold_ids import GoldReader, Separators, describe_multiple_ids, gold_from_ids, without_prefix
from .offsets import Oddities
from .ontologies import read_ontology
from .ontology_file import OntologyFile
from .pubtator import read_pubtator

LISTED = 20  # oddities shown in full
ReadFolder = Callable[[Path, str, GoldReader], Corpus]  # of a folder, the name of a corpus and what ids mean


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Separators):
    """How files of one's own are read, where it is not the usual way.

    ``train`` and ``dev``: paths, read as the corpus itself. ``types``: the only types of
    mentions that count, also as one of several (``T116`` in ``T116,T125``); others are dropped, counted.
    ``strip_prefix``: what an id may have before it (``MESH:``) in gold, ontology and predictions, and means
    the same without. ``any_of`` and ``all_of``: the characters that separate ids of a gold of which any is
    right, and parts that are all asked for; None: as in :class:`benchlib.formats.gold_ids.Separators`, which
    raises ValueError for impossible ones.
    ``synonyms``: what separates several names in one cell of a TSV or CSV dictionary (``|``), if anything.
    ``scopes``, ``id_column``, ``strict``: see :func:`benchlib.formats.ontologies.read_ontology`. ``types``,
    ``strip_prefix`` and ``scopes`` may be one text, with commas between several.
    """

    train: str = ""
    dev: str = ""
    types: tuple[str, ...] = ()
    strip_prefix: tuple[str, ...] = ()
    synonyms: str = ""
    scopes: tuple[str, ...] = ("exact",)
    id_column: str = ""
    strict: bool = False

    def __post_init__(self) -> None:
        for name in ("types", "strip_prefix", "scopes"):
            value = getattr(self, name)
            parts = value.split(",") if isinstance(value, str) else value
            if not isinstance(parts, Collection) or not all(isinstance(part, str) for part in parts):
                raise ValueError(f"{name}: expected texts, or one with commas between them, found {value!r}")
            object.__setattr__(self, name, tuple(filter(None, map(str.strip, parts))))
        super().__post_init__()

    def ontology(self, dictionary: str | Path | Ontology) -> OntologyFile:
        """What :func:`benchlib.formats.ontologies.read_ontology` reads with these options, with what it left
        out among its notes. Raises ValueError for an Ontology with options about files of it."""
        if isinstance(dictionary, Ontology):
            self.refuse("synonyms", "scopes", "id_column", "strict")
            return OntologyFile(dictionary)
        file = read_ontology(dictionary, self.synonyms, self.scopes, self.id_column, self.strict)
        return replace(file, notes=(*_counted(Path(dictionary), file.dropped), *file.notes))

    def refuse(self, *names: str) -> None:
        """Raises ValueError where one of these is not as usual: nothing would read it."""
        if unread := {*names} & {*self.unusual()}:
            raise ValueError(f"option {min(unread)!r} would be ignored; expected the files that it is about")

    def unusual(self) -> list[str]:
        """What is not as usual, by name."""
        return [name for name, value in vars(self).items() if value != getattr(DEFAULT_READING, name)]


DEFAULT_READING = ReadingOptions()


def reading_options(**values: Any) -> ReadingOptions:
    """Those with these values; raises ValueError for an unknown one, and for ``train`` and ``dev``, which are
    arguments of their own."""
    known = [name for name in vars(DEFAULT_READING) if name not in ("train", "dev")]
    if unknown := next((name for name in values if name not in known), ""):
        raise ValueError(f"option {unknown!r} is unknown; expected one of {', '.join(known)}")
    return ReadingOptions(**values)


def load_paths(
    corpus: Path | str,
    ontology: Path | str | Ontology | None,
    reading: ReadingOptions = DEFAULT_READING,
    read_folder: ReadFolder | None = None,
) -> Benchmark:
    """The corpus as a test split, with the train and dev corpora of ``reading``, or empty ones.

    ``corpus``: a file of PubTator or BioC, a folder of BRAT or one for ``read_folder``, as train and dev may
    be. ``ontology``: a path, see :func:`benchlib.formats.ontologies.read_ontology`, or an Ontology.

    A mention that is not where its offsets say, a document of PubTator that stands twice, and a gold id
    outside the ontology are no errors: they are counted and listed in ``notes``, which begin with what is to
    be doubted (:func:`benchlib.sanity.sanity_checks`). A file that is not of its format is one: ValueError
    with path:line, FileNotFoundError for a missing file. A corpus without an ontology is a ValueError too,
    and so is a type of ``reading`` that no mention has.
    """
    if ontology is None:
        raise ValueError(f"{corpus}: a corpus given by its path needs a dictionary (on a page `ontology`)")
    files = (reading.train, reading.dev, corpus)
    paths = {split: Path(path) for split, path in zip(SPLITS, files, strict=True) if path}
    for path in paths.values():
        if not path.exists():
            raise FileNotFoundError(f"{path}: no such file or folder")
        if path.is_dir() and read_folder is None and not is_brat(path):
            raise ValueError(f"{path}: expected a PubTator or BioC file, found a folder without BRAT")
    dictionary = reading.ontology(ontology)
    notes = [*dictionary.notes]
    ontology = without_prefixes(dictionary.ontology, reading.strip_prefix)
    replaced = {without_prefix(id, reading.strip_prefix): new for id, new in dictionary.replaced.items()}
    dictionary = replace(dictionary, ontology=ontology, replaced=replaced)
    name = paths["test"].name.removesuffix(".gz").rsplit(".", 1)[0]
    splits = {split: Corpus(f"{name}-{split}", ()) for split in SPLITS}
    types: set[str] = set()
    for split, path in paths.items():
        splits[split], found = _read(path, f"{name}-{split}", ontology, reading, read_folder, types)
        notes += (*found, *dictionary.retired_ids(splits[split]))
    if unknown := set(reading.types) - types:
        lacking, known = (", ".join(sorted(each)) for each in (unknown, types))
        raise ValueError(f"{corpus}: no mention is of type {lacking}; expected types among {known}")
    test = {document.text for document in splits["test"].documents}
    for split in ("train", "dev"):
        if count := sum(document.text in test for document in splits[split].documents):
            shared = f"{count:,} documents of test are also in {split}"
            notes.append(f"{shared}: a linker may have learned from them")
    benchmark = Benchmark(name, *splits.values(), ontology)
    return replace(benchmark, notes=(*sanity_checks(benchmark), *notes))


def _read(
    path: Path,
    name: str,
    ontology: Ontology,
    reading: ReadingOptions,
    read_folder: ReadFolder | None,
    types: set[str],
) -> tuple[Corpus, list[str]]:
    """A corpus, and what was odd about it; ``types`` gets those of its mentions, and their parts."""
    gold = gold_from_ids(reading, reading.strip_prefix, ontology)

    def meaning(printed: str, type: str, submentions: tuple[str, ...]) -> Gold | str:
        parts = {type, *(part.strip() for part in re.split("[,;|]", type))}
        types.update(parts)
        if reading.types and parts.isdisjoint(reading.types):
            return f"{ASKED}{type}"
        return gold(printed, type, submentions)

    odd = Oddities()
    if path.is_dir():
        corpus = read_brat(path, name, meaning, odd) if is_brat(path) else read_folder(path, name, meaning)
    elif is_bioc(path):
        corpus = read_bioc(path, name, meaning, odd)
    else:
        corpus = read_pubtator(path, name, meaning, odd, repeated_rows=True)
    return corpus, [
        *([_all_relations(name, n)] if (n := odd.counted["relation lines"]) and not corpus.n_raw else ()),
        *_counted(path, corpus.dropped),
        *(f"{path.name}: {n:,} {what}." for what, n in odd.counted.items()),
        *(f"{path.name}: {note}." for note in (*describe_multiple_ids(corpus), *_ceiling(corpus, ontology))),
        *_listed(f"mentions of {path.name} are not at their offsets", odd.issues),
        *_listed(
            f"gold ids of {path.name} are not in {ontology.name}", ids_outside_dictionary(corpus, ontology)
        ),
    ]


def _all_relations(name: str, n: int) -> str:
    columns = "Those of a mention are document, start, end, mention, type and id, in this order."
    return warning_text(f"{name} has no mention", f"All {n:,} lines were read as relations.", columns)


def without_prefixes(ontology: Ontology, prefixes: tuple[str, ...]) -> Ontology:
    """The same concepts under ids without these prefixes; with one of them, an id is an alternative one."""
    if not prefixes:
        return ontology
    concepts = []
    for concept in ontology.concepts.values():
        ids = dict.fromkeys(without_prefix(id, prefixes) for id in (concept.id, *concept.alternatives))
        alternatives = (*list(ids)[1:], *(prefix + id for id in ids for prefix in prefixes))
        parents = tuple(without_prefix(id, prefixes) for id in concept.parents)
        concepts.append(replace(concept, id=next(iter(ids)), parents=parents, alternatives=alternatives))
    return Ontology(ontology.name, concepts, prefixes)


def ids_outside_dictionary(corpus: Corpus, ontology: Ontology) -> list[str]:
    """Gold ids that are no id of the ontology, with the document of their first mention."""
    first: dict[str, str] = {}
    for document, mention in corpus.mentions():
        for id in sorted(mention.gold.ids):
            if id not in ontology:
                first.setdefault(id, f"{id} (document {document.id})")
    return list(first.values())


def _ceiling(corpus: Corpus, ontology: Ontology) -> tuple[str, ...]:
    """A note on spans with several golds that no one concept meets, and the highest score that they leave."""
    spans: dict[tuple[str, int, int], list[Mention]] = {}
    for document, mention in corpus.mentions():
        if not mention.gold.nil:
            spans.setdefault((document.id, mention.start, mention.end), []).append(mention)
    best = {
        span: max(Counter(id for m in mentions for id in ontology.concepts_of(m.gold.ids)).values())
        for span, mentions in spans.items()
    }
    apart = [span for span, mentions in spans.items() if best[span] < len(mentions)]
    if not apart:
        return ()
    share = 100 * sum(best.values()) / sum(map(len, spans.values()))
    document, start, end = apart[0]
    types = dict.fromkeys(mention.type for mention in spans[apart[0]])
    spans = f"{len(apart):,} spans have golds that no one concept meets"
    first = f"document {document} {start}-{end}: {', '.join(types)}"
    return (f"{spans} ({first}), so strict Recall@1 is at most {share:.1f} %",)


def _counted(path: Path, dropped: Mapping[str, int]) -> tuple[str, ...]:
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
    return (f"Left out of {path.name}: {reasons}.",) if reasons else ()


def _listed(what: str, found: list[str]) -> tuple[str, ...]:
    """One note with the count and the first of them, or none."""
    if not found:
        return ()
    more = f"; and {len(found) - LISTED:,} more" if len(found) > LISTED else ""
    return (f"{len(found):,} {what}: {'; '.join(found[:LISTED])}{more}",)
