"""Linkers printed and parsed by their settings, and the configurations that key their runs."""

import copy
import dataclasses
import json
from dataclasses import asdict, field, fields, replace
from pathlib import Path

import pytest
from pydantic.dataclasses import dataclass
from tiny import tiny_encoder

from benchlib.corpus import Document, Mention
from study.systems import CATALOGUE, EncoderLinker, PriorLinker, TfidfLinker, TunedLinker, linker
from study.systems.encoders import RECIPES
from study.systems.settings import Settings, named

NAMES = [
    "exact",
    "prior,learns=train+dev",
    "tfidf,ngrams=2-4,analyzer=char_wb",
    "encoder,model=minilm+pubmed",
    "tuned,layers=1,loss=triplet,steps=15,learning_rate=0.0005,precision=fp32",
    "cosines,layers=2,learns=train+dev,margin=0.5,learning_rate=1e-06",
    "biosyn,epochs=1",
    "bm25,k1=0.9",
    "name-memory,nearest=tfidf;ngrams=2-4;analyzer=char_wb",
    "bi-encoder,loss=ce-cosine,alpha=20,delta=0.05,negatives=mixed,fgsm=random-sign,score=dot",
    "frozen-bi-encoder,loss=ce-cosine,n_negatives=32",
    "collective,window=32,negatives=mixed,chunks=authors,beside=masked",
    "end-to-end,window=128,head=bio,head_rate=0.001",
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


@pytest.mark.parametrize("name", [*NAMES, *CATALOGUE])
def test_a_linker_prints_as_the_name_it_was_made_by(name):
    assert linker(name).name == name
    json.dumps(linker(name).config)


@pytest.mark.parametrize("base", CATALOGUE)
def test_every_base_makes_its_class_and_every_setting_is_configuration(base):
    made, kind = linker(base), CATALOGUE[base]
    assert type(made) is kind and made == kind()
    assert set(made.config) == {one.name for one in fields(kind) if one.compare} - {*kind.later}


def test_a_later_setting_is_configuration_where_it_is_not_the_default():
    @dataclass
    class Grown(Settings):
        old: int = 1
        new: float = 2.0
        base, later = "grown", ("new",)

    assert Grown().config == {"old": 1} == Grown(new=2).config
    assert Grown(new=3).config == {"old": 1, "new": 3.0} and Grown(new=3).name == "grown,new=3"
    for name in ("bi-encoder", "collective"):
        assert linker(f"{name},frozen=0") == linker(name)
        assert linker(f"{name},frozen=3").config == {**linker(name).config, "frozen": 3}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (
            "cosines,mining=batch-all,layers=2,learning_rate=1e-4",
            "cosines,layers=2,learning_rate=0.0001,mining=batch-all",
        ),
        ("encoder,pooling=mean", "encoder"),
        ("tuned,learning_rate=5e-05", "tuned"),
        ("bi-encoder,score=None,loss=proxy", "bi-encoder"),
        (
            "name-memory,nearest=tfidf;analyzer=char_wb;ngrams=2-4",
            "name-memory,nearest=tfidf;ngrams=2-4;analyzer=char_wb",
        ),
        ("name-memory,nearest=tfidf;ngrams=1-2", "name-memory"),
    ],
)
def test_order_and_spelling_of_the_settings_do_not_matter(written, name):
    assert linker(written).name == name and linker(written) == linker(name)
    assert json.dumps(linker(written).config) == json.dumps(linker(name).config)


TEXTS = ["", "a,b", "a=b", "100%", "%2C", "%", "None", "none", "True", "1", " x ", "é,漢=%", "%4Eone"]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_comes_back(text):
    for made in (Every(text), Every(maybe=text), Every(text, text)):
        assert named(made.name, {"every": Every}) == made


@pytest.mark.parametrize(
    "settings",
    [
        {"whole": -3, "part": 1e-300, "limit": None},
        {"part": 1.23456789012345e-5, "limit": 1 / 3, "yes": False},
        {"whole": 10**30, "part": -0.1, "limit": 1e22},
        {"part": 2, "limit": 3},  # whole numbers are the same settings, and the same in JSON
    ],
)
def test_any_number_comes_back(settings):
    made = Every(**settings)
    again = named(made.name, {"every": Every})
    assert again == made and json.dumps(again.config) == json.dumps(made.config)
    assert [type(value) for value in asdict(again).values()] == [type(v) for v in asdict(made).values()]


