"""The text of an entity, made of what the ontology says about it."""

from collections.abc import Callable, Sequence

from benchlib.ontology import Concept, Ontology

_FIELDS: dict[str, Callable[[Concept, Ontology], str]] = {
    "title": lambda concept, ontology: concept.names[0] if concept.names else "",
    "types": lambda concept, ontology: ", ".join(concept.types),
    "path": lambda concept, ontology: " > ".join(path(concept, ontology)),
    "synonyms": lambda concept, ontology: "; ".join(concept.names[1:]),
    "definition": lambda concept, ontology: concept.definition,
}


def entity_text(
    concept: Concept,
    ontology: Ontology,
    fields: Sequence[str] = ("title", "types", "path", "synonyms", "definition"),
    separator: str = "[SEP]",
) -> str:
    """The ``fields`` in the order given, between separators; what the ontology does not say is left out.

    ``separator`` is the tokenizer's. KRISSBERT (section 3.5) takes the place in the hierarchy, the type and
    the aliases, with a description after them where there is one; PEL (appendix A) title, types and
    definition. The hierarchy is given by the titles of the ancestors, root first, where KRISSBERT has
    UMLS's semantic tree number. Raises ValueError for an unknown field.
    """
    unknown = [field for field in fields if field not in _FIELDS]
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r}; expected some of {', '.join(_FIELDS)}")
    found = [_FIELDS[field](concept, ontology) for field in fields]
    return f" {separator} ".join(text for text in found if text)


def path(concept: Concept, ontology: Ontology) -> list[str]:
    """Titles of the ancestors, root first, by the first known parent of each; a cycle ends it."""
    titles, seen = [], {concept.id}
    while True:
        known = (id for parent in concept.parents for id in ontology.resolve(parent))
        above = next((id for id in known if id not in seen), None)
        if above is None:
            return titles[::-1]
        seen.add(above)
        concept = ontology.concepts[above]
        titles.extend(concept.names[:1])
