"""Named changes of a benchmark: each gives a new one whose ``transforms`` say what was done."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.ontology import fold_name

from .exclusion import TRAIN, source_and_others, with_unlabelled
from .hold_out import hold_out
from .medic import with_medic_2017
from .names import add_mention_names, require_untouched, sample_names, titles
from .perturb import acronyms, add_typo
from .universal import FINGERPRINT, universal
from .unlabelled import fingerprint


def fold(benchmark: Benchmark, first: str, last: str) -> Benchmark:
    """Cross-validation on what is not test: for ``1`` and ``5`` dev is the first of five parts of the
    documents of train and dev, train the others; test stays as it is.

    Documents are dealt out, whole, in an order shuffled once and for all. In a corpus of strings, where each
    document is one mention, those with the same string, case aside, stay together: what is held out is then
    new as a string. Most entities have mentions on both sides.

    Raises ValueError for a fold that there is not, for more folds than documents or strings, and as
    :func:`require_untouched`.
    """
    require_untouched(benchmark)
    number, of = int(first), int(last)
    documents = (*benchmark.train.documents, *benchmark.dev.documents)
    strings = all(len(document.mentions) == 1 for document in documents)
    units = [fold_name(document.mentions[0].text) if strings else document.id for document in documents]
    n_units = len(set(units))
    if not 1 <= number <= of or not 2 <= of <= n_units:
        raise ValueError(f"fold {number}/{of}: expected 1/n to n/n with n from 2 to {n_units}")
    shuffled = np.random.default_rng(0).permutation(n_units)
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
    )


def dev_is_test(benchmark: Benchmark) -> Benchmark:
    """Dev is the test split, gold and all: what a paper did that chose its checkpoint on test.

    For rows that say so and stand beside clean ones; no other may use it.
    """
    return replace(benchmark, dev=benchmark.test)


_SHARE = r"0?\.[0-9]*[1-9][0-9]*"  # between 0 and 1
_TRANSFORMS: Mapping[str, tuple[Callable[..., Benchmark], str]] = {
    # What is done, and the form of the argument, whose groups it is given.
    "add-names": (lambda benchmark, splits: add_mention_names(benchmark, splits.split("+")), "(.*)"),
    "only-names": (lambda benchmark, splits: add_mention_names(benchmark, splits.split("+"), False), "(.*)"),
    "titles": (titles, ""),
    "sample-names": (sample_names, f"({_SHARE}):([0-9]+)"),
    "fold": (fold, "([0-9]+)/([0-9]+)"),
    "hold-out": (hold_out, f"(hash:{_SHARE}|types:.*)"),
    "dev": (dev_is_test, "test"),
    "misspelt": (add_typo, "test"),
    "acronyms": (acronyms, "test"),
    "unlabelled": (with_unlabelled, "(.*)"),
    "universal": (universal, ""),
    "medic-2017": (with_medic_2017, ""),
}
_EXAMPLES = (
    "add-names:train, only-names:train+dev, titles, sample-names:0.5:1, fold:1/5, hold-out:hash:0.1, "
    "hold-out:types:Neoplasms, dev:test, misspelt:test, acronyms:test, unlabelled:unlabelled-pubmed, "
    "universal, medic-2017"
)


def apply(benchmark: Benchmark, names: Iterable[str]) -> Benchmark:
    """The transforms that print as ``names`` (``add-names:train+dev``), in order.

    Raises ValueError for a name that is none, listing those there are, and as the transforms do.
    """
    for name in names:
        kind, _, text = name.partition(":")
        change, form = _TRANSFORMS.get(kind, (None, ""))
        argument = re.fullmatch(form, text)
        if change is None or argument is None:
            raise ValueError(f"no transform {name!r}; expected for example {_EXAMPLES}")
        changed = change(benchmark, *argument.groups())
        benchmark = replace(changed, transforms=(*benchmark.transforms, name if text else kind))
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
    return {source: fingerprint(source) for source in sources if source != TRAIN and Path(source).is_dir()}
