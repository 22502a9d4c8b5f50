"""BioC in XML or JSON: documents of passages with their annotations, as PubTator 3 exports them.

Formats: Comeau et al. (2013), https://bioc.sourceforge.net; https://www.ncbi.nlm.nih.gov/research/pubtator3/api.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..corpus import Corpus
from .gold_ids import GoldReader, generic_gold
from .json_text import json_or_none, read_json
from .lines import numbered_lines, read_error
from .offsets import Oddities
from .standoff import Annotation, Passage, annotated_corpus

_MAX_GAP = 1_000_000  # characters between two passages, which become blanks
# Keys of the id where there is no `identifier`: MESH of BC5CDR, NCBI Gene identifier of NLM-Gene.
_IDS = re.compile(
    "identifier|(mesh|omim|umls|concept|entity|normalized)?.?(id|cui)|mesh|omim|umls"
    "|(ncbi|entrez)?.?(gene|tax)(?!.*(name|symbol|type)).*",
    re.IGNORECASE,
)


def is_bioc(path: Path | str) -> bool:
    """Whether a file begins, blank lines aside, as XML or JSON does."""
    first = next((line for _, line in numbered_lines(path) if line.strip()), "")
    return first.lstrip().startswith(("<", "{", "["))


def read_bioc(
    path: Path | str, name: str, gold: GoldReader = generic_gold, oddities: Oddities | None = None
) -> Corpus:
    """The documents of a collection, with blanks between passages, so that offsets are those of the file.

    Offsets of annotations count from the start of the document or of the passage, whichever explains more of
    them. What is dropped and counted: :func:`benchlib.formats.standoff.annotated_corpus`; ``oddities`` gets
    what is odd about offsets. Relations are not read. Raises ValueError for a file that is no BioC, and for a
    gold that ``gold`` refuses.
    """
    text = "\n".join(line for _, line in numbered_lines(path))
    try:
        found = _of_json(text)
        if text.lstrip().startswith("<"):
            elements = ElementTree.fromstring(text).iter("document")
            found = ((e.findtext("id", "").strip(), _passages(_of_element(e))) for e in elements)
        documents = ((id, *_joined(id, passages)) for id, passages in found)
        corpus = annotated_corpus(name, documents, gold, oddities or Oddities())
    except ElementTree.ParseError as error:
        raise read_error(path, error.position[0], "XML", str(error)) from None
    except (LookupError, TypeError, AttributeError, ArithmeticError):
        raise read_error(path, 1, "BioC, with documents of passages and annotations", text) from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not corpus.documents:
        raise read_error(path, 1, "at least one document", text)
    return corpus


def _joined(id: str, passages: list[dict[str, Any]]) -> tuple[str, list[Passage]]:
    """The text of a document, and its passages."""
    joined, read = "", []
    try:
        for passage in (part for each in passages for part in _parts(each)):
            offset, text = int(passage["offset"]), passage.get("text") or ""
            if not 0 <= offset <= len(joined) + _MAX_GAP:
                raise ValueError(f"expected passages in order, found one at {offset}")
            start = max(offset, len(joined) + bool(joined))
            joined = joined.ljust(start) + text
            annotations = []
            for annotation in passage.get("annotations", ()):
                places = [(int(at["offset"]), int(at["length"])) for at in annotation["locations"]]
                # One without a place is of the whole document, as the MeSH indexing of NLM-Chem.
                first, *more = places or [(offset, 0), (offset, 0)]
                span = first[0], max(at + length for at, length in (first, *more))
                infons = annotation["infons"]
                given = {key: value for key, value in infons.items() if _IDS.fullmatch(key)}
                values = (infons.get("identifier"), *given.values())
                ids = next((value for value in values if value not in (None, "")), "")
                what = annotation["text"], str(infons.get("type") or "").strip(), str(ids) if given else None
                annotations.append(Annotation(span, *what, pieces=str(more or "")))
            read.append(Passage(text, annotations, start, offset))
    except ValueError as error:
        raise ValueError(f"document {id}: {error}") from None
    except (LookupError, TypeError, AttributeError, ArithmeticError) as error:
        told = f"found {type(error).__name__}: {error}"
        raise ValueError(f"document {id}: expected passages and annotations of BioC, {told}") from None
    return joined, read


def _parts(passage: dict[str, Any]) -> list[dict[str, Any]]:
    """A passage, or its sentences, the first with the annotations that stand at the passage."""
    if not (sentences := passage.get("sentences")):
        return [passage]
    first = [*sentences[0].get("annotations", ()), *passage.get("annotations", ())]
    return [{**sentences[0], "annotations": first}, *sentences[1:]]


def _passages(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of a document, the first with the annotations that stand at the document."""
    if not (outside := document.get("annotations")):
        return document["passages"]
    return _parts({"sentences": document["passages"], "annotations": outside})


def _of_json(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(id, passages) of a collection or document, of several in a list, or of one on each line."""
    try:
        content = read_json(text)
    except ValueError:  # which names the line, if no document stands on each
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        content = [json_or_none(line) for _, line in lines]
        if content[0] is None:
            raise
        if None in content:
            number, line = lines[content.index(None)]
            raise ValueError(f"line {number}: expected a document as JSON, found {line[:80]!r}") from None
    for each in [content] if isinstance(content, dict) else content:
        for document in each.get("documents") or each.get("PubTator3") or [each]:
            yield "" if document["id"] is None else str(document["id"]), _passages(document)


def _of_element(element: ElementTree.Element) -> dict[str, Any]:
    """A document, passage, sentence or annotation as JSON has it."""
    return {
        "offset": element.findtext("offset"),
        "text": element.findtext("text", ""),
        "infons": {infon.get("key"): infon.text for infon in element.findall("infon")},
        "locations": [location.attrib for location in element.findall("location")],
        "annotations": [_of_element(one) for one in element.findall("annotation")],
        "sentences": [_of_element(one) for one in element.findall("sentence")],
        "passages": [_of_element(one) for one in element.findall("passage")],
    }
