"""What makes a user's own corpus doubtful as a whole, with the likely reason and the option that mends it."""

from collections import Counter
from collections.abc import Iterator

from .benchmark import SPLITS, Benchmark
from .corpus import Corpus
from .mends import id_mends, option
from .ontology import Ontology
from .terminal import WARNING

_OUTSIDE, _DROPPED = 1 / 2, 1 / 10  # shares above which a warning is due
_SHOWN = 3  # ids that a message gives as examples
ASKED = "type "  # how the reason for a mention begins that a user left out
_BECAUSE = {
    "offset mismatch": "the offsets may be of another edition of the text",
    "discontinuous span": "a mention in several pieces is no span",
    "duplicate document": "the file may hold the same documents several times",
}


def sanity_checks(benchmark: Benchmark) -> tuple[str, ...]:
    """A sentence that begins in capitals for each corpus of which more than half of the gold ids are outside
    the ontology, or more than a tenth of the mentions were dropped unasked."""
    corpora = [corpus for corpus in map(benchmark.split, SPLITS) if corpus.n_raw]
    texts = (f(corpus, benchmark.ontology) for corpus in corpora for f in (_ids_outside, _mentions_dropped))
    return tuple(filter(None, texts))


def warning_text(headline: str, *reasons: str) -> str:
    """A warning that nobody should miss: a headline in capitals, then sentences."""
    return f"{WARNING}{headline.upper()}. {' '.join(reasons)}".strip()


def is_warning(text: str) -> bool:
    return text.startswith(WARNING)


def _mentions_dropped(corpus: Corpus, ontology: Ontology) -> str:
    unasked = {reason: n for reason, n in corpus.dropped.items() if not reason.startswith(ASKED)}
    dropped = sum(unasked.values())
    raw = corpus.n_mentions + dropped
    if dropped <= _DROPPED * raw:
        return ""
    most = max(unasked, key=unasked.__getitem__)
    because = f"; {_BECAUSE[most]}" if most in _BECAUSE else ""
    lost = f"{dropped:,} are left out, most of them as {most}{because}"
    reason = f"Of {raw:,} mentions of {corpus.name} {lost}."
    return warning_text(f"{100 * dropped / raw:.0f} % of the mentions were dropped", reason)


def _ids_outside(corpus: Corpus, ontology: Ontology) -> str:
    ids = dict.fromkeys(id for _, mention in corpus.mentions() for id in sorted(mention.gold.ids))
    unknown = [id for id in ids if id not in ontology]
    if len(unknown) <= _OUTSIDE * len(ids):
        return ""
    theirs = list(ontology.concepts)[:_SHOWN]
    here, there = (", ".join(examples) or "none" for examples in (unknown[:_SHOWN], theirs))
    reason = f"Those of {corpus.name} look like {here}; those of {ontology.name} like {there}."
    headline = f"{100 * len(unknown) / len(ids):.0f} % of the gold ids are outside the ontology"
    return warning_text(headline, reason, *_mends(corpus, ontology, unknown))


def _mends(corpus: Corpus, ontology: Ontology, unknown: list[str]) -> Iterator[str]:
    """What leaves most of the unknown ids inside, or which mentions, where it is more than half."""
    n, best = _OUTSIDE * len(unknown), None
    for mend in id_mends(unknown, ontology):
        inside = sum(bool(ids) and all(id in ontology for id in ids) for ids in map(mend.read, unknown))
        if inside > n:
            n, best = inside, mend
    if best:
        yield f"Read {best.way}, {n:,} of these {len(unknown):,} are inside: {best.gold}."
    if sum(mention.type in ontology for _, mention in corpus.mentions()) > _OUTSIDE * corpus.n_mentions:
        yield "Most types are ids of the ontology: the columns of types and ids may be swapped."
    inside, of_type = Counter(), Counter()
    for _, mention in corpus.mentions():
        if not mention.gold.nil:
            of_type[mention.type] += 1
            inside[mention.type] += any(id in ontology for id in mention.gold.ids)
    good = [type for type, n in of_type.items() if inside[type] > _OUTSIDE * n]
    if good and len(good) < len(of_type):
        yield f"Those of type {', '.join(good)} are mostly inside: {option('types', ','.join(good))}."
