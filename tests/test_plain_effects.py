"""The effects of claims of each kind once more from the outcomes of their records, by plain loops.

Recall and resampled intervals are written out without the library, whose draws differ. What follows from an
effect is worked out by hand in ``test_verdicts.py``.
"""

import pytest
from plain_loops import EVIDENCE, measured

from study.claims import read_claims
from study.claims.claim_tests import AGAINST_UNTRAINED, ONE_TRAINING, TWO_TRAINED, UNTRAINED, kind
from study.records import MissingRecord

CLAIMS = {claim.id: claim for claim in read_claims()}
# Left out of kinds with fewer than ten: C8 asks for areas, B10 and K17 for counts of matches in texts, and
# D1 to D3, D13 and C3 for times.
BY_KIND = {
    TWO_TRAINED: ("K1", "K3", "K6", "K8", "K11", "K12", "K18", "D5", "D6", "D8", "D10", "B3", "B4", "P4"),
    AGAINST_UNTRAINED: ("B1", "K4", "K20", "D7", "C1", "C9", "P16"),
    ONE_TRAINING: ("B5", "B6", "B7", "B9", "K9", "K15", "K16", "D15", "C14", "X4"),
    UNTRAINED: ("B2", "K2", "K5", "C11", "C12", "X1", "X3"),
}


@pytest.mark.parametrize("id", [id for ids in BY_KIND.values() for id in ids])
def test_the_effects_of_a_claim_are_those_of_plain_loops(id):
    claim = CLAIMS[id]
    found, effects = [], []
    for corpus in claim.rule.corpora:
        assert all(id in BY_KIND[kind(test, EVIDENCE, corpus)] for test in claim.test.of(corpus))
        try:
            effects.append(claim.test.effect(EVIDENCE, corpus))
        except MissingRecord as error:
            pytest.skip(f"no record yet: {error}")
        found.append(measured(claim.test, corpus))
    for (value, low, high, seeds), effect in zip(found, effects, strict=True):
        assert value == pytest.approx(effect.value, abs=1e-4)
        assert (effect.high - effect.low) / 2 == pytest.approx((high - low) / 2, rel=0.2, abs=1e-6)
        assert seeds == pytest.approx(list(effect.seeds), abs=1e-3)
