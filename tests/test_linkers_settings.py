"""Linkers printed and parsed by their settings, and the configurations that key their runs."""

import copy
import json
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

import pytest
from tiny import tiny_encoder

from benchlib.corpus import Document, Mention
from study.systems import CATALOGUE, EncoderLinker, PriorLinker, TfidfLinker, TunedLinker, linker
from study.systems.encoders import RECIPES
from study.systems.settings import Settings, parsed

NAMES = [
    "exact",
    "prior",
    "prior,learns=train+dev",
    "tfidf",
    "tfidf,ngrams=2-4,analyzer=char_wb",
    "encoder",
    "encoder,pooling=cls",
    "encoder,model=minilm+pubmed",
    "tuned,layers=1,loss=triplet,steps=15,learning_rate=0.0005,precision=fp32",
    "cosines,learns=train+dev",
    "cosines,layers=2,margin=0.5,learning_rate=1e-06,evaluate_epochs=1",
    "biosyn,epochs=1",
    "bm25,k1=0.9",
    "bi-encoder,loss=ce-cosine,alpha=20,delta=0.05,negatives=mixed,score=dot",
    "frozen-bi-encoder,loss=ce-cosine,n_negatives=32",
    "collective,negatives=mixed,chunks=authors,beside=masked",
    "krissbert,learns=train,references=True,prototypes=both,per_concept=None",
    "krissbert,references=True,names=preferred,contrast=False",
    "cross-encoder,first=krissbert;references=True,learns=text",
    "cross-encoder,first=bi-encoder;loss=ce;steps=100,candidates=8",
    "cross-encoder,first=bi-encoder;epochs=7,head_rate=0.003,epochs=5,mix=dev",
]


@dataclass
class Every(Settings):
    """A setting of each type there is."""

    text: str = "a"
    maybe: str | None = None
    whole: int = 1
    part: float = 0.5
    limit: float | None = 1.0
    yes: bool = True
    progress: bool = field(default=True, compare=False)
    base = "every"


@pytest.mark.parametrize("name", NAMES)
def test_a_linker_prints_as_the_name_it_was_made_by(name):
    assert linker(name).name == name
    assert linker(name) == linker(linker(name).name)
    json.dumps(linker(name).config)


def test_every_base_makes_its_class_and_every_setting_is_printed():
    for base, kind in CATALOGUE.items():
        made = linker(base)
        assert type(made) is kind and made.name == base and made == kind()
        left_out = {"progress", "checkpoints", *kind.later}
        assert set(made.config) == {one.name for one in fields(kind)} - left_out


def test_a_later_setting_is_configuration_where_it_is_not_the_default():
    @dataclass
    class Grown(Settings):
        old: int = 1
        new: float = 2.0
        base, later = "grown", ("new",)

    assert Grown().config == {"old": 1} == Grown(new=2).config
    assert Grown(new=3).config == {"old": 1, "new": 3.0}
    assert Grown(new=3).name == "grown,new=3"


def test_order_and_spelling_of_the_settings_do_not_matter():
    made = linker("cosines,mining=batch-all,layers=2,learning_rate=1e-4")
    assert made.name == "cosines,layers=2,learning_rate=0.0001,mining=batch-all"
    assert linker("encoder,pooling=mean").name == "encoder"
    assert linker("tuned,learning_rate=5e-05").config == TunedLinker().config


TEXTS = ["", "a,b", "a=b", "100%", "%2C", "%", "None", "none", "True", "1", " x ", "é,漢=%", "%4Eone"]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back(text):
    for made in (Every(text), Every(maybe=text), Every(text, text)):
        base, *settings = made.name.split(",")
        assert base == "every" and parsed(Every, settings) == made