def test_a_plain_dataclass_is_parsed_by_its_types_too():
    @dataclasses.dataclass
    class Own(Settings):
        letters: int = 0
        share: float = 1.0
        base = "own"

    assert named("own,letters=3", {"own": Own}) == Own(3) and Own(3).name == "own,letters=3"
    for setting in ("letters=x", "share=nan", "letter=1"):
        with pytest.raises(ValueError, match=f"linker 'own,{setting}'"):
            named(f"own,{setting}", {"own": Own})


@pytest.mark.parametrize("base", ["tuned", "cosines", "biosyn", "bi-encoder", "cross-encoder"])
def test_what_changes_no_result_is_no_setting(base):
    other = replace(linker(base), checkpoints=Path("x"), progress=False)
    assert other == linker(base) and other.name == base and other.config == linker(base).config


@pytest.mark.parametrize("key", ["progress=False", "base=tfidf", "Whole=1", "=", "", "text=c"])
def test_a_key_that_is_none_is_refused_with_what_there_is(key):
    told = r"is not understood; .*text \(str\), maybe \(str \| None\), whole \(int\)"
    with pytest.raises(ValueError, match=told):
        named(f"every,text=b,{key}", {"every": Every})


@pytest.mark.parametrize(
    "setting", ["whole=1.5", "whole=one", "whole=None", "whole", "part=x", "part=nan", "limit=inf", "yes="]
)
def test_a_value_of_another_type_is_refused(setting):
    key, _, value = setting.partition("=")
    with pytest.raises(ValueError, match=f"^linker 'every,{setting}': {key} is '{value}'; expected a "):
        named(f"every,{setting}", {"every": Every})


REFUSED = {
    "exakt": "expected one of exact, prior, tfidf, encoder, tuned",
    "exact,fold=1": "of none",
    "prior,splits=train": "of learns (Literal['train', 'train+dev'])",
    "prior,learns=test": "learns is 'test'; expected 'train' or 'train+dev'",
    "cosines,mining=semi-hard": "mining is 'semi-hard'; expected 'hybrid', 'batch-all' or 'batch-hard'",
    "cosines,size=1": "size is '1'; expected greater than or equal to 2",
    "cosines,learns=train+dev,evaluate_epochs=1": "expected to learn from train alone",
    "bi-encoder,frozen=-1": "expected greater than or equal to 0",
    "bi-encoder,frozen=1,fgsm=fgsm": "fgsm is 'fgsm'; expected none with frozen layers",
    "end-to-end,head=bio,least=8": "no least of a bio head",
    "end-to-end,frozen=1": "expected no frozen layers with a head",
    "cross-encoder,mix=dev,learns=train+dev": "expected to learn from train or text",
    "cross-encoder,epochs=1,learns=text": "epochs: expected None to learn from text, found 1",
    "cross-encoder,first=bm26": "no linker 'bm26'; expected one of exact, prior, tfidf",
    "cross-encoder,first=cross-encoder": "no linker 'cross-encoder'",
    "cross-encoder,first=bi-encoder;loss=triplet": "loss is 'triplet'; expected 'ce'",
    "cross-encoder,first=tfidf;gramms=1": "'gramms=1' is not understood; expected KEY=VALUE, each once, of",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_linker_is_refused_with_what_there_is(name):
    with pytest.raises(ValueError) as error:
        linker(name)
    assert REFUSED[name] in str(error.value) and "\n" not in str(error.value)


def test_a_class_is_as_strict_as_a_name():
    for wrong in ({"mining": "semi-hard"}, {"margn": 1.0}, {"margin": float("nan")}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            CATALOGUE["cosines"](**wrong)
    assert PriorLinker("train+dev").config == {"learns": "train+dev"}
    assert TfidfLinker("2-4", "char_wb").config == {"ngrams": "2-4", "analyzer": "char_wb"}
    assert TunedLinker(learning_rate=5e-05) == linker("tuned")


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
    both = linker("cross-encoder,first=bi-encoder;model=minilm+pubmed")
    assert both.models == {"minilm", "minilm+pubmed"} and linker("tfidf").models == set()


def test_a_linker_that_is_not_fitted_says_so():
    with pytest.raises(AttributeError, match="ExactLinker has no '.*after fit"):
        linker("exact").link([Document("1", "Flu.", (Mention(0, 3, "Flu"),))], 5)
    assert not hasattr(linker("exact"), "find") and copy.deepcopy(linker("exact")) == linker("exact")
