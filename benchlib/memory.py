"""What strings meant in training mentions."""

from collections import Counter
from collections.abc import Iterable

from .corpus import Document
from .matching.abbreviations import Abbreviation, abbreviations, expand
from .ontology import Ontology, fold_name

Forms = tuple[str, str]  # the folded string of a mention, abbreviations written out, and as it stands


def both_forms(text: str, defined: list[Abbreviation]) -> Forms:
    """The string of a mention with the abbreviations that its document defined written out, and without."""
    return fold_name(expand(text, defined)), fold_name(text)


def meanings(
    ontology: Ontology, documents: Iterable[Document], written_out: bool = True
) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """How often each folded string meant each concept in the mentions with one concept, and how often each
    concept was meant. A string counts with its abbreviations ``written_out`` as well."""
    memory: dict[str, Counter[str]] = {}
    frequency: Counter[str] = Counter()
    for document in documents:
        defined = abbreviations(document.text) if written_out else []
        for mention in document.mentions:
            if mention.gold is None or len(mention.gold.parts) != 1:
                continue
            meant = sorted(ontology.concepts_in(mention.gold.ids))
            frequency.update(meant)
            for form in dict.fromkeys(both_forms(mention.text, defined)) if meant else ():
                memory.setdefault(form, Counter()).update(meant)
    return memory, frequency
