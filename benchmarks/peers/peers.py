"""Link the test mentions of a benchmark with a system of others, over the benchmark's own dictionary.

``python benchmarks/peers/peers.py gilda ncbi-disease`` makes an environment for the system where there is
none (_build/environments), runs the script of this folder there that knows it, and writes a predictions file
for ``benchlib score`` and the linker ``peer``. Spans are given; each distinct mention string is
linked once, since none of these systems looks around the mention.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchlib.corpus import Corpus
from benchlib.formats.predictions import write_predictions
from benchlib.ontology import Ontology
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.terminal import run_command
from study.corpora import load
from study.systems.baselines.others import answers_of

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parents[1] / "_build" / "environments"


class Peer(NamedTuple):
    """A system: its script here, its ``version``, what pip installs, and the newest Python that can."""

    script: str
    version: str
    packages: tuple[str, ...]
    newest: tuple[int, int] = (3, 12)


PEERS: Mapping[str, Peer] = {
    "gilda": Peer("gilda_terms.py", "1.6.1", ("gilda==1.6.1",)),
    "quickumls": Peer("quickumls_matches.py", "1.4.2", ("quickumls==1.4.2", "spacy<3.9")),
    # nmslib wants NumPy 1, and scipy 1.11 is refused by scispaCy when an index is built.
    "scispacy": Peer(
        "scispacy_candidates.py",
        "0.6.2",
        ("scispacy==0.6.2", "scipy==1.10.1", "numpy==1.26.4", "spacy<3.8", "click<8.2"),
        newest=(3, 11),
    ),
}


def environment(name: str, base: str = sys.executable, folder: Path = ENVIRONMENTS) -> Path:
    """The Python of a system's environment, made by ``base`` where it is missing.

    Raises RuntimeError for a ``base`` that is too new, and saying what pip said where it fails.
    """
    peer = PEERS[name]
    there = folder / f"{name}-{peer.version}"
    python = there / "bin" / "python"
    installed = there / "installed"
    if installed.exists():
        return python
    asked = (base, "-c", "import sys; print(*sys.version_info[:2])")
    found = tuple(map(int, _done(asked, f"{base} runs").split()))
    if found > peer.newest:
        raise RuntimeError(
            f"{name} {peer.version}: expected Python {_dotted(peer.newest)} or older, "
            f"found {_dotted(found)}; --python names another"
        )
    what = f"{name} {peer.version} can be installed into {there}"
    _done((base, "-m", "venv", "--clear", str(there)), what)
    _done((str(python), "-m", "pip", "install", "--quiet", *peer.packages), what)
    installed.touch()
    return python


def export(ontology: Ontology, strings: Sequence[str], folder: Path) -> None:
    """What a script reads: ``concepts.jsonl``, a line each with ``id``, ``names``, the preferred one first,
    and ``types``, without those that have no name; and ``strings.json``."""
    with (folder / "concepts.jsonl").open("w", encoding="utf-8") as file:
        for concept in ontology.concepts.values():
            if concept.names:
                row = {"id": concept.id, "names": concept.names, "types": concept.types}
                file.write(json.dumps(row) + "\n")
    (folder / "strings.json").write_text(json.dumps(strings), encoding="utf-8")


def predictions(corpus: Corpus, ranked: Mapping[str, Sequence[tuple[str, str, float]]]) -> Predictions:
    """The answers for every span of a corpus: (concept, name, score) by mention string, a concept once."""
    texts = {document.id: document.text for document in corpus.documents}
    queries = spans(corpus.documents)
    lists = [ranked[texts[query.document][query.start : query.end]] for query in queries]
    place: dict[Candidate, int] = {}
    width = max(map(len, lists), default=0)
    index = [
        [place.setdefault(Candidate(name, (id,)), len(place)) for id, name, _ in found]
        + [-1] * (width - len(found))
        for found in lists
    ]
    scores = [[score for *_, score in found] + [0.0] * (width - len(found)) for found in lists]
    return Predictions(tuple(queries), tuple(place), index, scores)


def link(name: str, dataset: str, base: str = sys.executable) -> Path:
    """The predictions file of a system for the test split of a registered data set.

    Raises RuntimeError where its environment or its script fails.
    """
    python, benchmark = environment(name, base), load(dataset)
    corpus = benchmark.test
    strings = list(dict.fromkeys(mention.text for _, mention in corpus.mentions()))
    ranked, seconds = answers(name, python, benchmark.ontology, strings)
    print(f"{name} on {dataset}: {len(strings):,} strings, {seconds:.1f} s once its index is built")
    path = answers_of(f"{name}-{PEERS[name].version}", dataset)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_predictions(predictions(corpus, dict(zip(strings, ranked, strict=True))), path)
    return path


def answers(
    name: str, python: Path, ontology: Ontology, strings: Sequence[str]
) -> tuple[list[list[tuple[str, str, float]]], float]:
    """The answers of a system to each string, and the seconds of the processor that they took once its index
    was built. Raises RuntimeError where its script fails."""
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        export(ontology, strings, folder)
        command = (str(python), str(HERE / PEERS[name].script), str(folder))
        printed = _done(command, f"{name} links {len(strings):,} strings")
        return json.loads((folder / "ranked.json").read_text(encoding="utf-8")), float(printed.split()[-1])


def _done(command: Sequence[str], what: str) -> str:
    """What a command printed; raises RuntimeError with the last lines of one that failed."""
    # Sets of strings come in one order, and so do ties.
    surroundings = {**os.environ, "PYTHONHASHSEED": "0"}
    surroundings.pop("PYTHONPATH", None)
    if shutil.which(command[0]) is None:
        raise RuntimeError(f"expected that {what}; there is no {command[0]}")
    done = subprocess.run(command, capture_output=True, text=True, env=surroundings, check=False)
    if done.returncode:
        told = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise RuntimeError(f"expected that {what}; it ended with {done.returncode}:\n{told}")
    return done.stdout


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=PEERS)
    parser.add_argument("dataset", nargs="+", help="registered data sets")
    parser.add_argument("--python", default=sys.executable, help="makes the environment")
    options = parser.parse_args(arguments)
    try:
        for dataset in options.dataset:
            print(link(options.system, dataset, options.python))
    except (RuntimeError, OSError, ValueError) as error:
        print(f"not linked: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(run_command(main, "not linked"))
