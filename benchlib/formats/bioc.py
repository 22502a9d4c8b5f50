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
from .json_text import json_or_none
from .lines import numbered_lines, read_error
from .standoff import Annotated, Standoff

_MAX_GAP = 1_000_000  # characters between two passages, which become blanks
# Keys of the id where there is no `identifier`: MESH of BC5CDR, NCBI Gene identifier of NLM-Gene.
_IDS = re.compile("mesh|omim|umls|cui|(ncbi|entrez)?.?(gene|tax).*|concept.?id|id", re.IGNORECASE)


def read_bioc(path: Path | str, name: str, gold: GoldReader = generic_gold) -> Corpus:
    """The documents of a collection, with blanks between passages, so that offsets are those of the file.

    Offsets of annotations count from the start of the document or, where their text is not there, of the
    passage. What is dropped and counted: :class:`benchlib.formats.standoff.Standoff`. Relations are not read.
    Raises ValueError for a file that is no BioC, and for a gold that ``gold`` refuses.
    """
    text = "\n".join(line for _, line in numbered_lines(path))
    corpus = Standoff(gold)
    try:
        for id, passages in _of_xml(text) if text.lstrip().startswith("<") else _of_json(text):
            _join(corpus.document(id), passages)
    except ElementTree.ParseError as error:
        raise read_error(path, error.position[0], "XML", str(error)) from None
    except (LookupError, TypeError, AttributeError, ArithmeticError):
        raise read_error(path, 1, "BioC, with documents of passages and annotations", text) from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not corpus.documents:
        raise read_error(path, 1, "at least one document", text)
    return corpus.corpus(name)


def _join(document: Annotated, passages: list[dict[str, Any]]) -> None:
    for passage in (part for each in passages for part in each.get("sentences") or [each]):
        offset = int(passage["offset"])
        if not 0 <= offset <= len(document.text) + _MAX_GAP:
            raise ValueError(f"document {document.id}: expected passages in order, found one at {offset}")
        start = max(offset, len(document.text) + bool(document.text))
        document.text = document.text.ljust(start) + (passage.get("text") or "")
        for annotation in passage.get("annotations", ()):
            places = [(int(at["offset"]), int(at["length"])) for at in annotation["locations"]]
            spans = [(first, first + length) for first, length in places]
            infons = annotation["infons"]
            ids = infons.get("identifier", next((v for key, v in infons.items() if _IDS.fullmatch(key)), ""))
            type = str(infons.get("type", ""))
            document.add(spans, annotation["text"], type, str(ids or ""), bases=(start - offset, start))


def _of_json(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(id, passages) of a collection, of documents in a list, or of one on each line."""
    content = json_or_none(text) or [json_or_none(line) for line in text.splitlines() if line.strip()]
    if isinstance(content, dict):
        content = content.get("documents", content.get("PubTator3", [content]))
    return ((str(document["id"]), document["passages"]) for document in content)


def _of_xml(text: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for document in ElementTree.fromstring(text).iter("document"):
        yield document.findtext("id", ""), [_of_element(passage) for passage in document.iter("passage")]


def _of_element(element: ElementTree.Element) -> dict[str, Any]:
    """A passage, sentence or annotation as JSON has it."""
    return {
        "offset": element.findtext("offset"),
        "text": element.findtext("text", ""),
        "infons": {infon.get("key"): infon.text for infon in element.findall("infon")},
        "locations": [location.attrib for location in element.findall("location")],
        "annotations": [_of_element(one) for one in element.findall("annotation")],
        "sentences": [_of_element(one) for one in element.findall("sentence")],
    }
