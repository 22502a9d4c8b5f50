"""How many mentions a second are linked once the index is built: diseases of BC5CDR, test, MEDIC of 2017.

The name linker from documents to candidates, abbreviations included, by how names are compared and by the
length of the lists, beside gilda and scispaCy's generator, which are given the distinct strings; all in one
run, in seconds of the processor. The first run encodes 76,000 names, minutes on one core, and caches their
vectors. Run with ``make bench``; ``python benchmarks/peers/peers.py gilda ncbi-disease`` installs gilda.
"""

import sys
import time
from statistics import median

from peers.peers import ENVIRONMENTS, PEERS, answers

from benchlib import NameLinker
from benchlib.retrieval.cache import cache_folder
from study.corpora import MissingFile, load

ROUNDS, LENGTHS = 3, (1, 10, 64)


def main() -> None:
    try:
        benchmark = load("bc5cdr-disease")
    except MissingFile as error:
        sys.exit(f"nothing to link: {error}")
    documents, n = benchmark.test.hidden().documents, benchmark.test.n_mentions
    strings = list(dict.fromkeys(mention.text for _, mention in benchmark.test.mentions()))
    print(f"{n:,} mentions, {len(strings):,} distinct strings; mentions a second (slowest–fastest)")
    for how in ("both", "tfidf", "exact"):
        linker = NameLinker(benchmark, how=how, cache=cache_folder())
        for k in LENGTHS:
            rates = []
            for turn in range(ROUNDS + 1):
                started = time.process_time()
                linker.link(documents, k)
                if turn:  # the first turn warms up
                    rates.append(n / (time.process_time() - started))
            found = f"{median(rates):8,.0f} ({min(rates):,.0f}–{max(rates):,.0f})"
            print(f"  name linker, {how + ',':<6} {k:>2} candidates {found}", flush=True)
    for name in ("gilda", "scispacy"):
        system = f"{name} {PEERS[name].version}"
        folder = ENVIRONMENTS / system.replace(" ", "-")
        if (folder / "installed").exists():
            _, seconds = answers(name, folder / "bin" / "python", benchmark.ontology, strings)
            print(f"  {system:<33} {n / seconds:8,.0f}")
        else:
            print(f"  {system:<33} not installed")


if __name__ == "__main__":
    main()
