"""Every page at scale mini: its chapter's records are made afresh, and it shows all that it should."""

from pathlib import Path

import pytest
from transformers import BertConfig, BertModel

from benchlib.encoders import Backbone
from study.book.pages import papermill
from study.chapters.chapter import chapters
from study.chapters.jobs import PRETRAINING
from study.chapters.parameters import defaults_of
from study.chapters.run import plan_with
from study.corpora import load
from study.papers import RESULTS
from study.records import Store

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
COMPUTE = {"datasets", "protocols", "side_by_side"}  # the pages that make their records themselves


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> str:
    """An untrained encoder of one layer, with few word pieces."""
    mini, folder = load("mini"), tmp_path_factory.mktemp("small")
    names = [name for concept in mini.ontology.concepts.values() for name in concept.names]
    texts = [*names, *(document.text for document in mini.train.documents)]
    tokenizer = Backbone.load(layers=1).tokenizer.train_new_from_iterator(texts, 400)
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=len(tokenizer), **shape), add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_shows_all_that_it_should_on_the_embedded_corpus(notebook, checkout, small):
    given = {"scale": "mini", "encoder": small} if "encoder" in defaults_of(notebook) else {"scale": "mini"}
    chapter = notebook.stem.removesuffix(RESULTS)
    if chapter in set(chapters()) - COMPUTE:
        plan, store = plan_with(chapter, given, checkout), Store(checkout / "_build" / "records")
        made = [
            job.record(store) for job in plan.jobs() if not (job.timing or job.measurement == PRETRAINING)
        ]
        assert made and all(record.inputs["dataset"] == "mini" for record in made)
    executed = checkout / "_build" / "mini" / notebook.name
    error, expected, got = papermill(checkout / "notebooks" / notebook.name, executed, checkout, given)
    assert error == "" and 0 < expected == got
