"""Classes of surface form: the paper's own examples, every clause of the rule, and its order."""

import pandas as pd
import pytest
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.ontology import Concept, Ontology
from study.measurements.surface import SURFACE, surface
from study.places import ROOT

NAMES = {
    "android": "Android", "basic": "Visual Basic", "assembly": "IBM Basic Assembly Language (BAL)",
    "nes": "Netscape Enterprise Server", "iib": "IBM Integration Bus", "cordova": "Apache Cordova",
    "mq": "IBM Websphere MQ", "client": "MQ Client", "liberty": "WebSphere Liberty", "vpn": "Open VPN",
    "power": "IBM Power Systems", "jboss": "JBoss|*", "iis": "IIS|*", "zero": "ZeroMQ",
    "vmware": "VMware ESXi", "redhat": "Linux|Red Hat Enterprise Linux", "c": "C", "sharp": "C#|*",
    "r": "R", "soa": "Service of the Open Architecture",
}  # fmt: skip
ONTOLOGY = Ontology("software", [Concept(id, (name,)) for id, name in NAMES.items()])
# The last column says what a row is an example of.
SURFACES = pd.read_csv(ROOT / "tests" / "data" / "surface_classes.csv", dtype=str, keep_default_na=False)


def classes(*mentions: tuple[str, str]) -> list[str]:
    return surface(Corpus("t", (document("1", *mentions),)), ONTOLOGY).tolist()


@pytest.mark.parametrize(("mention", "gold", "expected"), SURFACES[["mention", "gold", "class"]].to_numpy())
def test_the_class_of_a_mention(mention, gold, expected):
    assert classes((mention, gold)) == [expected]


def test_every_class_is_described_and_every_mention_has_one_in_order():
    found = surface(BENCHMARK.test, BENCHMARK.ontology)
    assert found.index.tolist() == list(range(BENCHMARK.test.n_mentions))
    # Cold, FEVER by an alternative id, ague; shivers, NIL, two golds of which the second has the word, a
    # concept without a name.
    expected = ["exact", "exact", "no-match", "no-match", "nil", "multi-match", "no-match"]
    assert found.tolist() == expected and set(found) <= set(SURFACE)


def test_names_of_all_golds_count_and_the_order_of_concepts_does_not():
    mentions = [("Cordova", "cordova"), ("Android Cordova", "cordova+android"), ("Andriod", "basic|android")]
    assert classes(*mentions) == ["single match", "single match", "misspelling"]
    turned = Ontology("turned", reversed(ONTOLOGY.concepts.values()))
    corpus = Corpus("t", (document("1", *((name + " 5", id) for id, name in NAMES.items())),))
    assert surface(corpus, ONTOLOGY).tolist() == surface(corpus, turned).tolist()


def test_a_mention_without_gold_is_an_error():
    with pytest.raises(ValueError, match="without gold"):
        surface(BENCHMARK.test.hidden(), BENCHMARK.ontology)
