"""ZESHEL on a corpus of four worlds written here in its format."""

import json

import pytest

from study.corpora import load
from study.corpora.zeshel import START
from study.records import Store, linking_record
from study.systems import TfidfLinker

PAGES = {
    "elves": {"e1": ("Élan", "Élan  rode to the 銀 gate ."), "e2": ("Silver Gate", "The 銀 gate of Élan ."),
              "e3": ("Nobody", "Not mentioned .")},
    "dwarves": {"d1": ("Ale", "Ale is brewed by Brok ."), "d2": ("Brok", "Brok the brewer .")},
    "lego": {"l1": ("Brick", "A brick\u00a0fits a red brick ."), "l2": ("Red Brick", "word " * 300),
             "l3": ("Green Brick", "Never mentioned .")},
    "trek": {"t1": ("Warp", "Warp is fast .")},
}  # fmt: skip
MENTIONS = {
    "train": [("e1", "elves", "e2", "the 銀 gate", 3, 5), ("e2", "elves", "e1", "Élan", 4, 4),
              ("e1", "elves", "e1", "Élan", 0, 0)],
    "val": [("d1", "dwarves", "d2", "Brok", 4, 4)],
    "test": [("l1", "lego", "l2", "red brick", 4, 5), ("t1", "trek", "t1", "Warp", 0, 0)],
}  # fmt: skip


def fields(page, world, label, text, first, last) -> dict:
    return {
        "mention_id": "m", "context_document_id": page, "corpus": world, "label_document_id": label,
        "category": "HIGH_OVERLAP", "text": text, "start_index": first, "end_index": last,
    }  # fmt: skip


def written(path, entries) -> None:
    path.parent.mkdir(exist_ok=True)
    lines = [json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries]
    path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    for world, pages in PAGES.items():
        entries = [{"document_id": id, "title": title, "text": text} for id, (title, text) in pages.items()]
        written(tmp_path / "documents" / f"{world}.json", entries)
    for split, mentions in MENTIONS.items():
        written(tmp_path / "mentions" / f"{split}.json", [fields(*mention) for mention in mentions])
    return tmp_path


def loaded(folder, world="lego"):
    return load(str(folder), str(folder / "documents" / f"{world}.json"))


def test_mentions_stand_where_their_words_do(folder):
    benchmark = loaded(folder)
    found = {
        split: [(d.id, m.text, m.start, m.gold.printed) for d, m in benchmark.split(split).mentions()]
        for split in ("train", "dev", "test")
    }
    # Counted by hand, in characters: two blanks stand in the first page, and one that does not break in l1.
    assert found == {
        "train": [("e1", "the 銀 gate", 14, "e2"), ("e1", "Élan", 0, "e1"), ("e2", "Élan", 14, "e1")],
        "dev": [("d1", "Brok", 17, "d2")],
        "test": [("l1", "red brick", 15, "l2")],
    }
    assert {m.type for _, m in benchmark.test.mentions()} == {"HIGH_OVERLAP"}
    assert (benchmark.name, benchmark.test.n_raw, benchmark.train.n_raw) == ("zeshel-lego", 1, 3)


def test_a_world_is_ranked_with_the_entities_that_were_learned(folder):
    concepts = loaded(folder).ontology.concepts
    # All pages of lego; of the others those that train or dev mentions stand for, and none of trek.
    assert set(concepts) == {"l1", "l2", "l3", "e1", "e2", "d2"}
    assert concepts["e2"].names == ("Silver Gate",) and concepts["e2"].definition == "The 銀 gate of Élan ."
    assert concepts["l2"].definition == " ".join(["word"] * START)
    assert set(loaded(folder, "trek").ontology.concepts) == {"t1", "e1", "e2", "d2"}


def test_a_linker_runs_on_it(folder, tmp_path):
    record = linking_record(TfidfLinker(), loaded(folder), Store(tmp_path / "records"))
    assert record.inputs["dataset"] == "zeshel-lego" and record.counts["n_scored"] == 1
    assert record.metric("recall@1", "strict/names/any-of")["value"] == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"label_document_id": "l9"}, "expected pages of lego, found 'l9'"),
        ({"label_document_id": "e1"}, "expected pages of lego, found 'e1'"),
        ({"context_document_id": "t1"}, "expected pages of lego, found 't1'"),
        ({"end_index": 4}, "expected the mention 'red brick' at words 4 to 4, found 'red'"),
        ({"end_index": 7}, "expected words from 0 to 6 of the page, found '4 to 7'"),
        ({"start_index": -1}, "expected words from 0 to 6 of the page, found '-1 to 5'"),
        ({"start_index": 6}, "expected words from 0 to 6 of the page, found '6 to 5'"),
        ({"start_index": True}, "start_index: expected a whole number, found True"),
        ({"corpus": None}, "corpus: expected text, found None"),
    ],
)
def test_a_wrong_mention_is_told_with_its_line(folder, change, told):
    good, bad = fields(*MENTIONS["test"][1]), fields(*MENTIONS["test"][0]) | change
    written(folder / "mentions" / "test.json", [good, bad])
    with pytest.raises(ValueError, match=f"test.json:2: {told}"):
        loaded(folder)


def test_wrong_files_are_told(folder):
    with pytest.raises(ValueError, match="test.json: no mention of elves; expected one of lego, trek"):
        loaded(folder, "elves")
    path = folder / "documents" / "lego.json"
    page = path.read_text(encoding="utf-8").splitlines()[0]
    for line, told in ((page, "each id once, found 'l1 again'"), ("{", "a mapping"), ("[]", "a mapping")):
        path.write_text(f"{page}\n{line}\n", encoding="utf-8")
        with pytest.raises(ValueError, match=f"lego.json:2: expected {told}"):
            loaded(folder)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        loaded(folder)
