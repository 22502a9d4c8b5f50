"""OBO Graphs JSON: the classes of an ontology, as ROBOT writes them, read as the terms of an OBO file.

Format: https://github.com/geneontology/obographs
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from .json_text import read_json
from .lines import numbered_lines, read_error
from .obo import SCOPES, Tags, terms_as_concepts
from .ontology_file import OntologyFile

_SCOPE_OF = {f"has{scope.title()}Synonym": scope for scope in SCOPES}
_TAGS = {"IAO_0100001": "replaced_by", "hasAlternativeId": "alt_id"}  # by how a predicate ends
_IRI = re.compile(r".*[/#]([A-Za-z][A-Za-z.]*)_(\w+)")


def read_obo_graph(path: Path | str, scopes: Collection[str] = ("exact",)) -> OntologyFile:
    """The classes of a file, as :func:`benchlib.formats.obo.read_obo` gives terms, without xrefs. The id of
    ``http://purl.obolibrary.org/obo/MONDO_0000001`` is ``MONDO:0000001``. A class without a label is dropped,
    counted. Raises ValueError for another file, and for an id defined twice.
    """
    text = "\n".join(line for _, line in numbered_lines(path))
    try:
        graphs = read_json(text)["graphs"]
        classes = [node for graph in graphs for node in graph["nodes"] if node.get("type") == "CLASS"]
        edges = [edge for graph in graphs for edge in graph.get("edges") or () if edge["pred"] == "is_a"]
        terms = list(_terms(classes, edges))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    except (KeyError, TypeError, AttributeError):
        raise read_error(path, 1, "OBO Graphs JSON, with `graphs` of `nodes` and `edges`", text) from None
    read = terms_as_concepts(path, ((1, tags) for tags in terms), scopes)
    if unnamed := len(classes) - len(terms):
        read = replace(read, dropped={**read.dropped, "concept without a label": unnamed})
    return read


def _terms(classes: list[dict[str, Any]], edges: list[dict[str, str]]) -> Iterator[Tags]:
    """The tags of each class that is obsolete or has a label."""
    parents: dict[str, list[str]] = {}
    for edge in edges:
        parents.setdefault(edge["sub"], []).append(_curie(edge["obj"]))
    for node in classes:
        meta, label = node.get("meta") or {}, (node.get("lbl") or "").strip()
        if not label and not meta.get("deprecated"):
            continue
        tags = {"id": [_curie(node["id"])], "name": [_escaped(label)], "is_a": parents.get(node["id"], [])}
        tags["is_obsolete"] = ["true"] if meta.get("deprecated") else []
        tags["def"] = [_quoted(meta["definition"])] if "definition" in meta else []
        tags["synonym"] = [f"{_quoted(one)} {_SCOPE_OF[one['pred']]}" for one in meta.get("synonyms", ())]
        for one in meta.get("basicPropertyValues", ()):
            tag = _TAGS.get(re.split("[/#]", one["pred"])[-1], "")
            tags.setdefault(tag, []).append(_curie(one["val"]))
        yield {tag: [(1, value) for value in values] for tag, values in tags.items()}


def _quoted(meaning: dict[str, str]) -> str:
    return f'"{_escaped(meaning["val"])}"'


def _escaped(text: str) -> str:
    return re.sub(r'([\\"{}!])', r"\\\1", text)


def _curie(iri: str) -> str:
    match = _IRI.fullmatch(iri)
    return f"{match[1]}:{match[2]}" if match else iri
