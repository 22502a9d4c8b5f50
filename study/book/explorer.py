"""The data of *Explore the outcomes*: a script for each corpus with the outcomes of its systems.

A script calls ``Benchlib.explorer.register`` with a gzipped file in base64, which loads from ``file://`` too:
a head in JSON, with its length before it in four bytes, then whole numbers in the planes of their bytes, the
lowest first. Where the gold stands takes few distinct values, so an outcome is a number of a table of them.
Of published systems there is only where the gold stands, not what they answered.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.scoring import Outcomes, Scoring, canonical_clusters
from benchlib.scoring.coding import ALL

from ..chapters.results import SystemResult, in_stratum
from ..corpora import load, registry
from ..corpora.files import MissingFile
from ..pages.page import Page
from ..papers import papers
from ..tables.published_systems import alike
from ..tables.rows import mean_credit
from .layout import digest

MAIN = "side_by_side"
SETS: Mapping[str, Sequence[str]] = {
    MAIN: ("all",),
    "published": ("diseases", "ncbi", "chemicals", "genes"),
    "cosines": ("table3",),
    "krissbert": ("table2", "labelled"),
    "dual_encoder": ("tables",),
    "biocom": ("figure2",),
}
"""The run sets that are shown, by chapter: all systems of the leaderboard, then further ones."""
STRATA = (
    ("seen name", False),
    ("seen concept", False),
    ("several concepts", True),
    ("abbreviation", True),
    ("composite", True),
)
"""The strata, each a bit of a mention, lowest first: those in it, or those not in it."""
_ALIKE = 1 << len(STRATA)  # the bit of a mention that published answers align with
_ORDERS = 3  # of the orders of outcomes: names, rows, concepts


class Shown(NamedTuple):
    """A system of the page: its key in the page's address, its name, the group of rows that it belongs to."""

    key: str
    label: str
    group: str
    runs: SystemResult


def write(folder: Path, kept: Path) -> None:
    """Write ``explorer-<corpus>.js`` into ``folder``, one for each corpus of the leaderboard.

    Scripts are ``kept`` from build to build, under the digest of their records and of this code.
    """
    page = Page.published(MAIN)
    everything, recounted = systems(), alike(page.measured("recount"))
    kept.mkdir(parents=True, exist_ok=True)
    for data in dict.fromkeys(of.runs.data for of in everything):
        here = [of for of in everything if of.runs.data == data]
        keys = [f"{of} {record.key}" for of in here for record in of.runs.there]
        made_by = digest(Path(__file__).parent, [Path(__file__)], registry.pinned(data), *map(str, keys))
        path = kept / f"{data}.{made_by[:16]}.js"
        if not path.exists():
            path.write_text(script(data, here, recounted.get(data)), encoding="ascii")
        (folder / f"explorer-{data}.js").write_bytes(path.read_bytes())


def systems() -> list[Shown]:
    """The systems that have run, with their group, those of the leaderboard first; none with the same records
    twice."""
    found: dict[tuple, Shown] = {}
    corpora = {runs.data for runs in Page.published(MAIN).runs("all")}
    for chapter, names in SETS.items():
        page = Page.published(chapter)
        for runs in (runs for name in names for runs in page.runs(name)):
            if runs.data in corpora and runs.made:
                records = tuple(record.key for record in runs.there)
                found.setdefault((runs.data, records), _shown(chapter, runs))
    return list(found.values())


def _shown(chapter: str, runs: SystemResult) -> Shown:
    # Systems of `each` share a key; what was done to the dictionary tells them apart.
    changes, key = runs.system.changes, runs.system.keys[0]
    if chapter == MAIN:
        return Shown(key, runs.label, "main", runs)
    name = papers()[chapter].name if chapter in papers() else ""
    more = [name] * bool(name) + [f"{len(runs.records)} seeds"] * (len(runs.records) > 1)
    label = f"{runs.label} ({', '.join(more)})" if more else runs.label
    reduced = [change for change in changes if change.startswith(("sample-names", "universal"))]
    group = "test" if "dev:test" in changes else "dictionary" if reduced else "further"
    sampled = [change.replace(":", "-") for change in reduced if change.startswith("sample-names")]
    return Shown(".".join([chapter, key, *sampled]), label, group, runs)


def script(data: str, shown: Sequence[Shown], aligned: np.ndarray | None) -> str:
    """The script of a corpus; ``aligned`` is the mask of the mentions that published answers align with."""
    first = shown[0].runs.record.outcomes
    shown = [of for of in shown if all(_alike(record.outcomes, first) for record in of.runs.there)]
    shown.sort(key=lambda of: -mean_credit(of.runs, Scoring()).mean())  # like answers lie together
    kinds = next(of.runs.kinds for of in shown if of.group == "main" and not of.runs.system.changes)
    bits = sum(
        (in_stratum(kinds, name) == holds).astype(int) << bit for bit, (name, holds) in enumerate(STRATA)
    )
    if aligned is not None:
        bits = bits | _ALIKE * aligned
    head: dict = {"data": data, "title": registry.benchmark(data).title, "systems": []}
    columns: dict[str, Outcomes] = {}
    answers: list[np.ndarray] = []
    for key, label, group, runs in shown:
        published = runs.system.linker.startswith("published,")
        outcomes = runs.record.outcomes
        columns |= {record.key: record.outcomes for record in runs.there}
        system = {"key": key, "label": label, "group": group, "record": runs.record.short_key}
        system["columns"] = [list(columns).index(record.key) for record in runs.there]
        # Older records number documents in the order of the corpus, and resample them in it.
        system["inOrder"] = bool((outcomes.clusters == canonical_clusters(outcomes.clusters)).all())
        system["aligned"] = published and aligned is not None
        system["answers"] = -1 if published else len(answers)
        if not published:
            answers.append(outcomes.top[outcomes.whole])
        head["systems"].append(system)
    scored = first.scored
    numbers = {
        "bits": bits[scored],
        "inOrder": canonical_clusters(first.clusters),
        "byNumber": np.unique(_by_number(shown), return_inverse=True)[1],
        "composite": np.flatnonzero(first.composite),
        **_places(list(columns.values())),
        **_answers(head, answers),
        **_mentions(head, data, scored),
    }
    return f'Benchlib.explorer.register("{data}", "{_packed(head, numbers)}");\n'


