"""Which chapters ask for a record: of the published ones each is asked for by one, or it is shown nowhere."""

import pytest
from small_study import write_study

from study.chapters.jobs import DataRef, Job
from study.chapters.uses import Use, uses
from study.records import published
from study.records.record import stem_of

CHAPTER = """
datasets:
  real: {bc2gn: BC2}
systems:
  exact: {label: Exact, linker: exact}
  prior: {label: Prior, linker: prior, seeds: [0, 1]}
runs:
  test: {data: real, systems: [exact, prior]}
  again: {data: real, systems: [exact]}
measured:
  cards: {measurement: card, data: real}
items:
  Table 1: {runs: [test, again], anchor: tab-1}
  Table 2: {measured: cards, anchor: tab-2}
  Figure 1: {runs: test, anchor: fig-1}
  Figure 2: {reason: "no data"}
"""


@pytest.fixture
def asked(tmp_path):
    """What one small chapter asks for."""
    return uses(write_study(tmp_path, 'scale = "open"\ncompute = "missing"\n', tiny=CHAPTER))


def stem(job: Job) -> str:
    return stem_of(job.inputs)


def test_a_record_knows_every_run_set_that_asks_for_it_and_where_it_is_shown(asked):
    data = DataRef("bc2gn")
    exact, prior = Job(data, linker="exact"), Job(data, linker="prior", seed=1)
    first = Use("tiny", "test", "A small study", (("Table 1", "tab-1"), ("Figure 1", "fig-1")))
    assert asked[stem(exact)] == [first, Use("tiny", "again", "A small study", (("Table 1", "tab-1"),))]
    assert asked[stem(prior)] == [first] and first.command == "study run tiny --set test"
    assert [use.places for use in asked[stem(Job(data, measurement="card"))]] == [(("Table 2", "tab-2"),)]
    assert stem(Job(data, linker="tfidf")) not in asked and len(asked) == 4


def test_every_published_record_is_asked_for_by_a_chapter():
    asked = uses()
    unused = [record.stem for record in published() if record.stem not in asked]
    assert not unused, "\n".join([f"{len(unused)} records that no chapter asks for:", *unused])
