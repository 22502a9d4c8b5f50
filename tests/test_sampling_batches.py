"""Batches as functions of (seed, step): epochs, concept-balanced pairs, anchored groups, mention views."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.sampling import batches_per_epoch, epoch_batch, items_by_concept, pair_batch
from benchlib.sampling.epochs import generator
from study.systems.cosines.groups import AnchoredGroups
from study.systems.krissbert.mention_pairs import mention_view

seeds = st.integers(0, 2**40)
sizes = st.integers(1, 20)
counts = st.integers(1, 60)


@given(counts, sizes, seeds, st.integers(0, 3))
def test_an_epoch_visits_each_item_once_in_batches_of_nearly_equal_size(n, size, seed, epoch):
    count = batches_per_epoch(n, size)
    batches = [epoch_batch(n, size, seed, epoch * count + place) for place in range(count)]
    assert sorted(np.concatenate(batches).tolist()) == list(range(n))
    lengths = {len(batch) for batch in batches}
    assert max(lengths) <= size and max(lengths) - min(lengths) <= 1
    # One batch fewer would not hold them.
    assert (count - 1) * size < n <= count * size


def test_each_epoch_and_each_seed_has_its_own_order():
    def epoch(seed: int, number: int) -> list[int]:
        return [i for step in range(10) for i in epoch_batch(100, 10, seed, 10 * number + step)]

    orders = [epoch(seed, number) for seed in range(4) for number in range(4)]
    assert len({tuple(order) for order in orders}) == 16
    # Shuffled: an item is in the first batch of an epoch as often as chance has it (400 × 0.1, sd 6).
    assert 16 < sum(0 in epoch_batch(100, 10, 5, 10 * e) for e in range(400)) < 64


def test_purposes_and_positions_do_not_share_random_numbers():
    # numpy pads its seeds with zeros, so that [1, 2] and [1, 2, 0] are the same to it.
    positions = [("a", 1, 2), ("b", 1, 2), ("a", 1, 2, 0), ("a", 2, 1), ("a", 1), ("a", 1, 0)]
    assert len({generator(*position).random() for position in positions}) == len(positions)


def test_the_items_of_a_concept_by_hand():
    labels = ["D2", "D1", "D2", "D3", "D1", "D2"]
    assert [items.tolist() for items in items_by_concept(labels)] == [[1, 4], [0, 2, 5]]


labellings = st.lists(st.integers(0, 12), min_size=2, max_size=60).filter(
    lambda labels: max(Counter(labels).values()) > 1
)


@given(labellings, st.integers(1, 8), seeds)
def test_pair_batches_visit_every_concept_with_a_pair_once_an_epoch(labels, concepts, seed):
    expected = sorted(label for label, n in Counter(labels).items() if n > 1)
    items = items_by_concept(labels)
    visited = []
    for step in range(batches_per_epoch(len(items), concepts)):
        batch = pair_batch(items, seed, step, concepts)
        assert batch.shape[0] <= concepts and batch.shape[1] == 2
        for row in batch.tolist():
            (label,) = {labels[item] for item in row}
            visited.append(label)
            assert row[0] != row[1]
    assert sorted(visited) == expected


def test_pairs_change_from_epoch_to_epoch():
    items = items_by_concept([0] * 10 + [1] * 10)
    pairs = {tuple(sorted(row)) for step in range(50) for row in pair_batch(items, 3, step).tolist()}
    assert len(pairs) > 50  # of 90


entities = st.lists(st.integers(0, 15), min_size=1, max_size=30)


@given(entities, st.integers(1, 8), st.integers(2, 12), seeds)
def test_groups_are_anchored_and_an_epoch_deals_every_mention_to_one(numbers, groups, size, seed):
    anchors, mentions, item = [], [], 0
    for n in numbers:
        anchors.append(item)
        mentions.append(list(range(item + 1, item + 1 + n)))
        item += 1 + n
    sampled = AnchoredGroups(anchors, mentions, size)
    expected = [max(1, math.ceil(n / (size - 1))) for n in numbers]
    assert len(sampled) == sum(expected)
    assert sampled.batches(groups) == math.ceil(sum(expected) / groups)
    for first in (0, sampled.batches(groups)):
        visited, dealt = Counter(), Counter()
        for step in range(first, first + sampled.batches(groups)):
            batch = sampled.batch(seed, step, groups)
            assert batch.shape[0] <= groups and batch.shape[1] == size
            for row in batch.tolist():
                entity = anchors.index(row[0])
                visited[entity] += 1
                assert set(row) <= {anchors[entity], *mentions[entity]}
                times = Counter(row)
                assert max(times.values()) - min(times.values()) <= 1
                assert times[row[0]] == max(times.values())
                dealt.update(set(row) - {row[0]})
        assert [visited[entity] for entity in range(len(numbers))] == expected
        assert dealt == Counter(i for items in mentions for i in items)


def test_the_batch_of_the_paper_and_small_entities():
    anchors = [20 * e for e in range(40)]
    mentions = [list(range(a + 1, a + 10)) for a in anchors]
    sampled = AnchoredGroups(anchors, mentions)
    assert sorted(sampled.batch(1, step).shape for step in range(3)) == [(13, 10), (13, 10), (14, 10)]
    assert AnchoredGroups(anchors[:32], mentions[:32]).batch(1, 0).size == 160
    assert AnchoredGroups([7], [[]], size=3).batch(1, 0).tolist() == [[7, 7, 7]]
    (row,) = AnchoredGroups([7], [[8, 9]], size=7).batch(1, 0).tolist()
    assert row[0] == row[3] == row[6] == 7 and row[1:3] == row[4:6] and set(row[1:3]) == {8, 9}
    # Ten mentions make two groups of five, and other ones in the next epoch.
    ten = AnchoredGroups([0], [range(1, 11)])
    epochs = [{frozenset(row) for row in ten.batch(2, step, 2).tolist()} for step in range(2)]
    assert all(sorted(map(len, parts)) == [6, 6] for parts in epochs) and epochs[0] != epochs[1]


def test_groups_that_are_not_filled_stay_short():
    # As in the released script ten mentions are nine and one, and the entity without any is left out.
    sampled = AnchoredGroups([0, 20, 30], [range(1, 11), [], [31, 32]], filled=False)
    assert len(sampled) == 3
    nine, one, two = sorted(sampled.batch(2, 0).tolist(), key=lambda row: (row[0], row.count(-1)))
    assert nine[0] == one[0] == 0 and {*nine[1:], one[1]} == {*range(1, 11)} and one[2:] == [-1] * 8
    assert two[0] == 30 and {*two[1:3]} == {31, 32} and two[3:] == [-1] * 7
    assert sorted(sampled.batch(2, 1).tolist()) != sorted([nine, one, two])  # dealt anew


def test_mentions_are_masked_and_replaced_as_often_as_asked():
    how = ("fever", ["pyrexia", "febrile state"], 4)
    views = Counter(mention_view(*how, step, item, 0.2, 0.2) for step in range(100) for item in range(50))
    # Of 5,000: 1,000 masked, 1,000 replaced by either synonym, sd 28 and 21.
    assert abs(views[None] - 1000) < 140
    assert abs(views["pyrexia"] - 500) < 110 and abs(views["febrile state"] - 500) < 110
    assert views["fever"] == 5000 - views[None] - views["pyrexia"] - views["febrile state"]


def test_the_extreme_shares_of_masking_and_replacement():
    for item in range(30):
        assert mention_view("a", ["b"], 0, 0, item, 0.0, 0.0) == "a"
        assert mention_view("a", ["b"], 0, 0, item, 1.0, 0.0) is None
        assert mention_view("a", ["b"], 0, 0, item, 0.0, 1.0) == "b"
        assert mention_view("a", [], 0, 0, item, 0.0, 1.0) == "a"


@given(seeds, st.integers(0, 10**6), st.integers(0, 10**9))
def test_the_same_seed_and_step_give_the_same_batch_whatever_was_asked_before(seed, step, other):
    items = items_by_concept([0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3])
    anchors, mentions = [0, 10, 20], [range(1, 9), range(11, 14), []]

    def batch(at: int):
        pairs, groups = (
            pair_batch(items, seed, at, 3),
            AnchoredGroups(anchors, mentions, 5).batch(seed, at, 2),
        )
        views = [mention_view("a", ["b", "c"], seed, at, item, 0.2, 0.2) for item in range(5)]
        return pairs.tolist(), groups.tolist(), views

    first = batch(step)
    np.random.seed(seed % 2**32)
    batch(other)
    assert batch(step) == first
    # A batch that is changed by its user changes no other.
    order = epoch_batch(50, 10, seed, step)
    with pytest.raises(ValueError, match="read-only"):
        order[0] = 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: epoch_batch(0, 4, 0, 0), "found 0 and 4"),
        (lambda: epoch_batch(4, 0, 0, 0), "found 4 and 0"),
        (lambda: epoch_batch(5, 2, -1, 0), "expected non-negative"),
        (lambda: epoch_batch(5, 2, 0, -1), "expected non-negative"),
        (lambda: items_by_concept(["a", "b", "c"]), "found 3 concepts of 3 items"),
        (lambda: items_by_concept([]), "found 0 concepts"),
        (lambda: pair_batch([np.arange(2)] * 2, 0, 0, 0), "batches of at least 1, found 2 and 0"),
        *[
            (lambda mask=mask, other=other: mention_view("a", ["b"], 0, 0, 0, mask, other), "p_mask")
            for mask, other in ((-0.1, 0.2), (0.2, -0.1), (0.6, 0.6), (float("nan"), 0.1))
        ],
    ],
)
def test_what_cannot_be_sampled_is_an_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()
