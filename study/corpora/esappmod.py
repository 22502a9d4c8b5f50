"""ESAppMod: names of software, as people write them, against a small catalogue.

The corpus has no documents: a mention is a string on its own, so each mention is a document here, and the
unit of resampling is the gold entity. Three entities hold 30 % of the test mentions.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, Field, StringConstraints

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.formats.json_text import read_json
from benchlib.ontology import Concept, Ontology, fold_name

from ..yaml_file import validated
from .files import FileLocator

DEV_EVERY = 10
DEV_LEAST = 3
T = TypeVar("T")


def esappmod(locate: FileLocator) -> Benchmark:
    """Train and dev are the published training mentions, test the published test mentions and negatives.

    ``locate`` gives the path of a file of the local mirror.
    """
    read = read_entries(locate("esappmod/train.json"), EntityMentions)
    training = [(text, entry.gold) for entry in read for text in entry.mentions]
    trained = {id for _, gold in training for id in gold.ids}
    catalogue = read_entries(locate("esappmod/tca_entities.json"), Entity)
    entities = [Concept(str(e.entity_id), (e.entity_name,), (e.entity_type_name,)) for e in catalogue]
    ontology = Ontology("esappmod-canonical", [e for e in entities if e.id in trained])
    dev = dev_positions(training, ontology)
    types = {id: concept.types[0] for id, concept in ontology.concepts.items()}

    def documents(kind: str, pairs: Iterable[tuple[str, Gold]]) -> list[Document]:
        return [
            Document(
                f"{kind}-{i:06d}", text, (Mention(0, len(text), text, types.get(gold.printed, ""), gold),)
            )
            for i, (text, gold) in enumerate(pairs)
        ]

    learned = documents("train", training)
    scored: list[Document] = []
    for kind, file in (("test", "infer"), ("negative", "infer_negative")):
        found = read_entries(locate(f"esappmod/{file}.json"), SingleMention)
        scored += documents(kind, ((entry.mention, entry.gold) for entry in found))
    return Benchmark(
        "esappmod",
        Corpus("esappmod-train", tuple(d for i, d in enumerate(learned) if i not in dev)),
        Corpus("esappmod-dev", tuple(d for i, d in enumerate(learned) if i in dev)),
        Corpus("esappmod-test", tuple(scored)),
        ontology,
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


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]  # negatives end in a newline


class _Entry(BaseModel, strict=True):
    entity_id: int | Annotated[str, StringConstraints(min_length=1)]

    @property
    def gold(self) -> Gold:
        """The entity; the id 0 means no entity at all."""
        id = str(self.entity_id)
        return Gold(printed=id) if id == "0" else Gold((frozenset([id]),), printed=id)


class Entity(_Entry):
    """An entity of the catalogue, with its canonical name and its type."""

    entity_name: _Text
    entity_type_name: str


class EntityMentions(_Entry):
    """An entity with its training mentions."""

    mentions: Annotated[list[_Text], Field(min_length=1)]


class SingleMention(_Entry):
    """A mention with its entity."""

    mention: _Text


class _File(BaseModel, Generic[T]):
    data: dict[str, T]


def read_entries(path: Path | str, entry: type[T]) -> list[T]:
    """The entries of a file, in its order; raises ValueError naming file, entry and field."""
    try:
        content = read_json(Path(path).read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: expected JSON in UTF-8, found {error}") from None
    return list(validated(_File[entry], content, str(path)).data.values())
