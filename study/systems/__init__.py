"""Systems that link: a module each, a short composition of shared parts, imported at its first use."""

from collections import UserDict
from pkgutil import resolve_name

from .settings import Settings, named


class Systems(UserDict):
    """The classes of systems by their base, the name that each has with default settings."""

    def __getitem__(self, base: str) -> type[Settings]:
        return resolve_name(f"{__name__}.{self.data[base]}")


FIRST_STAGE = Systems(
    {
        "exact": "baselines.names:ExactLinker",
        "prior": "baselines.prior:PriorLinker",
        "tfidf": "baselines.names:TfidfLinker",
        "encoder": "baselines.names:EncoderLinker",
        "tuned": "baselines.tuned:TunedLinker",
        "sapbert": "baselines.tuned:SapBertLinker",
        "cosines": "cosines.linker:CosinesLinker",
        "biosyn": "baselines.biosyn:BioSynLinker",
        "bm25": "baselines.bm25:Bm25Linker",
        "bi-encoder": "pel.linker:BiEncoderLinker",
        "frozen-bi-encoder": "pel.frozen:FrozenBiEncoderLinker",
        "collective": "dual_encoder.collective:CollectiveLinker",
        "biocom": "biocom.linker:BioComLinker",
        "krissbert": "krissbert.linker:KrissbertLinker",
        "name-memory": "baselines.name_memory:NameMemoryLinker",
        "name-linker": "baselines.name_linker:NameLinkerSystem",
    }
)
"""Those that rank the whole ontology: what a re-ranker can come after."""
CATALOGUE = FIRST_STAGE | {
    "cross-encoder": "cross_encoder:CrossEncoderLinker",
    "end-to-end": "dual_encoder.end_to_end:EndToEndLinker",
    "peer": "baselines.others:PeerLinker",
    "published": "baselines.others:PublishedLinker",
    "published-spans": "baselines.others:PublishedFinder",
}


def __getattr__(name: str) -> type[Settings]:
    for base, place in CATALOGUE.data.items():
        if place.endswith(f":{name}"):
            return CATALOGUE[base]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def linker(name: str) -> Settings:
    """The linker that prints as ``name``: a base of :data:`CATALOGUE` and settings, as in
    ``encoder,model=minilm+pubmed,pooling=cls``.

    Raises ValueError listing the bases there are, or the settings.
    """
    return named(name, CATALOGUE)
