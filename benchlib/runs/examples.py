"""Examples of a linker's errors, a few of each class of surface form."""

from __future__ import annotations

import numpy as np

from ..datasets.benchmark import Benchmark
from ..scoring import SURFACE, Outcomes, Scoring, recall, surface

_LONGEST = 40  # characters: an example, not a corpus


def error_examples(benchmark: Benchmark, outcomes: Outcomes, each: int = 3) -> dict[str, list[list[str]]]:
    """By class of ``SURFACE`` up to ``each`` test mentions whose first answer is wrong: the mention, the
    first name of its gold, and that of the answer.

    They are drawn at random, the same each time, among the short ones of distinct golds.
    """
    wrong = set(outcomes.scored[recall(outcomes, 1, Scoring()) == 0].tolist())
    answers = dict(zip(outcomes.mention.tolist(), outcomes.top.tolist(), strict=True))
    mentions = [mention for _, mention in benchmark.test.mentions()]
    classes = surface(benchmark.test, benchmark.ontology)
    examples: dict[str, dict[str, list[str]]] = {name: {} for name in SURFACE}
    for i in np.random.default_rng(0).permutation(len(mentions)).tolist():
        text = mentions[i].text
        if i in wrong and len(text) <= _LONGEST and len(examples[classes[i]]) < each:
            gold = _first_name(benchmark, sorted(mentions[i].gold.ids)[0])
            examples[classes[i]].setdefault(gold, [text, gold, _first_name(benchmark, answers[i])])
    return {name: list(rows.values()) for name, rows in examples.items()}


def _first_name(benchmark: Benchmark, id: str) -> str:
    names = [
        name for one in benchmark.ontology.resolve(id) for name in benchmark.ontology.concepts[one].names
    ]
    return names[0] if names else id