def _alike(outcomes: Outcomes, other: Outcomes) -> bool:
    """Whether two runs have the same mentions in the same documents."""
    if not np.array_equal(outcomes.scored, other.scored):
        return False
    return np.array_equal(*(canonical_clusters(of.clusters) for of in (outcomes, other)))


def _by_number(shown: Sequence[Shown]) -> np.ndarray:
    """The clusters by the number that is the same in every corpus; those of the first where all are old."""
    every = [of.runs.record.outcomes.clusters for of in shown]
    return max(every, key=lambda clusters: clusters.max())


def _places(columns: Sequence[Outcomes]) -> dict[str, np.ndarray]:
    """Where the gold stands: a table of distinct places, and a number of it for each mention and record, and
    for each composite mention and record where all its parts are asked for."""

    def of_lines(outcomes: Outcomes, lines: np.ndarray) -> np.ndarray:
        ranks = (outcomes.n_better + 1, outcomes.n_tied, outcomes.n_tied_gold)
        places = [of[lines][:, :_ORDERS] for of in ranks]
        return np.concatenate([*places, outcomes.n_required[lines][:, None]], axis=1)

    any_of = np.stack([of_lines(of, of.whole) for of in columns], axis=1)
    all_of = np.stack([of_lines(of, of.line_type == ALL) for of in columns], axis=1)
    width = any_of.shape[-1]
    table, code = np.unique(
        np.concatenate([any_of.reshape(-1, width), all_of.reshape(-1, width)]), axis=0, return_inverse=True
    )
    code = code.reshape(-1)
    cut = any_of.shape[0] * any_of.shape[1]
    return {"places": table, "anyOf": code[:cut], "allOf": code[cut:]}


def _answers(head: dict, answers: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Of each mention the distinct answers, the most frequent first, and which of them each system gave."""
    ids = {id: number for number, id in enumerate(dict.fromkeys(np.concatenate(answers).tolist()))}
    head["ids"] = list(ids)
    listed: list[int] = []
    counts: list[int] = []
    given = np.empty((len(answers[0]), len(answers)), dtype=np.int64)
    for row, of_mention in enumerate(np.stack(answers, axis=1)):
        distinct, which, n = np.unique(of_mention.astype(str), return_inverse=True, return_counts=True)
        order = np.argsort(-n, kind="stable")
        given[row] = np.argsort(order)[which]
        listed += [ids[id] for id in distinct[order]]
        counts.append(len(distinct))
    return {"listed": np.array(listed), "nListed": np.array(counts), "given": given}


def _mentions(head: dict, data: str, scored: np.ndarray) -> dict[str, np.ndarray]:
    """Where the mentions are, and what the corpus, its dictionary and its gold call them, where the corpus is
    there and free of a licence; names of concepts by the place of their ids."""
    try:
        benchmark = load(data)
    except MissingFile:
        return {}
    free = not any(registry.source(id).licensed for id in registry.benchmark(data).sources)
    every = list(benchmark.test.mentions())
    places = [every[number] for number in scored]
    head["documents"] = list(dict.fromkeys(document.id for document, _ in places))
    documents = {id: number for number, id in enumerate(head["documents"])}
    numbers = {
        "document": np.array([documents[document.id] for document, _ in places]),
        "start": np.array([mention.start for _, mention in places]),
        "end": np.array([mention.end for _, mention in places]),
    }
    if free:
        for name, of in (
            ("text", lambda m: m.text),
            ("gold", lambda m: m.gold.printed or "|".join(m.gold.ids)),
        ):
            listed = [of(mention) for _, mention in places]
            codes = {text: number for number, text in enumerate(dict.fromkeys(listed))}
            head[f"{name}s"], numbers[name] = list(codes), np.array([codes[text] for text in listed])
        head["names"] = {id: name for id, name in _names(head, benchmark) if name}
    return numbers


def _names(head: dict, benchmark: Benchmark) -> Iterator[tuple[str, str]]:
    """The preferred name of each id that is an answer or a gold."""
    for id in dict.fromkeys([*head["ids"], *head["golds"]]):
        concepts = [benchmark.ontology.concepts.get(of) for of in benchmark.ontology.concepts_of([id])]
        yield id, next((concept.names[0] for concept in concepts if concept and concept.names), "")


def _packed(head: dict, numbers: Mapping[str, np.ndarray]) -> str:
    """Head and numbers as gzip in base64; the head lists each array with its length and bytes a number."""
    planes = b""
    head["arrays"] = []
    for name, array in numbers.items():
        flat = array.reshape(-1).astype("<u4")
        width = max(1, -(-int(flat.max(initial=0)).bit_length() // 8))
        head["arrays"].append([name, flat.size, width])
        planes += flat.view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()
    written = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    content = len(written).to_bytes(4, "little") + written + planes
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
