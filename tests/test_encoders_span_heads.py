"""Heads that find spans, against loops over spans and tags by hand; windows of a text."""

import itertools

import numpy as np
import pytest
import torch

from benchlib.encoders import Encoded, embed
from study.systems.dual_encoder.span_finder import SpanFinder
from study.systems.dual_encoder.span_heads import ExhaustiveHead, TagHead, best_threshold, spans_of_tags
from study.systems.dual_encoder.windows import text_windows

REAL = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])


def drawn(head, *shape: int):
    """A head with weights, and states of width 4, drawn at random."""
    torch.manual_seed(0)
    for parameter in head.parameters():
        torch.nn.init.normal_(parameter)
    return head.double(), torch.randn(*shape, 4, dtype=torch.float64)


def plainly(head, states):
    """The probability by equation 4 of each span of one text, by a loop over spans and one over pieces."""
    (w_s, w_e, w_m), (b_s, b_e, b_m) = head.linear.weight, head.linear.bias
    found = {}
    for i in range(len(states)):
        for j in range(i, min(i + head.longest, len(states))):
            total = w_s @ states[i] + b_s + w_e @ states[j] + b_e + head.bias[0]
            for q in range(i, j + 1):
                total = total + w_m @ states[q] + b_m
            found[i, j] = torch.sigmoid(total).item()
    return found


def cross_entropy(head, states, gold) -> float:
    """Summed over all spans of one text."""
    return -sum(np.log(p if span in gold else 1 - p) for span, p in plainly(head, states).items())


@pytest.mark.parametrize("longest", [1, 3, 10])
def test_all_spans_are_scored_as_a_loop_over_them_does(longest):
    head, states = drawn(ExhaustiveHead(4, longest), 6)
    expected, scores = plainly(head, states), head.scores(states)
    assert len(expected) == sum(min(longest, 6 - i) for i in range(6)) and scores.shape == (6, longest)
    for i, more in itertools.product(range(6), range(longest)):
        assert scores[i, more] == pytest.approx(expected.get((i, i + more), 0.0), abs=1e-12)
    threshold = sorted(scores[scores > 0])[len(expected) // 2]
    above = sorted([*span] for span, p in expected.items() if p > threshold)
    assert head.found(states, threshold).tolist() == above


def test_the_loss_of_all_spans_leaves_out_padding_and_longer_golds():
    head, states = drawn(ExhaustiveHead(4, 3), 2, 5)
    gold = [[(0, 0), (2, 4), (0, 3)], [(1, 2)]]  # one of four pieces, which no span of three can be
    total = sum(cross_entropy(head, states[row, :n], gold[row]) for row, n in enumerate((5, 3)))
    assert head.loss(states, REAL, gold).item() == pytest.approx(total / 3)
    assert torch.isfinite(head.loss(states, REAL, [[], []]))


def test_the_loss_of_tags_by_hand():
    head, states = drawn(TagHead(4), 2, 5)
    # (1, 1) lies in (0, 1), which goes first.
    tags = ["BIOBO", "OBI"]
    log_p = torch.log_softmax(states @ head.linear.weight.T + head.linear.bias, dim=-1)
    total = -sum(log_p[row, i, "OBI".index(tag)] for row in (0, 1) for i, tag in enumerate(tags[row])).item()
    assert head.loss(states, REAL, [[(1, 1), (0, 1), (3, 3)], [(1, 2)]]).item() == pytest.approx(total / 3)


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("", []),
        ("OOO", []),
        ("BIIOB", [[0, 2], [4, 4]]),
        ("BBI", [[0, 0], [1, 2]]),
        ("IIOIB", [[4, 4]]),
        ("OBOIIBI", [[1, 1], [5, 6]]),
    ],
)
def test_tags_as_spans(tags, spans):
    assert spans_of_tags(np.array(["OBI".index(tag) for tag in tags], dtype=int)).tolist() == spans


def test_nothing_is_a_mention_at_first():
    states = torch.randn(7, 4)
    assert len(ExhaustiveHead(4).found(states)) == len(TagHead(4).found(states)) == 0
    assert ExhaustiveHead(4).scores(states).max() < 0.05


def test_the_released_rule_emits_spans_where_none_passes():
    head, states = drawn(ExhaustiveHead(4, 3), 6)
    scores = plainly(head, states)
    best = sorted([*span] for span in sorted(scores, key=scores.get)[-4:])
    assert head.found(states, threshold=1.0).tolist() == []
    assert head.found(states, threshold=1.0, least=4).tolist() == best
    third, second = sorted(scores.values())[-3:-1]
    assert len(head.found(states, (second + third) / 2, least=4)) == 2, "where some pass, no more"
    assert head.found(states[:1], threshold=1.0, least=8).tolist() == [[0, 0]]


