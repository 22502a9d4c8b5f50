"""The linkers that look at the whole ontology: what a re-ranker can come after."""

from collections.abc import Mapping

from .bi_encoder import BiEncoderLinker
from .biocom import BioComLinker
from .biosyn import BioSynLinker
from .bm25 import Bm25Linker
from .collective import CollectiveLinker
from .cosines import CosinesLinker
from .exact import ExactLinker
from .frozen import FrozenBiEncoderLinker
from .krissbert import KrissbertLinker
from .name_memory import NameMemoryLinker
from .nearest import EncoderLinker, TfidfLinker
from .prior import PriorLinker
from .settings import Settings
from .tuned import SapBertLinker, TunedLinker

FIRST_STAGE: Mapping[str, type[Settings]] = {
    one.base: one
    for one in (
        ExactLinker,
        PriorLinker,
        TfidfLinker,
        EncoderLinker,
        TunedLinker,
        SapBertLinker,
        CosinesLinker,
        BioSynLinker,
        Bm25Linker,
        BiEncoderLinker,
        FrozenBiEncoderLinker,
        CollectiveLinker,
        BioComLinker,
        KrissbertLinker,
        NameMemoryLinker,
    )
}
"""By their base, the name that each has with its settings as they are by default."""
