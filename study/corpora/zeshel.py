"""ZESHEL: linking to worlds of which no mention was seen in training, for whoever has the files."""

from pathlib import Path

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Mention
from benchlib.formats.lines import wrong
from benchlib.formats.own import Reading
from benchlib.ontology import Concept, Ontology

from .zeshel_files import Page, placed, read_mentions, read_pages

START = 128  # words of a page that are its definition


def zeshel(folder: Path | str, world: str) -> Benchmark:
    """The published train and dev mentions, and the test mentions of one ``world``, such as ``lego``.

    ``folder`` has ``documents/WORLD.json`` and ``mentions/{train,val,test}.json`` as distributed. An entity
    is a page: its title, and the start of its text as definition. The ontology is all pages of the world, and
    those of other worlds that mentions of train and dev stand for: a linker learns from what it can link to.
    A test mention is thus ranked against its world *and these*; the paper and those after it rank it within
    its world, which is a little easier.

    Raises ValueError (path:line) for a line that is not of the format, a mention that is not where it is said
    to be, and a page that its world has not; ValueError for a world without test mentions; FileNotFoundError.
    """
    folder = Path(folder)
    pages: dict[str, dict[str, Page]] = {}
    train, dev = (_corpus(folder, split, pages) for split in ("train", "val"))
    learned = {id for corpus in (train, dev) for _, mention in corpus.mentions() for id in mention.gold.ids}
    test = _corpus(folder, "test", pages, world)
    concepts = (
        Concept(id, (page.title,), definition=" ".join(page.text.split()[:START]))
        for name, there in pages.items()
        for id, page in there.items()
        if name == world or id in learned
    )
    notes = ("Ranked against the pages of the world and those that mentions of train and dev stand for.",)
    name = f"zeshel-{world}"
    return Benchmark(name, train, dev, test, Ontology(name, concepts), notes=notes)


def _corpus(folder: Path, split: str, pages: dict[str, dict[str, Page]], world: str = "") -> Corpus:
    """The mentions of a split, or those of one world; ``pages``, by world, are read where they are needed."""
    path = folder / "mentions" / f"{split}.json"
    found: dict[str, tuple[str, list[Mention]]] = {}
    worlds: dict[str, None] = {}
    for number, entry in read_mentions(path):
        of = entry["corpus"]
        worlds[of] = None
        if world not in ("", of):
            continue
        if of not in pages:
            pages[of] = read_pages(folder / "documents" / f"{of}.json")
        for field in ("context_document_id", "label_document_id"):
            if entry[field] not in pages[of]:
                raise wrong(path, number, f"a page of {of} as {field}", entry[field])
        id = entry["context_document_id"]
        text, mentions = found.setdefault(id, (pages[of][id].text, []))
        mentions.append(placed(path, number, entry, text))
    if not found:
        raise ValueError(f"{path}: no mention of {world or 'any world'}; expected one of {', '.join(worlds)}")
    documents = (Document(id, text, tuple(mentions)) for id, (text, mentions) in found.items())
    return Corpus(f"zeshel-{world or split}", tuple(documents))


def zeshel_world(folder: Path | str, ontology: Path | str | Ontology | None, reading: Reading) -> Benchmark:
    """:func:`zeshel` of the world whose ``documents/WORLD.json`` is given as ``ontology``; raises ValueError
    for another folder and for options that it does not read."""
    if not (Path(folder) / "mentions").is_dir():
        raise ValueError(f"{folder}: expected a PubTator file, or a folder of ShARe, n2c2 or ZESHEL")
    if unread := reading.unusual():
        raise ValueError(f"{folder}: ZESHEL is read in its own way; {', '.join(unread)} would be ignored")
    if ontology is None or isinstance(ontology, Ontology):
        given = getattr(ontology, "name", "none")
        raise ValueError(f"{folder}: expected documents/WORLD.json as `ontology`, found {given}")
    return zeshel(folder, Path(ontology).stem)
