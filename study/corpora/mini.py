"""The embedded corpus ``mini``: invented documents with each difficulty of entity linking in a known share.

A generator wrote the text files once (benchlib 0.2.0). Of the mentions, 20 % have a name of two or three
concepts, each of another organ system, 25 % a synonym that the dictionary lacks, 5 % name two concepts, 5 %
a concept that the dictionary lacks (NIL), and 5 % have one wrong letter; the others have a name of one
concept. 80 % stand in a sentence with a cue of the organ system, such as a symptom or a drug. Of the mentions
of dev and test, NIL aside, 25 % refer to concepts that train does not mention.
"""

from benchlib.benchmark import SPLITS, Benchmark
from benchlib.formats.json_lines import read_json_lines
from benchlib.formats.pubtator import read_pubtator
from benchlib.ontology import Ontology

from ..places import MINI

MINI_FINGERPRINT = "591d75ea82faa7523482f23afc347e236866653a7c502b1167cd1ae1c952ca0a"


def mini() -> Benchmark:
    """110 documents with 705 mentions of diseases, and 120 concepts; the same on every machine."""
    concepts = read_json_lines(MINI / "dictionary.jsonl").ontology.concepts.values()
    corpora = (read_pubtator(MINI / f"{split}.pubtator", f"mini {split}") for split in SPLITS)
    notes = ("synthetic: shows that the code runs and learns, never a finding",)
    return Benchmark("mini", *corpora, Ontology("mini", concepts), notes=notes)
