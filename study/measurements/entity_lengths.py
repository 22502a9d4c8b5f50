"""How many concepts have a longer text than a linker reads."""

from benchlib.benchmark import Benchmark
from benchlib.encoders import Backbone

from ..systems.by_entity import concepts_with_names, entity_inputs
from ..systems.encoders import encoder_folder


def entity_lengths(benchmark: Benchmark, model: str, fields: str, max_length: int) -> dict[str, int]:
    """Of the ``concepts`` with a name those that are ``cut``: their ``fields``, as of :func:`entity_inputs`,
    have more than ``max_length`` word pieces of ``model``. Of the ``test.mentions`` with a gold among these
    concepts those with one that is cut, ``test.cut``.

    Raises ValueError for a length that the encoder does not have, and as :func:`entity_inputs`.
    """
    concepts = concepts_with_names(benchmark.ontology)
    backbone = Backbone.load(encoder_folder(model), layers=1)
    if not 2 < max_length < backbone.max_length:
        raise ValueError(f"expected a length of 3 to {backbone.max_length - 1} tokens, found {max_length}")
    whole = entity_inputs(backbone, concepts, benchmark.ontology, fields, max_length + 1)
    cut = {concept.id for concept, of in zip(concepts, whole, strict=True) if len(of.ids) > max_length}
    named = {concept.id for concept in concepts}
    golds = [benchmark.ontology.concepts_in(mention.gold.ids) for _, mention in benchmark.test.mentions()]
    return {
        "concepts": len(named),
        "cut": len(cut),
        "test.mentions": sum(not named.isdisjoint(of) for of in golds),
        "test.cut": sum(not cut.isdisjoint(of) for of in golds),
    }
