"""What the front page shows: the findings so far, and one figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ..linkers import linker
from ..runs import MissingRecord, Record, Store, collect, kinds, published, run
from ..scoring import by_preset
from . import claims
from .figures import gap_figure
from .measured import TESTS
from .session import OPEN

_STRICT, _LENIENT = "strict/names/any-of", "lenient/names/any-of"


def write(folder: Path) -> None:
    """Write ``findings.md`` and ``gap.svg`` from the published records."""
    store = published()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "findings.md").write_text(_findings(store), encoding="utf-8")
    figure = gap_figure(collect(["exact", "minilm-mean"], OPEN, store, compute="never"))
    figure.savefig(folder / "gap.svg")


def _findings(store: Store) -> str:
    """One sentence a finding; a finding whose records are missing says which command makes them."""
    lines = [f"- {_verdicts(store)}"]
    for finding in (_exhibit, _winner, _inflation, _known):
        try:
            lines.append(f"- {finding(store)}")
        except MissingRecord as missing:
            lines.append(f"- NOT RUN: `{missing}`")
    return "\n".join(lines) + "\n"


def _verdicts(store: Store) -> str:
    answers = claims.answer_all(store, TESTS)
    counted = Counter(answer.verdict for answer in answers)
    listed = ", ".join(f"{n} {verdict}" for verdict, n in counted.most_common())
    unborne = sum(answer.printed == "no" for answer in answers)
    return (
        f"**Of {len(answers)} claims: {listed}.** In {unborne} of them the paper's own printed numbers do "
        "not bear out its wording. The chapters of the five papers are still to come."
    )


def _exhibit(store: Store) -> str:
    changes = ("only-names:train+dev",)
    record: Callable[[str], Record] = lambda name: run(  # noqa: E731
        linker(name), "medmentions-st21pv", store, changes=changes, compute="never"
    )
    exact, prior = record("exact"), record("prior-train+dev")
    return (
        "**The protocol can outweigh the system.** On MedMentions ST21pv, answering with the mention as it "
        f"is scores {_percent(exact, _STRICT)} % when a concept must be named and "
        f"{_percent(exact, _LENIENT)} % when any concept that shares the name counts: same predictions. "
        "Taking each name's most frequent training concept scores "
        f"{_percent(prior, _STRICT)} % under the strict protocol. See [](/notebooks/protocols.ipynb)."
    )


def _winner(store: Store) -> str:
    """Under which published protocol which of three simple linkers leads on NCBI."""
    mentions = kinds("ncbi-disease", store, compute="never").strata
    scores = {}
    for name in ("exact", "prior", "minilm-mean"):
        found = run(linker(name), "ncbi-disease", store, compute="never").outcomes
        rows = {row["protocol"]: row["value"] for row in reversed(by_preset(found, mentions))}
        scores[name] = {preset: f"{100 * value:.1f}" for preset, value in rows.items()}
    exact, prior, encoder = scores["exact"], scores["prior"], scores["minilm-mean"]
    return (
        "**The protocol can choose the winner.** On NCBI diseases, taking each string's most frequent "
        f"training concept scores {prior['krissbert']} % against {encoder['krissbert']} % for the untuned "
        "encoder when all mentions count; on the strings that training has not seen it is "
        f"{prior['cosines-refined']} against {encoder['cosines-refined']} %. *Normalized* over the mentions "
        "whose gold a linker lists at all, plain string equality leads with "
        f"{exact['dual-encoder-normalized']} % against {encoder['dual-encoder-normalized']} %. "
        "See [](#published-protocols)."
    )


def _inflation(store: Store) -> str:
    ncbi, bc5cdr = (
        run(linker("minilm-mean"), name, store, compute="never")
        for name in ("ncbi-disease", "bc5cdr-disease")
    )
    return (
        "**How much it is worth depends on the dictionary.** The untuned encoder moves from "
        f"{_percent(ncbi, _STRICT)} to {_percent(ncbi, _LENIENT)} % on NCBI diseases and from "
        f"{_percent(bc5cdr, _STRICT)} to {_percent(bc5cdr, _LENIENT)} % on BC5CDR diseases; "
        "no constant corrects a score for its protocol."
    )


def _known(store: Store) -> str:
    mentions = {
        name: kinds(name, store, compute="never").strata for name in ("ncbi-disease", "bc5cdr-disease")
    }
    seen = {name: 100 * of.loc[~of["nil"], "seen name"].mean() for name, of in mentions.items()}
    return (
        "**Test mentions recur.** The strings of "
        f"{seen['ncbi-disease']:.0f} % of NCBI's and {seen['bc5cdr-disease']:.0f} % of BC5CDR's scored "
        "disease test mentions stand, case aside, in train or dev: a dictionary that takes in annotated "
        "mentions answers these by lookup."
    )


def _percent(record: Record, scoring: str) -> str:
    return f"{100 * record.metric('recall@1', scoring)['value']:.1f}"
