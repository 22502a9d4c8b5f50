"""What a page works on: from its parameters to data sets, records and where they are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .. import datasets as registered
from ..datasets import registry
from ..datasets.benchmark import Benchmark
from ..runs import Entry, MissingRecord, Record, Store, adaptation, collect, local, measure, published
from ..runs.examples import PREFIX as ERRORS
from ..runs.examples import error_examples
from ..runs.measurements import MEASUREMENTS

OPEN = (
    "ncbi-disease",
    "bc5cdr-disease",
    "bc5cdr-chemical",
    "bc5cdr",
    "bc5cdr-released",
    "esappmod",
    "bc2gn",
    "bc2gn-human",
    "medmentions-st21pv",
)
"""The open corpora, in the order in which pages show them."""


@dataclass
class Session:
    """The data sets of a page and the store of its records.

    ``shown`` gathers the provenance of every record the page used, for its stamp.
    """

    datasets: tuple[str | Benchmark, ...]
    store: Store
    compute: str
    shown: list[Mapping[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    _linked: dict[tuple, Entry] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, page: Any) -> Session:
        """From a page's ``scale``, ``compute``, ``dataset`` (an id, ``all``, or a path with ``ontology``).

        Only registered corpora have published records; what runs on the embedded corpus or on a corpus
        given by path is kept on this machine.
        """
        if page.scale == "mini" or page.dataset == "mini":
            return cls((registered.load("mini"),), local(), page.compute)
        if page.dataset == "all":
            return cls(OPEN, published(), page.compute)
        if page.dataset in registry.benchmarks():
            return cls((page.dataset,), published(), page.compute)
        own = registered.load(page.dataset, ontology=page.ontology or None)
        return cls((own,), local(), page.compute)

    def linked(
        self,
        linkers: Iterable[str],
        only: Iterable[str] | None = None,
        changes: tuple[str, ...] = (),
        split: str = "test",
        seed: int = 0,
    ) -> list[Entry]:
        """The records of linkers on the page's data sets, or on those of ``only`` that it shows.

        A data set without mentions in ``split`` is passed over, as is one without training mentions under
        ``changes``, which name concepts by these."""
        found = []
        for dataset in self._among(only):
            wanted = {split} | ({"train"} if changes else set())
            if isinstance(dataset, Benchmark) and not all(dataset.split(s).n_mentions for s in wanted):
                continue
            for name in linkers:
                # Under "always" a page computes each run once, however often it shows it.
                asked = (name, dataset if isinstance(dataset, str) else dataset.name, changes, split, seed)
                if asked not in self._linked:
                    [self._linked[asked]] = collect(
                        [name],
                        [dataset],
                        self.store,
                        split=split,
                        changes=changes,
                        compute=self.compute,
                        seed=seed,
                    )
                    self._note([self._linked[asked].record or self._linked[asked].reason])
                found.append(self._linked[asked])
        return found

    def measured(
        self,
        name: str,
        function: Callable[..., Mapping[str, object]] | None = None,
        only: Iterable[str] | None = None,
        arguments: Mapping[str, object] | None = None,
    ) -> dict[str, Record | None]:
        """The records of a measurement by data set, None where there is none: of one of ``MEASUREMENTS``, of
        ``errors:`` and a linker, or of the function given."""
        if name.startswith(ERRORS):
            function = partial(error_examples, store=self.store, system=name.removeprefix(ERRORS))
        function = function or MEASUREMENTS[name]
        found: dict[str, Record | None] = {}
        for dataset in self._among(only):
            try:
                record = measure(
                    name, function, dataset, self.store, arguments=arguments, compute=self.compute
                )
                self._note([record])
            except MissingRecord as reason:
                record = None
                self._note([str(reason)])
            found[dataset if isinstance(dataset, str) else dataset.name] = record
        return found

    def adapted(self, encoder: str) -> Record | None:
        """The record of an adapted encoder, None where there is none; a page never makes one."""
        try:
            record = adaptation(encoder, published(), "never")
            self._note([record])
            return record
        except MissingRecord as reason:
            self._note([str(reason)])
            return None

    def editions(self) -> dict[str, str]:
        """Each data set shown with the fingerprint of its parsed content."""
        return {
            (d if isinstance(d, str) else d.name): (
                registry.fingerprint(d) if isinstance(d, str) else d.fingerprint()
            )
            for d in self.datasets
        }

    def _among(self, only: Iterable[str] | None) -> list[str | Benchmark]:
        """The page's data sets that ``only`` names; the embedded and the user's own stand for any."""
        known = set(OPEN)
        wanted = known if only is None else set(only)
        return [d for d in self.datasets if not isinstance(d, str) or d not in known or d in wanted]

    def _note(self, found: Iterable[Record | str]) -> None:
        for one in found:
            if isinstance(one, Record):
                self.shown.append(one.made)
            elif one not in self.missing:
                self.missing.append(one)
