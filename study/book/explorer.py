"""The data of *Explore the outcomes*: a script for each corpus with the outcomes of its systems.

A script hands over a gzipped file in base64, which loads from ``file://`` too: the length of a head in four
bytes, the head in JSON, and whole numbers in the planes of their bytes, the lowest first. Golds stand in few
distinct places, so an outcome is the number of one. Of published systems the answers are left out.
"""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from benchlib import terminal
from benchlib.scoring import Outcomes, Scoring, canonical_clusters
from benchlib.scoring.coding import ALL

from ..chapters.results import SystemResult, in_stratum
from ..corpora import load, registry
from ..corpora.files import MissingFile
from ..measurements.examples import first_name
from ..pages.page import Page
from ..papers import papers
from ..tables.published_systems import alike
from ..tables.rows import recall_at_1
from .layout import digest

MAIN = "side_by_side"
SETS: Mapping[str, str] = {
    MAIN: "all",
    "published": "diseases ncbi chemicals genes",
    "cosines": "table3",
    "krissbert": "table2 labelled",
    "dual_encoder": "bc5cdr medmentions",
    "biocom": "figure2",
}
"""The run sets that are shown, by chapter: all systems of the leaderboard, then further ones."""
STRATA = ("seen name", "seen concept", "several concepts", "abbreviation", "composite")
"""Each a bit of a mention, the lowest first; of the first two :data:`UNSEEN` shows the mentions that are not
in them."""
UNSEEN, ALIKE = 0b11, 1 << len(STRATA)  # the last: published answers align with the mention
NIL = ALIKE << 1  # the gold is NIL
MOST_CALLED = 20  # percent of the mentions, at most, that the page calls NIL
_ORDERS = 3  # of outcomes: names, rows, concepts


class Shown(NamedTuple):
    """A system of the page: its key in the page's address, its name, and the group of rows it belongs to."""

    key: str
    label: str
    group: str
    runs: SystemResult


def write(folder: Path, kept: Path, *more: str) -> None:
    """Write ``explorer-<corpus>.js`` into ``folder`` for each corpus of the leaderboard; what was written is
    ``kept`` from build to build, under the digest of its records, of this code and of ``more``."""
    recounts = Page.published(MAIN).measured("recount")
    every, aligned = systems(), alike(recounts)
    for data in dict.fromkeys(system.runs.data for system in every):
        here = [system for system in every if system.runs.data == data]
        behind = [(*system[:3], of) for system in here for of in (*system.runs.there, system.runs.kinds)]
        behind.append((recounts.get(data),))
        keys = [f"{names} {of.checksum}" for *names, of in behind if of]
        path = kept / digest(
            Path(__file__).parent, [Path(__file__)], data, registry.pinned(data), *keys, *more
        )
        if not path.exists():
            terminal.write(path, script(data, here, aligned.get(data)))
        terminal.write(folder / f"explorer-{data}.js", path.read_bytes())


def systems() -> list[Shown]:
    """The systems that have run, those of the leaderboard first; none with the same records twice."""
    found: dict[tuple[str, ...], Shown] = {}
    corpora: set[str] = set()
    for chapter, names in SETS.items():
        page = Page.published(chapter)
        for runs in (runs for name in names.split() for runs in page.runs(name) if runs.made):
            if chapter == MAIN:
                corpora.add(runs.data)
            if runs.data in corpora:
                found.setdefault(tuple(record.key for record in runs.there), _shown(chapter, runs))
    return list(found.values())


def _shown(chapter: str, runs: SystemResult) -> Shown:
    key, changes = runs.system.keys[0], runs.system.changes
    if chapter == MAIN:
        return Shown(key, runs.label, "main", runs)
    more = [papers()[chapter].name] if chapter in papers() else []
    more += [f"{len(runs.records)} seeds"] if len(runs.records) > 1 else []
    # Systems of the same key differ in the share of the dictionary.
    others = [change for change in changes if change.startswith(("sample-names", "universal"))]
    group = "test" if "dev:test" in changes else "dictionary" if others else "further"
    key = ".".join([chapter, key, *others]).replace(":", "-")
    return Shown(key, f"{runs.label} ({', '.join(more)})" if more else runs.label, group, runs)


