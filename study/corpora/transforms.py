"""Named changes of a benchmark: each gives a new one whose ``transforms`` say what was done."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.ontology import Ontology, fold_name

from .exclusion import TRAIN, source_and_others, with_unlabelled
from .hold_out import hold_out
from .perturb import acronyms, add_typo
from .sample_names import sample_names
from .universal import FINGERPRINT, universal
from .unlabelled import fingerprint

_SEEN = ("train", "dev")


def add_mention_names(benchmark: Benchmark, splits: Sequence[str], keep: bool = True) -> Benchmark:
    """The mention strings of the splits become further names of their gold concepts; without ``keep`` every
    other name is taken away, and concepts without one stay.

    A mention with one part names every concept of it; composite and NIL mentions name none. Raises
    ValueError for a split that is not train or dev: no test mention enters a dictionary.
    """
    kind = "add-names" if keep else "only-names"
    _refuse_after(benchmark, kind, "dev:test", "hold-out")
    if wrong := [split for split in splits if split not in _SEEN]:
        raise ValueError(f"{kind} takes names from {' and '.join(_SEEN)} only, not from {', '.join(wrong)}")
    names: dict[str, dict[str, None]] = {}
    for split in splits:
        for _, mention in benchmark.split(split).mentions():
            if mention.gold is not None and len(mention.gold.parts) == 1:
                for concept in benchmark.ontology.concepts_in(mention.gold.ids):
                    names.setdefault(concept, {})[mention.text] = None
    concepts = (
        replace(concept, names=tuple(dict.fromkeys((*(concept.names if keep else ()), *names.get(id, ())))))
        for id, concept in benchmark.ontology.concepts.items()
    )
    done = f"{kind}:{'+'.join(splits)}"
    return replace(
        benchmark,
        ontology=Ontology(f"{benchmark.ontology.name} {done}", concepts),
        transforms=(*benchmark.transforms, done),
    )


def titles(benchmark: Benchmark, what: str = "") -> Benchmark:
    """Each concept with the first of its names alone; mentions and text stay. Raises ValueError for an
    argument."""
    if what:
        raise ValueError(f"titles {what!r}: expected no argument")
    ontology = benchmark.ontology
    concepts = (replace(concept, names=concept.names[:1]) for concept in ontology.concepts.values())
    return replace(
        benchmark,
        ontology=Ontology(f"{ontology.name} titles", concepts),
        transforms=(*benchmark.transforms, "titles"),
    )


def fold(benchmark: Benchmark, what: str) -> Benchmark:
    """Cross-validation on what is not test: of ``1/5`` dev is the first of five parts of the documents of
    train and dev, train the others; test stays as it is.

    Documents are dealt out, whole, in an order shuffled once and for all. In a corpus of strings, where each
    document is one mention, those with the same string, case aside, stay together: what is held out is then
    new as a string. Most entities have mentions on both sides.

    Raises ValueError for a fold that is none, and for more folds than documents.
    """
    first, slash, last = what.partition("/")
    if not (first.isdecimal() and slash and last.isdecimal()):
        raise ValueError(f"fold {what!r}: expected a number and how many there are, such as 1/5")
    number, of = int(first), int(last)
    _refuse_after(benchmark, "fold", "dev:test", "hold-out")
    documents = (*benchmark.train.documents, *benchmark.dev.documents)
    if not 1 <= number <= of or not 2 <= of <= len(documents):
        raise ValueError(
            f"fold {number}/{of}: expected 1/{of} to {of}/{of} of at most {len(documents)} folds"
        )
    strings = all(len(document.mentions) == 1 for document in documents)
    units = [fold_name(document.mentions[0].text) if strings else document.id for document in documents]
    shuffled = np.random.default_rng(0).permutation(len(set(units)))
    place_of = {unit: place % of + 1 for unit, place in zip(dict.fromkeys(units), shuffled, strict=True)}
    dropped = Counter(benchmark.train.dropped) + Counter(benchmark.dev.dropped)
    kept, held_out = (
        tuple(d for d, unit in zip(documents, units, strict=True) if (place_of[unit] == number) == held)
        for held in (False, True)
    )
    return replace(
        benchmark,
        # What reading left out belongs to no fold: it is counted with train.
        train=Corpus(benchmark.train.name, kept, dropped),
        dev=Corpus(benchmark.dev.name, held_out),
        transforms=(*benchmark.transforms, f"fold:{number}/{of}"),
    )


def dev_is_test(benchmark: Benchmark, what: str) -> Benchmark:
    """Dev is the test split, gold and all: what a paper did that chose its checkpoint on test.

    For rows that say so and stand beside clean ones; no other may use it. Raises ValueError for another
    split than test.
    """
    if what != "test":
        raise ValueError(f"dev {what!r}: expected test")
    return replace(benchmark, dev=benchmark.test, transforms=(*benchmark.transforms, "dev:test"))


_TRANSFORMS: Mapping[str, Callable[[Benchmark, str], Benchmark]] = {
    "add-names": lambda benchmark, text: add_mention_names(benchmark, text.split("+")),
    "only-names": lambda benchmark, text: add_mention_names(benchmark, text.split("+"), keep=False),
    "titles": titles,
    "sample-names": sample_names,
    "fold": fold,
    "hold-out": hold_out,
    "dev": dev_is_test,
    "misspelt": add_typo,
    "acronyms": acronyms,
    "unlabelled": with_unlabelled,
    "universal": universal,
}
_EXAMPLES = (
    "add-names:train, only-names:train+dev, titles, sample-names:0.5:1, fold:1/5, hold-out:hash:0.1, "
    "hold-out:types:Neoplasms, dev:test, misspelt:test, acronyms:test, unlabelled:unlabelled-pubmed, "
    "universal"
)


def apply(benchmark: Benchmark, names: Iterable[str]) -> Benchmark:
    """The transforms that print as ``names`` (``add-names:train+dev``), in order.

    Raises ValueError for a name that is none, listing those there are.
    """
    for name in names:
        kind, _, text = name.partition(":")
        if kind not in _TRANSFORMS:
            raise ValueError(f"no transform {name!r}; expected for example {_EXAMPLES}")
        benchmark = _TRANSFORMS[kind](benchmark, text)
    return benchmark


def same_for(dataset: str, names: Iterable[str]) -> bool:
    """Whether the transforms make one dictionary, and one unlabelled text, of all data sets that have the
    dictionary of ``dataset`` and are named where it is."""

    def keeps(name: str) -> bool:
        kind, _, text = name.partition(":")
        if kind == "unlabelled":
            source, others = source_and_others(text)
            return source != TRAIN and dataset in others
        return kind in ("titles", "sample-names", "universal")

    return all(map(keeps, names))


def dictionary_after(dictionary: str, names: Iterable[str]) -> str:
    """The fingerprint of the ontology that the transforms change, which may be another than the
    ``dictionary`` that they were given."""
    return FINGERPRINT if "universal" in names else dictionary


def texts_of(names: Iterable[str]) -> dict[str, str]:
    """By folder of one's own that transforms take unlabelled text from, the SHA-256 over its files."""
    told = (name.partition(":") for name in names)
    sources = [source_and_others(text)[0] for kind, _, text in told if kind == "unlabelled"]
    return {source: fingerprint(source) for source in sources if Path(source).is_dir()}


def _refuse_after(benchmark: Benchmark, what: str, *kinds: str) -> None:
    """Raises ValueError where a transform of one of these kinds came before: test mentions, or such as were
    taken out of train, would come into it."""
    if before := [name for name in benchmark.transforms if name.startswith(kinds)]:
        raise ValueError(f"{what}: expected it before {before[0]}, found it after")
