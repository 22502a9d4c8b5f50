"""Linkers of the study that look only at the mention's string."""

from collections.abc import Sequence

from benchlib.linker import NearestNames, StringLinker
from benchlib.predictions import Candidate

from ..settings import Settings


class StringSystem(StringLinker, Settings):
    """A linker whose ``fit`` sets ``_candidates``, and whose ``_rank`` orders them for folded strings."""


class NameSystem(NearestNames, Settings):
    """A linker whose ``fit`` takes the names of the ontology, and an ``encoder`` to compare them by."""


def name_indices(candidates: Sequence[Candidate]) -> dict[str, list[int]]:
    """By concept, where in ``candidates`` its names are."""
    owned: dict[str, list[int]] = {}
    for i, candidate in enumerate(candidates):
        for id in candidate.ids:
            owned.setdefault(id, []).append(i)
    return owned
