"""Every loss of pairs: finite at extremes, whatever the order, nothing to learn without a pair, errors."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from loss_checks import EXTREMES, LABELS, METRICS, assert_finite, assert_nothing_to_learn, uniform

from benchlib.losses import (
    adversarial_entities,
    batch_all,
    batch_hard,
    candidate_cross_entropy,
    corrupt,
    distances,
    fgsm,
    hybrid,
    info_nce_loss,
    marginal_nll,
    masked_lm_loss,
    mine_pairs,
    mine_triplets,
    multi_similarity_loss,
    proxy_loss,
)


def mined(s, labels, **epsilon):
    return multi_similarity_loss(s, *mine_pairs(s, labels, **epsilon))


# Losses of mentions × mentions and their labels.
SQUARE = {
    "info-nce": info_nce_loss,
    "info-nce at 0.01": lambda s, labels: info_nce_loss(s, labels, temperature=0.01),
    "multi-similarity": mined,
    "all pairs": lambda s, labels: mined(s, labels, epsilon=1000.0),
    "pairs of triplets": lambda s, labels: multi_similarity_loss(s, *mine_triplets(s, labels)),
    "batch-all": lambda s, labels: batch_all(s, labels, 2.0),
    "batch-hard": lambda s, labels: batch_hard(s, labels, 2.0),
}
GOLD = torch.nn.functional.one_hot(torch.tensor([2, 0, 3, 3]), 5).bool()
OTHER = torch.tensor([[0, 1, 0, 1, 0], [0, 1, 1, 1, 1], [1, 1, 0, 0, 1], [1, 0, 0, 0, 0]]).bool()
# Losses of mentions × candidates, of which GOLD are right and OTHER wrong.
MASKED = {
    "cross-entropy": lambda s, gold, other: candidate_cross_entropy(
        s, gold.long().argmax(1), ~(gold | other)
    ),
    "marginal": lambda s, gold, other: marginal_nll(s, gold),
    "proxy": proxy_loss,
    "proxy with a margin": lambda s, gold, other: proxy_loss(s, gold, other, delta=0.125),
    "references": lambda s, gold, other: info_nce_loss(s, gold.long().argmax(1), torch.arange(s.shape[1])),
}


@pytest.mark.parametrize("s", EXTREMES)
def test_extreme_scores_stay_finite(s):
    for loss in (loss for name, loss in SQUARE.items() if name != "pairs of triplets"):
        assert_finite(lambda s, loss=loss: loss(s, LABELS), s)
    for loss in (loss for name, loss in MASKED.items() if name != "references"):
        assert_finite(lambda s, loss=loss: loss(s[:4, :5], GOLD, OTHER), s)
    assert_finite(lambda s: info_nce_loss(s[:, :4], LABELS, torch.tensor([7, 0, 9, 7])), s)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_mentions_and_candidates_changes_nothing(labels, random):
    n, labels = len(labels), torch.tensor(labels)
    s, order = uniform(n, n), random.sample(range(n), n)
    for loss in SQUARE.values():
        after = loss(s[order][:, order], labels[order])
        torch.testing.assert_close(loss(s, labels), after, rtol=1e-12, atol=1e-12)
    rows, columns = random.sample(range(4), 4), random.sample(range(5), 5)
    before = uniform(4, 5), GOLD, OTHER
    after = [matrix[rows][:, columns] for matrix in before]
    for loss in MASKED.values():
        torch.testing.assert_close(loss(*before), loss(*after), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", SQUARE.values(), ids=SQUARE)
def test_without_a_valid_pair_there_is_nothing_to_learn(loss):
    for labels in (torch.arange(6), torch.zeros(6)):
        assert_nothing_to_learn(lambda s, of=labels: loss(s, of), uniform(6, 6))
    assert_nothing_to_learn(lambda s: loss(s, LABELS[:1]), uniform(1, 1))


def test_without_a_candidate_or_with_easy_ones_there_is_nothing_to_learn():
    none, same = torch.zeros_like(GOLD), (LABELS.unsqueeze(1) == LABELS).double()
    gold = GOLD.long().argmax(1)
    for loss in (
        lambda s: proxy_loss(s, none, none),
        lambda s: marginal_nll(s, none),
        lambda s: candidate_cross_entropy(s, gold, ~GOLD),
        lambda s: info_nce_loss(s, torch.zeros(4), torch.ones(5)),
    ):
        assert_nothing_to_learn(loss, uniform(4, 5))
    for empty in (lambda s: marginal_nll(s, none[:0]), lambda s: candidate_cross_entropy(s, gold[:0])):
        assert_nothing_to_learn(empty, uniform(0, 5))
    assert_nothing_to_learn(lambda s: candidate_cross_entropy(s, 0), uniform(4, 1))
    # Every pair is told apart by more than the margin.
    for scale in (1, 100):
        assert_nothing_to_learn(lambda s: mined(s, LABELS), scale * same)
    for loss in (batch_all, batch_hard):
        assert_nothing_to_learn(lambda d, loss=loss: loss(d, LABELS, 0.5), 1 - same)


S, S6, TOKENS = uniform(4, 5), uniform(6, 6), torch.arange(6).view(2, 3)
LEAF = uniform(5, 7, 4).requires_grad_()
SCORES, POSITIVE = LEAF.sum((1, 2)), torch.tensor([True, False, False, True, False])
FIRST = GOLD.long().argmax(1)
GENERATOR = torch.Generator()
BAD = [
    (lambda: info_nce_loss(S6[:, :4], LABELS), r"\(6, 6\), not empty, found \(6, 4\)"),
    (lambda: info_nce_loss(S6[:4], LABELS, FIRST), r"\(6, 4\), not empty, found \(4, 6\)"),
    (lambda: info_nce_loss(S6[:0, :0], LABELS[:0]), r"not empty, found \(0, 0\)"),
    (lambda: info_nce_loss(S6, LABELS.unsqueeze(1)), "one label per row"),
    (lambda: info_nce_loss(S6, LABELS, temperature=0.0), "temperature"),
    (lambda: info_nce_loss(S6, LABELS, temperature=-1.0), "temperature"),
    (lambda: mine_pairs(S6[:, :5], LABELS), r"\(6, 6\), not empty, found \(6, 5\)"),
    (lambda: multi_similarity_loss(S, GOLD.double(), OTHER), "positive: expected a boolean mask"),
    (lambda: multi_similarity_loss(S, GOLD, OTHER[:3]), r"negative: .* of \(4, 5\), found .*\(3, 5\)"),
    (lambda: multi_similarity_loss(S, GOLD, GOLD), "found 4 that are both"),
    (lambda: multi_similarity_loss(S[:0], GOLD[:0], OTHER[:0]), "not empty"),
    (lambda: proxy_loss(S, GOLD[:, :4], OTHER), r"positive: expected a boolean mask of \(4, 5\)"),
    (lambda: proxy_loss(S, GOLD, OTHER.long()), r"negative: .*found torch.int64"),
    (lambda: proxy_loss(S, GOLD, GOLD | OTHER), "found 4 that are both"),
    (lambda: proxy_loss(S[0], GOLD[0], OTHER[0]), "not empty"),
    (lambda: marginal_nll(S, GOLD[:, :4]), "boolean mask of that shape, found .*torch"),
    (lambda: marginal_nll(S, GOLD.long()), "boolean mask of that shape, found .*torch"),
    (lambda: marginal_nll(S[0], GOLD[0]), "mentions × candidates"),
    *[
        (lambda gold=gold: candidate_cross_entropy(S, gold), "gold: expected a column from 0 to 4 for 4")
        for gold in (5, -1, FIRST[:3], FIRST - 1, FIRST + 0.5, FIRST > 9)
    ],
    (lambda: candidate_cross_entropy(S[0], 0), "mentions × candidates"),
    (lambda: candidate_cross_entropy(S, FIRST, OTHER[:3]), r"left_out: .* mask of \(4, 5\)"),
    (lambda: candidate_cross_entropy(S, FIRST, OTHER.long()), r"left_out: .* mask of \(4, 5\)"),
    (lambda: candidate_cross_entropy(S, 0, GOLD), "found 1 left out"),
    (lambda: distances(S6, S6, "dot"), "cosine, euclidean, squared, found 'dot'"),
    *[
        (lambda x=x, y=y: distances(x, y, METRICS[0]), "vectors of one width")
        for x, y in ((S6, S), (S6[0], S6), (S6, S6[0]))
    ],
    (lambda: batch_all(S6[:, :4], LABELS, 1.0), r"\(6, 6\), not empty, found \(6, 4\)"),
    (lambda: batch_hard(S6[:, :4], LABELS, 1.0), r"\(6, 6\), not empty, found \(6, 4\)"),
    *[(lambda at=at: hybrid(S6, LABELS, 0.5, at), "progress") for at in (-0.01, 1.01, float("nan"))],
    *[
        (lambda e=e, o=o: fgsm(e, o), "computed from embeddings that require a gradient")
        for e, o in ((LEAF.detach(), SCORES), (LEAF, SCORES.detach()), (LEAF, uniform(5).requires_grad_()))
    ],
    *[
        (lambda e=e, p=p: adversarial_entities(e, SCORES, p), r"each of the scores \(5,\), found")
        for e, p in ((LEAF, POSITIVE[:4]), (LEAF, POSITIVE.long()), (LEAF[:4], POSITIVE))
    ],
    (lambda: corrupt(TOKENS.float(), [0], 1, 9, GENERATOR), "integer ids, found torch.float32"),
    (lambda: corrupt(TOKENS, range(9), 1, 9, GENERATOR), "special ones only"),
    (lambda: masked_lm_loss(uniform(2, 4, 5), TOKENS, None), r"found shapes \(2, 4, 5\) and \(2, 3\)"),
]


@pytest.mark.parametrize(("call", "words"), BAD)
def test_bad_input_is_an_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()
