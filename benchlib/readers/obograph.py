"""OBO graphs in JSON: what ontology tools export instead of OBO or OWL.

Format: https://github.com/geneontology/obographs
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from ..ontology import Concept, Ontology
from .obo import SCOPES
from .ontology_file import OntologyFile, distinct

ALTERNATIVE = "hasAlternativeId"


def read_obograph(path: Path | str, scopes: Collection[str] = ("EXACT",)) -> OntologyFile:
    """The live classes of the first graph; the further graphs of a file are what it imports.

    Ids are shortened from their IRI (``.../obo/DOID_8718`` gives ``DOID:8718``). ``dropped`` counts
    properties, deprecated classes, classes without a label, synonyms of another scope and the classes
    of imported graphs. Raises ValueError for text that is not JSON (with its line), or not of this shape.
    """
    if unknown := set(scopes) - set(SCOPES):
        raise ValueError(f"synonym scopes {sorted(unknown)} are not among {', '.join(SCOPES)}")
    wanted = {f"has{scope.capitalize()}Synonym" for scope in scopes}
    graphs = _graphs(path)
    dropped: Counter[str] = Counter()
    parents: dict[str, list[str]] = {}
    for edge in graphs[0].get("edges", ()):
        if edge.get("pred") == "is_a":
            parents.setdefault(_id(edge["sub"]), []).append(_id(edge["obj"]))
    concepts, xrefs = [], {}
    for position, node in enumerate(graphs[0]["nodes"]):
        try:
            meta = node.get("meta", {})
            if reason := _reason(node, meta):
                dropped[reason] += 1
                continue
            synonyms = [s["val"] for s in meta.get("synonyms", ()) if s["pred"] in wanted]
            dropped["synonym of another scope"] += len(meta.get("synonyms", ())) - len(synonyms)
            concept = _concept(node, meta, synonyms, parents)
            xrefs[concept.id] = distinct([xref["val"] for xref in meta.get("xrefs", ())])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{path}: node {position} of the first graph is not as expected: {error!r}"
            ) from None
        concepts.append(concept)
    if not concepts:
        raise ValueError(f"{path}: expected at least one labelled class in the first graph, found none")
    if imported := sum(len(graph.get("nodes", ())) for graph in graphs[1:]):
        dropped["imported concept"] = imported
    return OntologyFile(Ontology(Path(path).name, concepts), xrefs, +dropped)


def _graphs(path: Path | str) -> list[Mapping]:
    path = Path(path)
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        try:
            content = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}:{error.lineno}: expected JSON, {error.msg}") from None
        except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{path}: expected JSON in UTF-8, plain or gzipped; {error}") from None
    graphs = content.get("graphs") if isinstance(content, dict) else None
    if not graphs or "nodes" not in graphs[0]:
        raise ValueError(f"{path}: expected an OBO graph, `{{'graphs': [{{'nodes': ...}}]}}`")
    return graphs


def _reason(node: Mapping, meta: Mapping) -> str:
    """Why a node is no concept; empty when it is one."""
    if node.get("type", "CLASS") != "CLASS":
        return "property"
    if meta.get("deprecated"):
        return "obsolete concept"
    return "" if node.get("lbl", "").strip() else "concept without a label"


def _concept(node: Mapping, meta: Mapping, synonyms: list[str], parents: Mapping[str, list[str]]) -> Concept:
    id = _id(node["id"])
    values = meta.get("basicPropertyValues", ())
    return Concept(
        id,
        distinct([node["lbl"], *synonyms]),
        parents=distinct(parents.get(id, [])),
        definition=meta.get("definition", {}).get("val", ""),
        alternatives=distinct([v["val"] for v in values if v["pred"].endswith(ALTERNATIVE)]),
    )


def _id(iri: str) -> str:
    prefix, underscore, local = iri.rsplit("/", 1)[-1].rpartition("_")
    return f"{prefix}:{local}" if underscore else iri
