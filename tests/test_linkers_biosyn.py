"""BioSyn on the embedded corpus with an encoder trained from nothing, and its parts by plain computation."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from linking import DOCUMENTS, MINI, VISIBLE, Killed, descending, goes_on_after_a_kill, recalled
from safetensors.torch import load_file
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.encoders import Backbone, text_inputs
from benchlib.linker import name_candidates
from benchlib.ontology import fold_name
from benchlib.training import Training
from study.systems.baselines import dense_sparse
from study.systems.baselines.biosyn import BioSynLinker, Vectors, summed_search, training_strings
from study.systems.baselines.dense_sparse import Scorer, SynonymBatch

NAMES = list(MINI.ontology.owners())
STRINGS = training_strings(MINI, name_candidates(MINI.ontology))


def small(encoder, **settings):
    return BioSynLinker(encoder, **{"learning_rate": 1e-3, "precision": "fp32", "progress": False} | settings)


def cls_vectors(backbone: Backbone, texts) -> np.ndarray:
    """One text at a time, without padding."""
    with torch.no_grad():
        ids = [backbone.tokenizer(text, return_tensors="pt")["input_ids"] for text in texts]
        return np.concatenate([backbone.network(one).last_hidden_state[:, 0].numpy() for one in ids])


def dense_scores(backbone: Backbone, texts) -> np.ndarray:
    return cls_vectors(backbone, texts) @ cls_vectors(backbone, NAMES).T


def sparse_scores(texts) -> np.ndarray:
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 2)).fit(NAMES)
    return (vectorizer.transform(texts) @ vectorizer.transform(NAMES).T).toarray()


def test_strings_to_train_on_and_their_synonyms():
    candidates = name_candidates(BENCHMARK.ontology)
    assert [c.name for c in candidates] == ["cold", "common cold", "low temperature", "fever", "pyrexia"]
    # "cold" is a training mention of D2 and of D1.
    assert training_strings(BENCHMARK, candidates) == {"cold": {0, 1, 2}, "shivers": {3, 4}}
    # OMIM:3 is D3; "nothing" is NIL, "cold fever" has two parts, and D4, known, has no name.
    others = training_strings(replace(BENCHMARK, train=BENCHMARK.test), candidates)
    assert others == {"cold": {0, 1}, "fever": {3, 4}, "ague": {3, 4}, "shivers": {3, 4}}


@pytest.mark.parametrize("k", [1, 7, 50])
def test_the_search_is_a_dense_computation_ties_included(monkeypatch, k):
    monkeypatch.setattr("benchlib.retrieval.hybrid._QUERIES", 3)
    monkeypatch.setattr("benchlib.retrieval.hybrid._NAMES", 7)
    rng = np.random.default_rng(0)
    # Small whole numbers and a weight of 1/2: sums are exact, and many are equal.
    dense = [rng.integers(-2, 3, (n, 4)).astype(np.float32) for n in (8, 40)]
    sparse = [rng.integers(0, 3, (n, 6)).astype(np.float32) for n in (8, 40)]
    queries, names = (Vectors(d, csr_matrix(s)) for d, s in zip(dense, sparse, strict=True))
    index, scores = summed_search(queries, names, 0.5, k)
    expected = dense[0] @ dense[1].T + 0.5 * sparse[0] @ sparse[1].T
    order = np.argsort(-expected, axis=1, kind="stable")[:, :k]
    assert any(len(set(row)) < len(row) for row in expected.tolist())
    assert index.dtype == np.int32 and (index == order).all()
    assert scores.dtype == np.float32 and (scores == np.take_along_axis(expected, order, axis=1)).all()
    for few, n in ((names, 0), (Vectors(names.dense[:0], names.sparse[:0]), k)):
        with pytest.raises(ValueError, match="expected k of at least 1 and a name"):
            summed_search(queries, few, 0.5, n)
    with pytest.raises(ValueError, match="expected a sparse vector for each of 8, found 1"):
        summed_search(Vectors(queries.dense, queries.sparse[:1]), names, 0.5, k)


def test_one_step_and_the_ranking_after_it_by_plain_computation(encoder):
    # All strings in one batch with all names: a single step, in which AdamW moves each weight by its rate.
    linker = small(encoder, epochs=1, batch=1000, candidates=400, sparse_weight=3.0).fit(VISIBLE)
    dense = dense_scores(Backbone.load(encoder), STRINGS)
    shares = np.exp(dense - dense.max() + 3 * sparse_scores(STRINGS))
    owned = zip(shares, STRINGS.values(), strict=True)
    likelihoods = [row[list(own)].sum() / row.sum() for row, own in owned]
    (step,) = linker.trace
    assert step["loss"] == pytest.approx(-np.log(likelihoods).mean(), abs=1e-3)
    assert abs(linker.trained_sparse_weight - 3) == pytest.approx(0.01, rel=1e-3)
    assert linker.sparse_weight == 3
    predictions = linker.link(DOCUMENTS[:2], k=5)
    mentions = [fold_name(d.text[m.start : m.end]) for d in DOCUMENTS[:2] for m in d.mentions]
    expected = dense_scores(linker.backbone, mentions) + linker.trained_sparse_weight * sparse_scores(
        mentions
    )
    assert predictions.scores == pytest.approx(descending(expected, 5), abs=1e-3)
    first = expected[np.arange(len(mentions)), predictions.index[:, 0]]
    assert first == pytest.approx(expected.max(1), abs=1e-3)


def test_scores_of_a_batch_and_the_gradient_of_the_sparse_weight(encoder):
    backbone = Backbone.load(encoder)
    texts = ["cold", "fever", "common cold"]
    place, sparse = torch.tensor([[0, 1, 0], [2, 1, 0]]), torch.tensor([[0.5, 0.25], [1.0, 2.0]])
    batch = SynonymBatch(text_inputs(backbone, texts), place, sparse, sparse > 0)
    scorer = Scorer(backbone, 0.5, speed=1000)
    scores = scorer(batch)
    cold, fever, common = cls_vectors(backbone, texts)
    dense = np.array([[cold @ fever, cold @ cold], [common @ fever, common @ cold]])
    assert scores.detach().numpy() == pytest.approx(dense + 0.5 * sparse.numpy(), abs=1e-3)
    scores.sum().backward()
    assert scorer.slow.grad == pytest.approx(3.75)


def test_scores_are_made_in_single_precision_under_autocast(encoder, monkeypatch):
    vectors = torch.ones(2, 384)
    vectors[1, 0] = 0.5
    monkeypatch.setattr(dense_sparse, "embed", lambda *_, **settings: vectors)
    batch = SynonymBatch([], torch.tensor([[0, 0, 1]]), torch.zeros(1, 2), torch.zeros(1, 2).bool())
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert Scorer(Backbone.load(encoder).cpu(), 0.0, speed=1)(batch).tolist() == [[384.0, 383.5]]


def test_training_teaches_unseen_strings(encoder):
    # A rate at which the encoder stays as it is: what λ learns is what TF-IDF gives.
    before = recalled(small(encoder, epochs=1, learning_rate=1e-12).fit(VISIBLE), kind="no name")
    linker = small(encoder, epochs=12).fit(VISIBLE)
    assert recalled(linker, kind="no name") > before + 0.12
    assert linker.trace[-1]["step"] == 12 * -(-len(STRINGS) // 16)
    assert linker.trained_sparse_weight > 0


def test_a_killed_training_goes_on_to_the_same_end(encoder, tmp_path, monkeypatch):
    embed = dense_sparse.embed

    def once(backbone, inputs, *args, **settings):
        assert len(set(inputs)) == len(inputs), "no string is read twice in a batch"
        return embed(backbone, inputs, *args, **settings)

    monkeypatch.setattr(dense_sparse, "embed", once)
    steps = -(-len(STRINGS) // 40)
    # In the middle of the second epoch: its candidates are those of an encoder that is no more.
    made = small(encoder, epochs=3, batch=40)
    goes_on_after_a_kill(monkeypatch, made, tmp_path / "checkpoints", dense_sparse, "embed", steps + 2)
    # Deleting them is left to who asked for them.
    assert list((tmp_path / "checkpoints").glob("checkpoint-*"))


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_candidates_of_a_training_are_of_both_kinds(encoder, tmp_path, monkeypatch, share):
    monkeypatch.setattr("benchlib.training.Training", partial(Training, checkpoint_minutes=0))
    embeds = iter([dense_sparse.embed])  # a single step

    def until(*given, **settings):
        for embed in embeds:
            return embed(*given, **settings)
        raise Killed

    monkeypatch.setattr(dense_sparse, "embed", until)
    with pytest.raises(Killed):
        small(encoder, dense_share=share, checkpoints=tmp_path).fit(VISIBLE)
    (written,) = tmp_path.glob("checkpoint-*/tensors.safetensors")
    found = load_file(written)["carried/candidates"].numpy()
    assert found.shape == (len(STRINGS), 20)
    dense, sparse = dense_scores(Backbone.load(encoder), STRINGS), sparse_scores(STRINGS)
    n_sparse = 20 - round(20 * share)
    for row, chosen in enumerate(found):
        assert len(set(chosen)) == 20
        first, then = chosen[:n_sparse], chosen[n_sparse:]
        # By score, since equal scores may come in any order.
        assert sparse[row, first] == pytest.approx(-np.sort(-sparse[row])[:n_sparse], abs=1e-5)
        best = -np.sort(-np.delete(dense[row], first))[: 20 - n_sparse]
        assert dense[row, then] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(
    ("candidates", "share"), [(20, -0.05), (20, 1.05), (20, 0.33), (5, 0.5), (20, float("nan"))]
)
def test_an_impossible_share_is_an_error(candidates, share):
    with pytest.raises(ValueError, match="dense_share"):
        BioSynLinker(candidates=candidates, dense_share=share)


UNUSABLE = Corpus("unusable", (document("1", ("x", ""), ("y", "D1+D3"), ("z", "D9")),))


def test_nothing_to_train_on_is_an_error(encoder):
    with pytest.raises(ValueError, match="benchmark toy: .* one gold concept .* found none among 3"):
        small(encoder).fit(replace(BENCHMARK, train=UNUSABLE))
