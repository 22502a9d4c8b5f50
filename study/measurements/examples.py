"""Mentions by surface form, and examples of them: errors of a linker, and what of two only one gets right.

Which of them are examples is left to chance or to a rule, never to what reads well.
"""

import hashlib
from collections.abc import Iterable

import numpy as np

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document, Mention
from benchlib.ontology import fold_name
from benchlib.scoring import Outcomes, Scoring, recall

from .surface import SURFACE, surface

LONGEST = 40  # characters: an example, not a corpus


def by_surface(benchmark: Benchmark) -> dict[str, list[int]]:
    """The numbers of the test mentions of each class of ``SURFACE``."""
    found = surface(benchmark.test, benchmark.ontology)
    return {name: np.flatnonzero(found == name).tolist() for name in SURFACE}


def error_examples(benchmark: Benchmark, outcomes: Outcomes, each: int = 3) -> dict[str, list[list[str]]]:
    """By class of ``SURFACE`` up to ``each`` test mentions whose first answer is wrong: the mention, the
    first name of its gold, and that of the answer.

    They are drawn at random, the same each time, among the short ones of distinct golds.
    """
    wrong = set(outcomes.scored[recall(outcomes, 1, Scoring()) == 0].tolist())
    whole = outcomes.whole
    answers = dict(zip(outcomes.mention[whole].tolist(), outcomes.top[whole].tolist(), strict=True))
    mentions = [mention for _, mention in benchmark.test.mentions()]
    classes = surface(benchmark.test, benchmark.ontology)
    examples: dict[str, dict[str, list[str]]] = {name: {} for name in SURFACE}
    for i in np.random.default_rng(0).permutation(len(mentions)).tolist():
        text = mentions[i].text
        if i in wrong and len(text) <= LONGEST and len(examples[classes[i]]) < each:
            gold = first_name(benchmark, sorted(mentions[i].gold.ids)[0])
            examples[classes[i]].setdefault(gold, [text, gold, first_name(benchmark, answers[i])])
    return {name: list(rows.values()) for name, rows in examples.items()}


def differing_answers(
    benchmark: Benchmark, first: Outcomes, second: Outcomes, each: int = 6
) -> dict[str, dict[str, object]]:
    """Test mentions that the ``first`` linker alone gets right (under ``linker``), and that the ``second``
    alone does (``other``): how many ``mentions``, and up to ``each`` of them as ``examples``.

    An answer is right where its credit under ``Scoring()`` is 1, and wrong where it is 0. Examples are short
    mentions, one for each string, case aside: the first ones by the SHA-256 of ``document:start:end``. Each
    has ``mention``, ``document``, ``start``, ``end``, ``gold`` with the (id, name) of each gold concept, and
    what ``linker`` and ``other`` answer: (id, name, score), the id "" for NIL and for no answer. A name is
    the first of the concept, or its id where it has none.

    Raises ValueError for outcomes of other mentions than those of the test split.
    """
    mentions = list(benchmark.test.mentions())
    of_side = {"linker": first, "other": second}
    if any(len(mentions) != of.every.sum() for of in of_side.values()):
        raise ValueError(f"expected outcomes of the {len(mentions)} test mentions of {benchmark.name}")
    credit = {side: recall(of, 1, Scoring()) for side, of in of_side.items()}
    tops = {side: (of.top[of.whole], of.top_score[of.whole]) for side, of in of_side.items()}
    found: dict[str, dict[str, object]] = {}
    for side, other in (("linker", "other"), ("other", "linker")):
        alone = np.flatnonzero((credit[side] == 1) & (credit[other] == 0)).tolist()
        examples: dict[str, dict[str, object]] = {}
        for i in sorted(alone, key=lambda i: digest(*mentions[first.scored[i]])):
            document, mention = mentions[first.scored[i]]
            if len(mention.text) <= LONGEST and len(examples) < each:
                told = {**placed(document, mention), "gold": named(benchmark, sorted(mention.gold.ids))}
                for name, (ids, scores) in tops.items():
                    told[name] = (*named(benchmark, [ids[i]])[0], round(float(scores[i]), 4))
                examples.setdefault(fold_name(mention.text), told)
        found[side] = {"mentions": len(alone), "examples": list(examples.values())}
    return found


def digest(document: Document, mention: Mention) -> str:
    """What puts mentions in an order that nobody chose: the SHA-256 of ``document:start:end``."""
    return hashlib.sha256(f"{document.id}:{mention.start}:{mention.end}".encode()).hexdigest()


def placed(document: Document, mention: Mention) -> dict[str, object]:
    """The string of a mention and its place: ``mention``, ``document``, ``start``, ``end``."""
    return {"mention": mention.text, "document": document.id, "start": mention.start, "end": mention.end}


def named(benchmark: Benchmark, ids: Iterable[str]) -> list[tuple[str, str]]:
    """The concepts that ids stand for, whichever of its ids each goes by, with their first names."""
    return [(one, first_name(benchmark, one)) for one in benchmark.ontology.concepts_of(ids)]


def first_name(benchmark: Benchmark, id: str) -> str:
    """That of the concept that an id stands for, or the id where there is none."""
    ontology = benchmark.ontology
    return next((name for one in ontology.resolve(id) for name in ontology.concepts[one].names), id)
