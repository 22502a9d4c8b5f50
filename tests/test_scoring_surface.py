"""Classes of surface form: the paper's own examples, every clause of the rule, and its order."""

import pytest
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.ontology import Concept, Ontology
from study.measurements.surface import SURFACE, surface

NAMES = {
    "android": "Android", "basic": "Visual Basic", "assembly": "IBM Basic Assembly Language (BAL)",
    "nes": "Netscape Enterprise Server", "iib": "IBM Integration Bus", "cordova": "Apache Cordova",
    "mq": "IBM Websphere MQ", "client": "MQ Client", "liberty": "WebSphere Liberty", "vpn": "Open VPN",
    "power": "IBM Power Systems", "jboss": "JBoss|*", "iis": "IIS|*", "zero": "ZeroMQ",
    "vmware": "VMware ESXi", "redhat": "Linux|Red Hat Enterprise Linux", "c": "C", "sharp": "C#|*",
    "r": "R", "soa": "Service of the Open Architecture",
}  # fmt: skip
ONTOLOGY = Ontology("software", [Concept(id, (name,)) for id, name in NAMES.items()])


def classes(*mentions: tuple[str, str]) -> list[str]:
    return surface(Corpus("t", (document("1", *mentions),)), ONTOLOGY).tolist()


@pytest.mark.parametrize(
    ("mention", "gold", "expected"),
    [
        # Table 2 of the paper.
        ("Andriod", "android", "misspelling"),
        ("Visusal Basic", "basic", "misspelling"),
        ("NES", "nes", "acronym"),
        ("IIB", "iib", "acronym"),
        ("Cordova Android", "cordova", "multi-match"),
        ("MQ 9.1", "mq", "multi-match"),
        ("Open Liberty", "liberty", "multi-match"),
        ("AS400", "power", "no-match"),
        ("EAP", "jboss", "no-match"),
        # The same letters and digits, and no others.
        ("android", "android", "exact"),
        ("JBOSS", "jboss", "exact"),
        ("Websphere_MQ (IBM)", "mq", "multi-match"),
        ("C#", "sharp", "exact"),
        ("C", "sharp", "no-match"),
        ("Android", "basic", "no-match"),
        # Initials on either side: of some words, of CamelCase, with a number, of two to six letters.
        ("RHEL 7.4", "redhat", "acronym"),
        ("RHEL7 Server", "redhat", "acronym"),
        ("ZMQ", "zero", "acronym"),
        ("Microsoft Internet Information Services 7", "iis", "acronym"),
        ("BAL", "assembly", "acronym"),
        ("R", "redhat", "no-match"),
        ("LRHELX", "redhat", "no-match"),
        # Not initials: the start of a word, words that stand there in full, other words between.
        ("VM", "vmware", "no-match"),
        ("IBM IB Bus", "iib", "multi-match"),
        ("NS", "nes", "no-match"),
        # One error in a word of five letters or more, of each sort; two are too many.
        ("Adroid", "android", "misspelling"),
        ("Anddroid", "android", "misspelling"),
        ("Endroid", "android", "misspelling"),
        ("Nardoid", "android", "no-match"),
        ("Anrdoid 7", "android", "misspelling"),
        ("Androids", "android", "single match"),
        ("Bisic", "basic", "misspelling"),
        ("Liberti", "android", "no-match"),
        ("Androidjs", "android", "no-match"),
        ("Bust", "iib", "no-match"),
        # A word of another name is no misspelling of one's own.
        ("Visual", "basic", "single match"),
        ("Open", "liberty", "no-match"),
        # Words written together, with a number, and words that do not count.
        ("Redhat", "redhat", "single match"),
        ("Red-Hat 6", "redhat", "single match"),
        ("android6", "android", "single match"),
        ("Zero MQ 3", "zero", "multi-match"),
        ("5.1 of the", "soa", "no-match"),
        ("IBM", "power", "multi-match"),
        ("Cordova", "cordova", "single match"),
        ("anything", "", "nil"),
    ],
)
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