@pytest.mark.parametrize(
    "settings",
    [
        {"whole": -3, "part": 1e-300, "limit": None},
        {"part": 1.23456789012345e-5, "limit": 1 / 3, "yes": False},
        {"whole": 10**30, "part": -0.1, "limit": 1e22},
    ],
)
def test_any_number_comes_back(settings):
    made = Every(**settings)
    again = parsed(Every, made.name.split(",")[1:])
    assert again == made and again.config == made.config
    assert [type(value) for value in asdict(again).values()] == [type(v) for v in asdict(made).values()]


def test_what_changes_no_result_is_no_setting():
    quiet = Every(progress=False)
    assert quiet == Every() and quiet.name == "every" and "progress" not in quiet.config
    for base in ("tuned", "cosines", "biosyn", "bi-encoder", "cross-encoder"):
        other = replace(linker(base), checkpoints=Path("x"), progress=False)
        assert other == linker(base) and other.name == base and other.config == linker(base).config


@pytest.mark.parametrize(
    "setting",
    ["whole=1.5", "whole=one", "whole=None", "part=x", "part=nan", "limit=inf", "yes=1", "yes=true", "yes="]
    + ["whole", "progress=False", "base=tfidf", "Whole=1", "=", ""],
)
def test_what_is_no_setting_is_refused_with_what_there_is(setting):
    with pytest.raises(ValueError, match=r"is not understood; .*text \(str\), maybe \(str \| None\), whole"):
        parsed(Every, ["text=b", setting])


def test_a_wrong_name_is_refused_with_what_there_is():
    for wrong in ("exakt", "", "minilm-mean", "tfidf-char-1-2", "Tfidf", " tfidf"):
        with pytest.raises(ValueError, match="expected one of exact, prior, tfidf, encoder, tuned"):
            linker(wrong)
    with pytest.raises(ValueError, match="'pooling=cls' is not understood; .* each once, of model"):
        linker("encoder,pooling=cls,pooling=cls")
    with pytest.raises(ValueError, match="of none"):
        linker("exact,fold=1")
    with pytest.raises(ValueError, match="of learns .str."):
        linker("prior,splits=train")
    # The class has the last word on a value.
    with pytest.raises(ValueError, match="mining is 'semi-hard'; expected one of hybrid"):
        linker("cosines,mining=semi-hard")


def test_equal_linkers_have_equal_configurations():
    whole, part = linker("cosines,margin=1"), replace(linker("cosines"), margin=1)
    assert whole == part and json.dumps(whole.config) == json.dumps(part.config)
    assert PriorLinker("train+dev").config == {"learns": "train+dev"}
    assert TfidfLinker("2-4", "char_wb").config == {"ngrams": "2-4", "analyzer": "char_wb"}


def test_the_configuration_follows_the_weights_of_a_folder_and_the_recipe_of_an_adapted_encoder(tmp_path):
    folder = Path(tiny_encoder(tmp_path / "tiny"))
    first = EncoderLinker(str(folder)).config
    assert first["model"] == str(folder) and len(first["weights"]) == 64
    (folder / "README.md").write_text("nothing that is read")
    assert EncoderLinker(str(folder)).config == first
    for name in ("model.safetensors", "config.json", "tokenizer.json"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content + b" ")
        assert EncoderLinker(str(folder)).config["weights"] != first["weights"]
        (folder / name).write_bytes(content)
    assert EncoderLinker(str(folder)).config == first
    assert "weights" not in linker("encoder").config
    assert "weights" not in linker("encoder,model=owner/name").config
    adapted = linker("tuned,model=minilm+pubmed").config
    assert adapted["recipe"] == asdict(RECIPES["minilm+pubmed"]) and "weights" not in adapted


def test_a_linker_that_is_not_fitted_says_so():
    with pytest.raises(AttributeError, match="ExactLinker has no '.*after fit"):
        linker("exact").link([Document("1", "Flu.", (Mention(0, 3, "Flu"),))], 5)
    assert not hasattr(linker("exact"), "find") and copy.deepcopy(linker("exact")) == linker("exact")
