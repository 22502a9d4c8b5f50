"""Biomedical entity linking: encoders, losses and evaluation.

``evaluate`` and ``compare`` score predictions, ``link`` and ``NameLinker`` make them without any training,
``Encoder`` encodes and trains, ``find_benchmark`` reads what a linker of one's own learns from and links.
They take and give a ``Corpus`` of ``Document`` with ``Mention`` spans, an ``Ontology`` of ``Concept``, and
``Predictions``; a ``Scoring`` is one way to count these. Each is imported when it is first asked for: the
package alone loads no torch.
"""

from .lazy import lazy

__version__ = "0.3.0"
__getattr__ = lazy(
    __name__,
    corpus="Corpus Document Mention",
    datasets="find_benchmark",
    encoder="Encoder",
    evaluation="compare evaluate",
    linking="link",
    name_linker="NameLinker",
    ontology="Concept Ontology",
    predictions="Predictions",
    scoring="Scoring",
)
