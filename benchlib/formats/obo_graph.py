"""OBO Graphs JSON: the classes of an ontology, as ROBOT writes them.

Format: https://github.com/geneontology/obographs
"""

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from ..ontology import Concept
from .json_text import json_or_none
from .lines import add_once, numbered_lines, read_error
from .obo import SCOPES, ScopedNames
from .ontology_file import OntologyFile, concepts_of_file, unique_nonempty

_SCOPE_OF = {f"has{scope.title()}Synonym": scope for scope in SCOPES}
_REPLACED_BY, _OTHER_ID = "IAO_0100001", "hasAlternativeId"  # how their predicates end
_IRI = re.compile(r".*[/#]([A-Za-z][A-Za-z.]*)_(\w+)")


def read_obo_graph(path: Path | str, scopes: Collection[str] = ("exact",)) -> OntologyFile:
    """The classes of a file, as :func:`benchlib.formats.obo.read_obo` gives terms, without cross references.

    The id of ``http://purl.obolibrary.org/obo/MONDO_0000001`` is ``MONDO:0000001``. A class without a label
    is dropped, counted. Raises ValueError for another file, and for an id defined twice.
    """
    text = "\n".join(line for _, line in numbered_lines(path))
    names = ScopedNames(scopes)
    try:
        concepts, replaced = _concepts(path, json_or_none(text)["graphs"], names)
    except (KeyError, TypeError, AttributeError):
        raise read_error(path, 1, "OBO Graphs JSON, with `graphs` of `nodes` and `edges`", text) from None
    notes = names.notes(path)
    return concepts_of_file(path, concepts, dropped=names.dropped, notes=notes, replaced=replaced)


def _concepts(
    path: Path | str, graphs: list[dict[str, Any]], scoped: ScopedNames
) -> tuple[dict[str, Concept], dict[str, tuple[str, ...]]]:
    """The live classes by id, and the ids that replace those that are deprecated."""
    concepts: dict[str, Concept] = {}
    replaced: dict[str, tuple[str, ...]] = {}
    parents: dict[str, list[str]] = {}
    for edge in (edge for graph in graphs for edge in graph.get("edges", ()) if edge["pred"] == "is_a"):
        parents.setdefault(edge["sub"], []).append(_curie(edge["obj"]))
    for node in (node for graph in graphs for node in graph["nodes"] if node.get("type") == "CLASS"):
        id, meta = _curie(node["id"]), node.get("meta", {})
        more = meta.get("basicPropertyValues", ())
        if meta.get("deprecated"):
            scoped.dropped["obsolete concept"] += 1
            replaced[id] = _values(more, _REPLACED_BY)
        elif not (label := node.get("lbl", "").strip()):
            scoped.dropped["concept without a label"] += 1
        else:
            synonyms = ((one["val"], _SCOPE_OF[one["pred"]]) for one in meta.get("synonyms", ()))
            concept = Concept(
                id,
                unique_nonempty([label, *(name for one in synonyms for name in scoped.take(*one))]),
                parents=unique_nonempty(parents.get(node["id"], ())),
                definition=meta.get("definition", {}).get("val", ""),
                alternatives=_values(more, _OTHER_ID),
            )
            add_once(path, 1, concepts, id, concept)
    return concepts, replaced


def _values(properties: Iterable[dict[str, str]], predicate: str) -> tuple[str, ...]:
    return unique_nonempty(_curie(one["val"]) for one in properties if one["pred"].endswith(predicate))


def _curie(iri: str) -> str:
    match = _IRI.fullmatch(iri)
    return f"{match[1]}:{match[2]}" if match else iri
