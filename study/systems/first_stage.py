"""The linkers that look at the whole ontology: what a re-ranker can come after."""

from collections.abc import Mapping

from .baselines.biosyn import BioSynLinker
from .baselines.bm25 import Bm25Linker
from .baselines.name_memory import NameMemoryLinker
from .baselines.names import EncoderLinker, ExactLinker, TfidfLinker
from .baselines.prior import PriorLinker
from .baselines.tuned import SapBertLinker, TunedLinker
from .biocom.linker import BioComLinker
from .cosines.linker import CosinesLinker
from .dual_encoder.collective import CollectiveLinker
from .krissbert.linker import KrissbertLinker
from .pel.frozen import FrozenBiEncoderLinker
from .pel.linker import BiEncoderLinker
from .settings import Settings

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
