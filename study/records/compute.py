"""From a linker and a benchmark to the record of a run, of the kinds of mentions, or of an adapted encoder.

What identifies a computation (``..._inputs``) needs no corpus that is pinned, and what makes one is imported
when it is made: asking for a record is quick.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchlib.benchmark import Benchmark

from ..corpora import loaded, registry, transforms
from ..systems.encoders import RECIPES, adapt, encoder_folder
from .obtain import load_or_compute
from .provenance import peak_memory_mb, provenance
from .record import Record, to_json_types
from .store import Store
from .training import in_folder, trainings_of

if TYPE_CHECKING:
    from benchlib.linker import Linker

Dataset = str | Benchmark  # a registered id, whose fingerprint is pinned, or the data


def linking_inputs(
    linker: Linker,
    dataset: Dataset,
    *,
    seed: int = 0,
    split: str = "test",
    changes: tuple[str, ...] = (),
    k: int = 64,
) -> dict[str, object]:
    """What identifies a linking run on one split of a benchmark, up to ``k`` candidates a mention.
    ``changes`` are named transforms, applied in order."""
    system = {"name": linker.name, "version": linker.version, "config": to_json_types(linker.config)}
    return {**system, **data_inputs(dataset, changes), "split": split, "seed": seed, "k": k}


def linking_record(
    linker: Linker,
    dataset: Dataset,
    store: Store,
    *,
    compute: str = "missing",
    keep_training: bool = False,
    **how: Any,
) -> Record:
    """The record of a linking run; ``how`` it is made are the keywords of :func:`linking_inputs`.

    A linker that can ``find`` mentions does, and is scored end to end, as :func:`span_outcomes` has it. The
    linker itself is not changed; a copy is fitted.
    One whose ``checkpoints`` are None trains in the folder of its training (:func:`trainings_of`): runs that
    share it train once, and a training that was killed goes on. The folder is deleted when the record is
    written, unless ``keep_training`` leaves it for other runs. Raises what :func:`load_or_compute` raises.
    """
    inputs = linking_inputs(linker, dataset, **how)
    trainings = trainings_of(linker, inputs)

    def make() -> Record:
        before, benchmark = provenance(), benchmark_of(dataset, inputs["transforms"])
        corpus = benchmark.split(inputs["split"])
        fitted, told = in_folder(linker, trainings, store)
        for model in getattr(linker, "models", ()):
            encoder_folder(model)  # pretrained here where it is missing: no part of the fit
        started = time.perf_counter()
        fitted = fitted.fit(benchmark.visible(), inputs["seed"])
        fitted_at = time.perf_counter()
        find = getattr(fitted, "find", None)
        predictions = (find or fitted.link)(corpus.hidden().documents, inputs["k"])
        seconds = {"fit": round(fitted_at - started, 2), "link": seconds_since(fitted_at)}
        from benchlib.scoring import outcomes, span_outcomes

        made = made_by(before, seconds) | told
        for what in ("weights", "predictions"):  # checksums of what it answered by
            if checksum := getattr(fitted, what, ""):
                made[what] = checksum
        learned = {name: getattr(fitted, name, ()) for name in ("trace", "chosen")}
        if find:
            found = span_outcomes(predictions, corpus, benchmark.ontology)
            return Record.of_spans(inputs, made, found, **learned)
        found = outcomes(predictions, corpus, benchmark.ontology, benchmark.cluster)
        return Record.of_outcomes(inputs, made, found, **learned)

    return load_or_compute(inputs, store, compute, make, "".join(trainings[:1]), keep_training)


def strata_inputs(
    dataset: Dataset, *, split: str = "test", changes: tuple[str, ...] = ()
) -> dict[str, object]:
    """What identifies the kinds of the mentions of a split."""
    return {"name": "strata", "version": "1", **data_inputs(dataset, changes), "split": split}


def strata_record(dataset: Dataset, store: Store, *, compute: str = "missing", **how: Any) -> Record:
    """The record of the kinds of the mentions of a split: its ``strata``, shared by all linking runs on it.

    ``how`` are the keywords of :func:`strata_inputs`. Raises what :func:`load_or_compute` raises.
    """
    inputs = strata_inputs(dataset, **how)

    def make() -> Record:
        from benchlib.scoring import strata

        before, benchmark = provenance(), benchmark_of(dataset, inputs["transforms"])
        started, split = time.perf_counter(), inputs["split"]
        seen = (benchmark.train, benchmark.dev) if split == "test" else (benchmark.train,)
        found = strata(benchmark.split(split), benchmark.ontology, seen)
        return Record.of_strata(inputs, made_by(before, {"measure": seconds_since(started)}), found)

    return load_or_compute(inputs, store, compute, make)


def adaptation_inputs(encoder: str) -> dict[str, object]:
    """What identifies the pretraining of an encoder of :data:`study.systems.encoders.RECIPES`; raises
    KeyError for one that has no recipe."""
    recipe = RECIPES[encoder]
    return {
        "name": f"pretraining-{encoder}",
        "version": "1",
        "config": to_json_types({"encoder": encoder, **asdict(recipe)}),
        "dataset": recipe.corpus,
        "transforms": [],
        "fingerprint": registry.source(recipe.corpus).fingerprint(),
        "seed": recipe.seed,
    }


def adaptation(encoder: str, store: Store, compute: str = "missing") -> Record:
    """The record of an adapted encoder. Raises KeyError for one without a recipe, and as
    :func:`load_or_compute`."""
    inputs = adaptation_inputs(encoder)

    def make() -> Record:
        before, values = provenance(), adapt(encoder)["values"]
        made = made_by(before, {"train": values["seconds"]})
        return Record(inputs, made, values=to_json_types(values))

    return load_or_compute(inputs, store, compute, make)


def made_by(before: Mapping[str, object], seconds: Mapping[str, float]) -> dict[str, object]:
    """The provenance taken before the work, with what is known after it."""
    return {**before, "peak_memory_mb": peak_memory_mb(), "seconds": seconds}


def seconds_since(started: float) -> float:
    return round(time.perf_counter() - started, 2)


def data_inputs(dataset: Dataset, changes: tuple[str, ...]) -> dict[str, object]:
    if isinstance(dataset, Benchmark):
        name, fingerprint = dataset.name, dataset.fingerprint()
    else:
        # A benchmark that nobody could pin is identified by what is parsed here.
        name, fingerprint = dataset, registry.pinned(dataset) or loaded(dataset).fingerprint()
    texts = transforms.texts_of(changes)
    return {"dataset": name, "transforms": list(changes), "fingerprint": fingerprint} | (
        {"texts": texts} if texts else {}
    )


def benchmark_of(dataset: Dataset, changes: Iterable[str]) -> Benchmark:
    benchmark = loaded(dataset) if isinstance(dataset, str) else dataset
    return transforms.apply(benchmark, changes)
