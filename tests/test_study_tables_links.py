"""What is shown from records leads to each of them."""

import re
from collections import defaultdict

from ranked import record, runs, strata

from benchlib.scoring import Scoring
from study import tables
from study.pages.show import Markup
from study.records import Record
from study.tables.links import each, system

STRICT = Scoring()


def published(name: str, ranks=(1, 0), **of) -> Record:
    return record(list(ranks), path=f"data/records/{name}.json", **of)


def links(cell: str) -> dict[str, str]:
    """What a cell leads to, by the text of each link."""
    found = re.findall(r'<a href="\.\./data/records/(\w+)\.html">([^<]*)</a>', cell)
    return {text: name for name, text in found}


def plain(cell: str) -> str:
    return re.sub(r"<[^>]*>", "", cell)


def test_the_value_of_every_seed_leads_to_its_own_record():
    found = [runs("s", published("s0", (1, 0)), published("s1", (1, 1)), published("s2", (0, 0)))]
    [cell] = tables.accuracy(found, STRICT, (1,))["seeds @1"]
    assert links(cell) == {"50.0": "s0", "100.0": "s1", "0.0": "s2"}
    assert plain(cell) == "50.0, 100.0, 0.0" and isinstance(cell, Markup)


def test_the_value_of_every_fold_leads_to_its_own_record_seed_by_seed():
    first = [published("a1", (1, 0)), published("a2", (1, 1))]
    second = [published("b1", (0, 0)), published("b2", (1, 1))]
    table = tables.folds([runs("f", first, second)], STRICT)
    [cell] = table["each fold"]
    assert plain(cell) == "50.0, 100.0; 0.0, 100.0"
    assert re.findall(r"records/(\w+)\.html", cell) == ["a1", "a2", "b1", "b2"]
    # Five of eight: three of four with the first seed, two with the second.
    assert table["accuracy"][0].startswith("62.5 [")


def test_both_systems_of_a_pair_lead_to_all_that_was_compared():
    several = runs("several", published("s0"), published("s1"))
    one = runs("one", published("o0"))
    row = tables.paired([several, one], [("several", "one")], STRICT).iloc[0]
    assert plain(row["first"]) == "several (records 1, 2)"
    assert links(row["first"]) == {"several": "s0", "1": "s0", "2": "s1"}
    assert row["second"] == '<a href="../data/records/o0.html">one</a>'


def test_records_of_this_machine_are_no_links_and_what_is_escaped_stays_so():
    local = [record([1]), record([0])]
    assert each(["a<b", "c"], local) == "a<b, c" and not isinstance(each(["a", "b"], local), Markup)
    mixed = each(["a<b", "c"], [record([1]), published("p", (1,))])
    assert mixed == 'a&lt;b, <a href="../data/records/p.html">c</a>'
    assert system(runs("x", *local)) == "x" and system(runs("y", None)) == "y"


def test_a_damaged_mention_leads_to_both_runs_and_to_what_says_which_are_damaged():
    mask = Record({}, {}, values={"misspelt": [0]}, path="data/records/mask.json")
    before = runs("a", published("before"))
    after = runs("a", published("after"), changes=("misspelt:test",))
    row = tables.perturbation_table([before], {"misspelt": [after]}, {"toy": mask}, STRICT).iloc[0]
    assert links("".join(row)) == {"misspelt": "mask", "a": "after", "100.0": "after"}
    assert "before.html" in row["intact"] and "after.html" in row["changed"]


def test_a_class_leads_to_its_count_and_its_scores_to_their_run():
    counted = Record({}, {}, values={"seen": [0]}, path="data/records/surface.json")
    row = tables.classes([runs("a", published("run"))], {"toy": counted}, STRICT).iloc[0]
    assert links(row["class"]) == {"seen": "surface"} and "run" in links(row["a"]).values()
    examples = Record({}, {}, values={"seen": [["m", "g", "x"]]}, path="data/records/errors.json")
    assert links(tables.examples({"toy": examples})["class"][0]) == {"seen": "errors"}


def test_a_threshold_leads_to_the_run_on_dev_that_chose_it():
    kinds = Record({}, {}, path="data/records/kinds.json")
    kinds.__dict__["strata"] = strata(nil=[True, False], reachable=[False, True])
    test = runs("a", published("test", (None, 1), scores=[0.1, 0.9]), kinds=kinds)
    dev = runs("a", published("dev", (None, 1), scores=[0.2, 0.8]), kinds=kinds)
    row = tables.nil_detection([test], [dev]).iloc[0]
    assert links(row["system"]) == {"a": "test"} and links(row["threshold"]) == {"0.2": "dev"}


def test_strata_and_areas_lead_to_every_seed():
    kinds = Record({}, {}, path="data/records/kinds.json")
    kinds.__dict__["strata"] = strata(seen_name=[True, True])
    several = runs("s", published("s0"), published("s1"), kinds=kinds)
    table = tables.by_stratum([several], ["seen name"], STRICT)
    assert set(links(table["linker"][0]).values()) == {"s0", "s1"}
    nil = [published(name, (None, 1), scores=[0.1, 0.9]) for name in ("n0", "n1")]
    assert set(links(tables.areas([runs("n", *nil)], "n")["system"][0]).values()) == {"n0", "n1"}


def test_a_count_beside_a_printed_one_leads_to_its_card():
    card = Record({}, {}, values=defaultdict(int), path="data/records/card.json")
    table = tables.statistics("cosines_table4", {"ncbi-disease": card})
    assert links(table["ours"][0]) == {"0": "card"} and "NOT RUN" in set(table["ours"])


def test_a_linkers_name_breaks_after_a_comma_and_is_escaped():
    told = runs("a", linker="tfidf,ngrams=2-4,model=<b>", changes=("add-names:train", "hold-out:x"))
    [row, other] = tables.by_name([told, runs("exact")]).to_dict("records")
    assert row["linker"] == "tfidf,<wbr>ngrams=2-4,<wbr>model=&lt;b&gt;"
    assert row["benchmark"] == "add-names:train, hold-out:x"
    assert (other["linker"], other["benchmark"]) == ("exact", "")
