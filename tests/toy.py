"""A benchmark small enough to work out by hand."""

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology


def annotated(text: str, *mentions: tuple[str, str], id: str = "1") -> Document:
    """A text with mentions, each the next place of its string; gold as printed: `+` between parts, "" NIL."""
    placed, place = [], 0
    for string, printed in mentions:
        start = text.index(string, place)
        place = start + len(string)
        parts = tuple(frozenset(part.split("|")) for part in printed.split("+") if part)
        placed.append(Mention(start, place, string, "Disease", Gold(parts, printed=printed)))
    return Document(id, text, tuple(placed))


def document(id: str, *mentions: tuple[str, str]) -> Document:
    """A document that is its mentions joined by blanks."""
    return annotated("".join(f"{string} " for string, _ in mentions), *mentions, id=id)


ONTOLOGY = Ontology(
    "toy",
    [
        Concept("D1", ("Cold", "common cold")),
        Concept("D2", ("cold", "low temperature")),
        Concept("D3", ("Fever", "pyrexia"), alternatives=("OMIM:3",)),
        Concept("D4"),
    ],
)
BENCHMARK = Benchmark(
    "toy",
    Corpus("toy train", (document("1", ("cold", "D2"), ("Cold", "D2"), ("COLD", "D1"), ("shivers", "D3")),)),
    Corpus("toy dev", (document("2", ("cold", "D1"), ("cold", "D1"), ("pyrexia", "D3")),)),
    Corpus(
        "toy test",
        (
            document("3", ("Cold", "D1"), ("FEVER", "OMIM:3"), ("ague", "D3")),
            document("4", ("shivers", "D3"), ("nothing", ""), ("cold fever", "D1+D3"), ("cold", "D4")),
        ),
    ),
    ONTOLOGY,
)
DEV_TELLS = Benchmark(
    "dev tells",
    Corpus("dt train", (document("1", ("chill", "D2")),)),
    Corpus("dt dev", (document("2", ("ague", "D3"), ("chill", "D2"), ("frost", "D2")),)),
    Corpus(
        "dt test", (document("3", ("Ague", "D1"), ("shakes", "OMIM:3"), ("Chill", "D2"), ("grippe", "D1")),)
    ),
    ONTOLOGY,
)
"""The string of its first test mention, and the concept of its second, stand in dev alone."""