def script(data: str, shown: Sequence[Shown], aligned: np.ndarray | None) -> str:
    """The script of a corpus; ``aligned`` is the mask of the mentions that published answers align with."""
    first, kinds = shown[0].runs.record.outcomes, shown[0].runs.kinds
    shown = [system for system in shown if np.array_equal(system.runs.record.outcomes.scored, first.scored)]
    shown.sort(key=lambda system: -recall_at_1(system.runs, Scoring()))  # like answers lie together
    bits = sum(in_stratum(kinds, name).astype(int) << bit for bit, name in enumerate(STRATA)) ^ UNSEEN
    bits |= 0 if aligned is None else ALIKE * aligned
    mentions = first.mention[first.every]
    head: dict = {"systems": []}
    columns: dict[str, Outcomes] = {}
    answers: list[np.ndarray] = []
    for key, label, group, runs in shown:
        published, outcomes = runs.recounted, runs.record.outcomes
        columns |= {record.key: record.outcomes for record in runs.there}
        system = {"key": key, "label": label, "group": group, "record": runs.record.short_key}
        system["columns"] = [[*columns].index(record.key) for record in runs.there]
        # Older records number documents in the order of the corpus, which is then that of the resamples.
        system["inOrder"] = np.array_equal(outcomes.clusters, canonical_clusters(outcomes.clusters))
        system["aligned"] = published and aligned is not None
        system["answers"] = -1 if published else len(answers)
        answers += [] if published else [outcomes.top[outcomes.every].astype(str)]
        head["systems"].append(system)
    numbered = max((outcomes.cluster[outcomes.every] for outcomes in columns.values()), key=np.max)
    numbers = {
        "bits": bits[mentions] | NIL * first.is_nil,
        "inOrder": canonical_clusters(first.cluster[first.every]),
        "byNumber": np.unique(numbered, return_inverse=True)[1],
        "composite": np.searchsorted(mentions, first.scored[first.composite]),
        **_places([*columns.values()]),
        **_answers(head, np.stack(answers, axis=1)),
        **_mentions(head, data, mentions),
    }
    if first.is_nil.any():
        numbers["calledFrom"] = np.stack([_called_from(outcomes) for outcomes in columns.values()], axis=1)
    return f'Benchlib.explorer.register("{data}", "{_packed(head, numbers)}");\n'


def _called_from(outcomes: Outcomes) -> np.ndarray:
    """From which percentage on each mention is called NIL when the threshold is the highest top score that
    calls at most so many of all mentions; no answer and the answer NIL are called at any
    (:func:`benchlib.scoring.nil.called_nil`)."""
    scores = outcomes.top_scores
    percent = np.ceil(100 * rankdata(scores, "max") / len(scores)).astype(int)
    return np.where(np.isneginf(scores), 0, np.minimum(percent, MOST_CALLED + 1))


def _places(columns: Sequence[Outcomes]) -> dict[str, np.ndarray]:
    """Where the gold stands: the distinct ``places``, and the number of one for each mention and record
    (``anyOf``), and for each composite mention and record where all of its parts are wanted (``allOf``)."""

    def of_lines(outcomes: Outcomes, lines: np.ndarray) -> np.ndarray:
        ranks = (outcomes.n_better + 1, outcomes.n_tied, outcomes.n_tied_gold)
        return np.hstack([*(rank[lines, :_ORDERS] for rank in ranks), outcomes.n_required[lines, None]])

    any_of = [of_lines(outcomes, outcomes.every) for outcomes in columns]
    all_of = [of_lines(outcomes, outcomes.line_type == ALL) for outcomes in columns]
    rows = [np.stack(lines, axis=1).reshape(-1, any_of[0].shape[1]) for lines in (any_of, all_of)]
    places, code = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    any_codes, all_codes = np.split(code.reshape(-1), [len(rows[0])])
    return {"places": places, "anyOf": any_codes, "allOf": all_codes}


def _answers(head: dict, answers: np.ndarray) -> dict[str, np.ndarray]:
    """The distinct answers to each mention, the most frequent first, and which of them each system gave."""
    listed, counts, given = [], [], np.empty(answers.shape, dtype=np.int64)
    for row, of_mention in enumerate(answers):
        distinct, which, n = np.unique(of_mention, return_inverse=True, return_counts=True)
        order = np.argsort(-n, kind="stable")
        given[row] = np.argsort(order)[which]
        listed += distinct[order].tolist()
        counts.append(len(distinct))
    head["ids"], codes = _coded(listed)
    return {"listed": codes, "nListed": np.array(counts), "given": given}


def _mentions(head: dict, data: str, mentions: np.ndarray) -> dict[str, np.ndarray]:
    """Where the mentions are, and where no source has a licence of its own their text, gold and the names of
    concepts; nothing where the corpus is not there."""
    try:
        benchmark = load(data)
    except MissingFile:
        return {}
    every = list(benchmark.test.mentions())
    places = [every[number] for number in mentions]
    listed = {"document": [document.id for document, _ in places]}
    if not any(registry.source(id).licensed for id in registry.benchmark(data).sources):
        listed["text"] = [mention.text for _, mention in places]
        listed["gold"] = [mention.gold.printed or "|".join(mention.gold.ids) for _, mention in places]
        names = {id: first_name(benchmark, id) for id in sorted({*head["ids"], *listed["gold"]})}
        head["names"] = {id: name for id, name in names.items() if name != id}
    numbers = {"start": np.array([m.start for _, m in places]), "end": np.array([m.end for _, m in places])}
    for name, values in listed.items():
        head[f"{name}s"], numbers[name] = _coded(values)
    return numbers


def _coded(values: Sequence[str]) -> tuple[list[str], np.ndarray]:
    codes = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return list(codes), np.array([codes[value] for value in values])


def _packed(head: dict, numbers: Mapping[str, np.ndarray]) -> str:
    """Head and numbers as gzip in base64; the head lists each array with its length and bytes a number."""
    planes, head["arrays"] = b"", []
    for name, array in numbers.items():
        flat = array.reshape(-1).astype("<u4")
        width = max(1, -(-int(flat.max(initial=0)).bit_length() // 8))
        head["arrays"].append([name, flat.size, width])
        planes += flat.view(np.uint8).reshape(-1, 4)[:, :width].T.tobytes()
    written = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    content = len(written).to_bytes(4, "little") + written + planes
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
