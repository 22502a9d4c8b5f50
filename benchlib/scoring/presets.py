"""The published protocols by name: what each paper counts, as a scoring and the measures it prints.

What a protocol did to the corpus before counting (dictionaries with training mentions, mentions lost in
preprocessing) is not repeated here: that is a question of the data set, and ``note`` says what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .protocol import Scoring


@dataclass(frozen=True)
class Preset:
    """A scoring under the name it is known by.

    ``measures`` are those its paper prints, the main one first: ``recall@k``, ``mrr`` (which the papers call
    MAP). ``paper`` and ``source`` say where it is defined. ``bounds`` are the worst and the best that an
    accidental order of ties can make of a protocol that leaves ties to their row order. Prints as its name.
    """

    name: str
    scoring: Scoring
    measures: tuple[str, ...]
    paper: str
    source: str
    note: str
    bounds: tuple[Scoring, Scoring] | None = None

    def __str__(self) -> str:
        return self.name


_KRISSBERT = Scoring("strict", "concepts")
_DUAL_ENCODER = Scoring("strict", "concepts", composite="no-composites")
_SAPBERT = "SapBERT (Liu et al. 2021)"
_BELB = "BELB (Garda et al. 2023)"
_PEL = "PEL (Wiatrak et al. 2022)"
_COSINES = "CoSiNES (Yuan et al. 2023)"
_DUAL = "collective dual encoder (Bhowmik et al. 2021)"

PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "biosyn-sapbert",
            Scoring("lenient", "names", composite="all-parts"),
            ("recall@1", "recall@5"),
            "BioSyn (Sung et al. 2020), SapBERT (Liu et al. 2021)",
            "the evaluation script of both: names merged, any owner of a name counts",
            "Each part of a composite mention has its own list; each must hit something of the whole gold.",
        ),
        Preset(
            "sapbert-unmerged",
            Scoring("strict", "names"),
            ("recall@1", "recall@5"),
            _SAPBERT,
            "the same script on MedMentions and COMETA: a dictionary row for each concept of a name",
            "Rows of one name tie exactly and the order of the sort decides: this is its expected value.",
            (Scoring("pessimistic", "names"), Scoring("optimistic", "names")),
        ),
        Preset(
            "krissbert",
            _KRISSBERT,
            ("recall@1", "recall@5"),
            "KRISSBERT (Zhang et al. 2022)",
            "sections 4.1 and 4.5: a unique entity is required",
            "Candidates are entities, each once.",
        ),
        Preset(
            "belb-strict",
            Scoring("unique", "concepts"),
            ("recall@1",),
            _BELB,
            "its evaluation, mode strict: several identifiers at one rank are an answer of NIL",
            "Wrong whenever the gold shares its score with another concept.",
        ),
        Preset(
            "belb-standard",
            Scoring("strict", "concepts"),
            ("recall@1",),
            _BELB,
            "its evaluation, standard mode: a random member of the tied identifiers",
            "The draw there has no fixed seed: this is its expected value.",
        ),
        Preset(
            "belb-lenient",
            Scoring("lenient", "concepts"),
            ("recall@1",),
            _BELB,
            "its evaluation, mode lenient: any of the tied identifiers",
            "",
        ),
        Preset(
            "dual-encoder",
            _DUAL_ENCODER,
            ("recall@1", "mrr", "recall@10"),
            _DUAL,
            "section 4.4, unnormalized: every mention with a gold concept counts; its MAP is the mrr here",
            "Composite mentions are lost in reading its data. It takes the first of several ids: here any.",
        ),
        Preset(
            "dual-encoder-normalized",
            Scoring("strict", "concepts", composite="no-composites", among="normalized"),
            ("recall@1", "mrr"),
            _DUAL,
            "section 4.4, normalized: only mentions whose gold is among the candidates",
            "Depends on how long the candidate lists are.",
        ),
        Preset(
            "cosines",
            Scoring("lenient", "names"),
            ("recall@1", "recall@3", "recall@5"),
            _COSINES,
            "section 4.1, top-k accuracy over the names of the knowledge base, its table 1",
            "",
        ),
        Preset(
            "cosines-refined",
            Scoring("lenient", "names", names="refined"),
            ("recall@1", "recall@3", "recall@5"),
            _COSINES,
            "section 6, tables 3 and 4, and its script: the refined test splits of Tutubalina et al. 2020",
            "Composite mentions are one list. Strings of train and dev are left out, and repeats.",
        ),
        Preset(
            "pel",
            _KRISSBERT,
            ("recall@1", "recall@64"),
            _PEL,
            "section 6, tables 2 and 3: candidate retrieval over the entities of the knowledge base",
            "",
        ),
        Preset(
            "pel-with-nil",
            Scoring("strict", "concepts", among="reachable", nil="with-nil"),
            ("recall@1", "recall@64"),
            _PEL,
            "section 6.1, table 4: micro recall over all classes, NIL one of them, threshold from dev",
            "A mention called NIL is right when it is NIL, and wrong otherwise at every k. Mentions that are "
            "neither NIL nor in the dictionary leave the denominator.",
        ),
        Preset(
            "biocom",
            Scoring("lenient", "votes", among="reachable"),
            ("recall@1",),
            "BioCoM (Ujiie et al. 2021)",
            "sections 3.3 and 4.1: the concept most frequent among the 15 nearest, here ties to the nearer",
            "Mentions whose gold is not in the dictionary leave the denominator (section 4.1).",
        ),
    )
}
