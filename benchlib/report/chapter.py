"""The claims section of a page."""

from __future__ import annotations

from collections.abc import Sequence

from ..runs import Store
from . import answers, claims
from .measured import TESTS


def claims_section(store: Store, ids: Sequence[str]) -> str:
    """The claims named, with their answers, as an HTML table; raises ValueError for an unknown id."""
    chosen = [claim for claim in claims.load() if claim.id in ids]
    if unknown := set(ids) - {claim.id for claim in chosen}:
        raise ValueError(f"no claim {', '.join(sorted(unknown))}")
    found = claims.answer_all(store, TESTS, chosen)
    return answers.html(found, chosen, "What this page says about the claims.", anchors=True)