def test_the_threshold_is_that_of_the_best_f1():
    rng, decided = np.random.default_rng(0), 0
    for _ in range(30):
        scores = rng.integers(1, 8, 12) / 10  # with ties
        right = rng.random(12) < 0.4
        n_gold = int(right.sum()) + int(rng.integers(0, 3))
        chosen = best_threshold(scores, right, n_gold)
        taken = [scores > threshold for threshold in (chosen, *np.arange(0.05, 1, 0.1))]
        f1 = [2 * (of & right).sum() / (of.sum() + n_gold) for of in taken]
        if right.any():
            decided += 1
            assert f1[0] == max(f1)
            assert not np.isclose(scores, chosen).any(), "between two scores"
    assert decided > 20 and best_threshold(np.array([0.9]), np.array([False]), 3) == 0.5


def test_what_is_kept_for_a_batch_of_spans_is_linear_in_its_length():
    """Every number that autograd keeps for 8 texts of 512 pieces, L = 10: under 1 GB."""
    head, kept = ExhaustiveHead(384), {}
    states = torch.zeros(8, 512, 384, requires_grad=True)

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        head.loss(states, torch.ones(8, 512, dtype=torch.bool), [[(3, 5)]] * 8)
    assert sum(kept.values()) < 50e6, "states of 6.3 MB, and some numbers a span"
    assert head(states).numel() == 8 * 512 * 10


def test_a_pass_gives_vectors_and_the_loss_of_the_head(backbone):
    finder = SpanFinder(backbone, backbone, "mean", ExhaustiveHead(backbone.width, 2))
    ids = backbone.tokenizer(["cold fever and pain", "a cold"])["input_ids"]
    inputs = [Encoded(tuple(ids[0]), ((1, 2), (4, 4))), Encoded(tuple(ids[1]), ((2, 2),))]
    gold = [[(0, 1), (3, 3)], [(1, 1)]]
    vectors, loss = finder.read(inputs, gold)
    torch.testing.assert_close(vectors, embed(backbone, inputs, "mention", normalize=False))
    states = [backbone(torch.tensor([one]), torch.ones(1, len(one)))[0, 1:-1] for one in ids]
    total = sum(cross_entropy(finder.head, own, spans) for own, spans in zip(states, gold, strict=True))
    assert loss.item() == pytest.approx(total / 3, rel=1e-4)
    before = finder.fingerprint()
    with torch.no_grad():
        finder.head.bias += 1
    assert finder.fingerprint() != before


TEXT = "He had a cold. His wife, with cancer, was in pain for a day or two. Then she had none."


def test_windows_end_behind_a_sentence_or_a_word(backbone):
    def texts(length):
        found = list(text_windows(backbone, [TEXT], length))
        assert all(len(one.inputs(backbone, ()).ids) <= length for one in found)
        pieces = backbone.tokenizer(TEXT, add_special_tokens=False)["input_ids"]
        assert [id for one in found for id in one.pieces.ids] == pieces, "nothing is lost, nothing read twice"
        return [TEXT[slice(*one.offsets(0, -1))] for one in found]

    assert texts(99) == [TEXT]
    # 25 pieces. The first sentence of five ends in the first half of a window of 16: it is cut in the middle
    # of the text. Behind the second are 20.
    assert texts(18) == [
        "He had a cold. His wife, with cancer, was in", "pain for a day or two. Then she had none."
    ]  # fmt: skip
    assert texts(22)[1:] == ["Then she had none."]
    assert all(not one.startswith("##") for one in texts(7))
    assert len(texts(3)) == len(backbone.tokenizer.tokenize(TEXT))
    assert list(text_windows(backbone, ["", "  "], 99)) == []
    with pytest.raises(ValueError, match="a length of 3 to 512 tokens, found 513"):
        list(text_windows(backbone, [TEXT], 513))


def test_places_of_spans_in_a_window_and_back(backbone):
    windows = list(text_windows(backbone, ["pain", TEXT], 22))
    assert [one.document for one in windows] == [0, 1, 1]
    whole = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in ("cold", "cancer", "none")]
    across = (TEXT.index("two"), TEXT.index("she"))
    first, second = (one.places([*whole, across]) for one in windows[1:])
    assert [one is None for one in first] == [False, False, True, True]
    assert [one is None for one in second] == [True, True, False, True]
    assert [windows[1].offsets(*one) for one in first[:2]] == whole[:2]
    assert windows[2].offsets(*second[2]) == whole[2]
    inputs = windows[1].inputs(backbone, first[:1])
    [(a, b)] = inputs.spans
    assert backbone.tokenizer.decode(inputs.ids[a : b + 1]) == "cold"
    assert windows[1].places([(2, 3)]) == [None]  # a blank has no piece
