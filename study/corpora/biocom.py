"""What the authors of BioCoM release (Ujiie et al. 2021, section 4.1): half of MEDIC.

The corpora that they score with it are ``ncbi-disease-biocom`` and ``bc5cdr-disease-biocom``, and what can be
had of their MedMentions-d is ``medmentions-disease-biocom``.
"""

from benchlib.ontology import Ontology

from .biocom_files import read_biocom
from .files import Locate


def halved_medic(locate: Locate) -> Ontology:
    """The concepts of the released map with the names of the released dictionary."""
    return read_biocom(
        locate("biocom_resources/disease_down_half.tsv"), locate("biocom_resources/concept_map.json")
    )
