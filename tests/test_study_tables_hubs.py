"""The answer that is given most, and how often it is gold, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest
from ranked import GONE, record, runs
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from study import tables
from study.measurements.golds import frequent_golds
from study.records import Record
from study.records.outcomes import table_of_outcomes
from study.tables.hubs import most_frequent


def answering(*concepts, path=""):
    of = record([0] * len(concepts))
    answered = replace(of.outcomes, top=np.array(concepts, dtype=object))
    return replace(of, table=table_of_outcomes(answered), path=path)


def counted(**golds) -> Record:
    return Record({}, {}, values={"mentions": 6, "golds": golds}, path="data/records/g.json")


def test_the_most_frequent_answer_of_each_seed_and_how_often_it_is_gold():
    seeds = [
        answering("D1", "D2", "D2", "", "", "", path="data/records/h.json"), answering(*["D3"] * 6),
    ]  # fmt: skip
    found = [runs("hub", *seeds), runs("lost", None), runs("theirs", reason=GONE)]
    found.append(runs("mute", answering("", "")))
    table = tables.most_predicted(found, {"toy": counted(D1=3, D2=1)})
    # Two of six and six of six, unanswered mentions counted; D3 is not among the frequent golds.
    answer = '<a href="../data/records/h.html">33.3</a>, 100.0'
    assert table["answer to, %"].tolist() == [answer, "NOT RUN", GONE, "0.0"]
    first, *others = table["gold of, %"]
    assert first == '<a href="../data/records/g.html">16.7, &lt; 0.1</a>' and others[:2] == ["", ""]
    assert table["concept"].tolist() == ["D2, D3", "", "", "none"]
    assert table["system"][0] == '<a href="../data/records/h.html">hub</a>'
    assert tables.most_predicted(found[:1], {"toy": None})["gold of, %"].tolist() == ["NOT RUN"]


def test_of_two_that_answer_as_many_it_is_the_first_by_its_id():
    assert most_frequent(answering("D2", "D1", "D2", "D1", "D3").outcomes) == ("D1", pytest.approx(0.4))


def test_golds_are_counted_by_concept_and_rare_ones_are_not_listed():
    # Cold, FEVER (OMIM:3 is D3), ague, shivers, nothing, cold fever (D1 and D3), cold (D4): seven mentions.
    assert frequent_golds(BENCHMARK) == {"mentions": 7, "golds": {"D3": 4, "D1": 2, "D4": 1}}
    for more, golds in ((0, {"D2": 998, "D3": 1}), (1, {"D2": 999})):  # of 1,000 mentions, of 1,001
        mentions = [("cold", "D2")] * (998 + more) + [("fever", "D3"), ("elsewhere", "X9")]
        many = replace(BENCHMARK, test=Corpus("t", (document("1", *mentions),)))
        assert frequent_golds(many) == {"mentions": 1000 + more, "golds": golds}
