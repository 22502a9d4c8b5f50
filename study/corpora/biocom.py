"""What the authors of BioCoM release (Ujiie et al. 2021, section 4.1): half of MEDIC.

The corpora that they score with it are ``ncbi-disease-biocom`` and ``bc5cdr-disease-biocom``, and what can be
had of their MedMentions-d is ``medmentions-disease-biocom``.
"""

import json
from pathlib import Path

from benchlib.formats.lines import numbered_lines
from benchlib.ontology import Concept, Ontology

from .files import FileLocator
from .medic import medic_id


def halved_medic(locate: FileLocator) -> Ontology:
    """The concepts of the released map with the names of the released dictionary."""
    return read_biocom(
        locate("biocom_resources/disease_down_half.tsv"), locate("biocom_resources/concept_map.json")
    )


def read_biocom(names: Path | str, concepts: Path | str) -> Ontology:
    """Every concept of the map, in its order, with its names in theirs; a concept without one stays.

    ``names``: a JSON list ``[name, [id, ...]]`` a line, all ids of one concept. ``concepts``: one JSON object
    from the id of each concept to all its ids. Bare numbers are ids of OMIM, as in :func:`.medic.medic_id`.
    """
    listed = json.loads(Path(concepts).read_text(encoding="utf-8"))
    ids = {medic_id(concept): [*map(medic_id, its_ids)] for concept, its_ids in listed.items()}
    owner = {id: concept for concept, its_ids in ids.items() for id in its_ids}
    named: dict[str, dict[str, None]] = {concept: {} for concept in ids}
    for _, line in numbered_lines(names):
        name, [id, *_] = json.loads(line)
        named[owner[medic_id(id)]][name] = None
    return Ontology(
        "MEDIC as BioCoM halved it",
        (
            Concept(id, tuple(named[id]), alternatives=tuple(other for other in its_ids if other != id))
            for id, its_ids in ids.items()
        ),
    )
