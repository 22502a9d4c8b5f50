"""Marked mentions, whole documents and pairs, against plain loops over the pieces of one text."""

from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import tiny_encoder

from benchlib.encoders import Backbone, mention_inputs, text_inputs
from study.systems.by_entity import pair_inputs
from study.systems.dual_encoder.passes import chunk_inputs

MARKERS = ("[E]", "[/E]")


with TemporaryDirectory() as folder:
    BACKBONE = Backbone.load(tiny_encoder(folder, width=32, layers=2, initializer_range=0.5), markers=MARKERS)
CLS, SEP, OPEN, CLOSE = 101, 102, 30522, 30523

# Letters of several scripts, combining marks, emoji (one of them a joined pair), blanks, markers spelt out.
characters = st.sampled_from(
    [*"ab1-.( \n", "\u00e9", "e\u0301", "\u0308", "\u03b1", "\u7cd6", "\U0001f600"]
    + ["\U0001f468\u200d\u2695\ufe0f", "\ufb01", "\u0130", "\x00", "\u200b", " glucose", " [SEP] ", "[E]"]
)
texts = st.lists(characters, min_size=1, max_size=40).map("".join)


@st.composite
def marked(draw) -> tuple[str, int, int]:
    text = draw(texts)
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


def read(text: str) -> list[tuple[int, int, int]]:
    """(id, start, end) of the pieces of a text, special tokens spelt in it being text."""
    found = BACKBONE.tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, split_special_tokens=True
    )
    return [(id, *at) for id, at in zip(found["input_ids"], found["offset_mapping"], strict=True)]


def touching(text: str, start: int, end: int) -> list[int]:
    """Which pieces share a character with the span."""
    return [i for i, (_, a, b) in enumerate(read(text)) if set(range(a, b)) & set(range(start, end))]


@settings(deadline=None, max_examples=150)
@given(st.lists(marked(), min_size=1, max_size=5), st.integers(5, 30))
def test_a_window_holds_its_mention_and_as_much_context_as_fits(mentions, window):
    found = mention_inputs(BACKBONE, mentions, window)
    for (text, start, end), one in zip(mentions, found.inputs, strict=True):
        ids, all_ids = list(one.ids), [id for id, _, _ in read(text)]
        assert len(ids) == min(window, len(all_ids) + 4)
        assert (ids[0], ids[-1], ids.count(CLS), ids.count(SEP)) == (CLS, SEP, 1, 1)
        assert (ids.count(OPEN), ids.count(CLOSE)) == (1, 1)
        a, b = ids.index(OPEN), ids.index(CLOSE)
        inside = touching(text, start, end)
        whole = [all_ids[i] for i in inside]
        assert ids[a + 1 : b] == whole[: window - 4]
        left, right = ids[1:a], ids[b + 1 : -1]
        assert one.spans == ((a + 1, max(a + 1, b - 1)),)
        cut = sum(stop <= start for _, _, stop in read(text))
        before, after = all_ids[:cut], all_ids[cut + len(inside) :]
        assert before[len(before) - len(left) :] == left
        assert after[: len(right)] == right
        # Centred, unless one side has no more to give.
        assert len(left) <= len(right) + 1 or len(right) == len(after)
        assert len(right) <= len(left) + 1 or len(left) == len(before)


def test_other_mentions_are_marked_by_hand():
    text = "one two three four five six seven"
    at = {word: (text.index(word), text.index(word) + len(word)) for word in text.split()}

    def window(size: int, word: str, *others: tuple[int, int]) -> tuple[str, list[str]]:
        inputs, [marked], *_ = mention_inputs(BACKBONE, [(text, *at[word])], size, [others])
        tokens = BACKBONE.tokenizer.convert_ids_to_tokens(list(inputs[0].ids))
        found = [" ".join(tokens[a : b + 1]) for a, b in inputs[0].spans]
        assert found[1:] == [text[slice(*others[i])] for i in marked]
        return " ".join(tokens), found

    assert window(64, "five", at["seven"], at["two"]) == (
        "[CLS] one [E] two [/E] three four [E] five [/E] six [E] seven [/E] [SEP]",
        ["five", "two", "seven"],
    )
    # Six pieces of context, of which the markers of one more mention take two; "two" is not reached.
    assert window(11, "five", at["seven"], at["two"]) == (
        "[CLS] three four [E] five [/E] six [E] seven [/E] [SEP]",
        ["five", "seven"],
    )
    # Both would be in reach, but not with their markers, nor one of them: what is left has none whole.
    assert window(9, "four", (at["two"][0], at["three"][1]), (at["five"][0], at["six"][1])) == (
        "[CLS] three [E] four [/E] five [SEP]",
        ["four"],
    )
    # What overlaps the mention stays without markers; of two others the first and longest gets them.
    both = (at["two"][0], at["three"][1])
    assert window(64, "five", (at["four"][0], at["five"][1]), at["two"], both, at["three"]) == (
        "[CLS] one [E] two three [/E] four [E] five [/E] six seven [SEP]",
        ["five", "two three"],
    )


@settings(deadline=None, max_examples=150)
@given(st.lists(marked(), min_size=1, max_size=3), st.integers(5, 30), st.data())
def test_other_mentions_take_no_more_than_the_window_has(mentions, window, data):
    others = []
    for text, _, _ in mentions:
        spans = data.draw(
            st.lists(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))), max_size=4)
        )
        others.append([(min(span), max(span)) for span in spans if span[0] != span[1]])
    alone, found = (
        mention_inputs(BACKBONE, mentions, window),
        mention_inputs(BACKBONE, mentions, window, others),
    )
    for (text, start, end), spans, single, one in zip(
        mentions, others, alone.inputs, found.inputs, strict=True
    ):
        ids, all_ids = list(one.ids), [id for id, _, _ in read(text)]
        assert len(ids) <= window and (ids[0], ids[-1]) == (CLS, SEP)
        assert ids.count(OPEN) == ids.count(CLOSE) == len(one.spans)
        # Without the markers it is a stretch of the text, no longer than with the mention marked alone.
        bare = [id for id in ids[1:-1] if id not in (OPEN, CLOSE)]
        assert any(all_ids[i : i + len(bare)] == bare for i in range(len(all_ids) - len(bare) + 1))
        assert len(bare) <= len(single.ids) - 4
        a, b = one.spans[0]
        whole = [all_ids[i] for i in touching(text, start, end)][: window - 4]
        assert ids[a - 1] == OPEN and ids[a : b + 1][: len(whole)] == whole
        marks = [[all_ids[i] for i in touching(text, *span)] for span in spans]
        places = list(one.spans[1:])
        assert places == sorted(places)
        for a, b in places:
            assert (ids[a - 1], ids[b + 1]) == (OPEN, CLOSE) and ids[a : b + 1] in marks


def test_wrong_windows_spans_and_markers_are_refused():
    with pytest.raises(ValueError, match="5 to 512 word pieces, found 4"):
        mention_inputs(BACKBONE, [("a", 0, 1)], 4)
    for start, end in ((-1, 1), (2, 2), (0, 5), (3, 2)):
        with pytest.raises(ValueError, match=f"within 0-4 of its text, found {start}-{end}"):
            mention_inputs(BACKBONE, [("gene", start, end)])
        with pytest.raises(ValueError, match=f"within 0-4 of its text, found {start}-{end}"):
            chunk_inputs(BACKBONE, [("gene", [(start, end)])])
    with pytest.raises(ValueError, match="needs two markers"):
        mention_inputs(Backbone(BACKBONE.network, BACKBONE.tokenizer), [("a", 0, 1)])
    with pytest.raises(ValueError, match="3 to 512 tokens, found 513"):
        chunk_inputs(BACKBONE, [], max_length=513)


@st.composite
def documents(draw) -> list[tuple[str, list[tuple[int, int]]]]:
    some = draw(st.lists(texts, min_size=1, max_size=4))
    result = []
    for text in some:
        starts = draw(st.lists(st.integers(0, len(text) - 1), max_size=6))
        result.append((text, [(a, draw(st.integers(a + 1, len(text)))) for a in starts]))
    return result


@settings(deadline=None, max_examples=150)
@given(documents(), st.sampled_from([1, 2, 99]), st.sampled_from([None, 0, 3]), st.integers(4, 20))
def test_every_span_of_a_document_is_in_a_chunk_with_its_own_tokens(given_documents, most, margin, length):
    found = chunk_inputs(BACKBONE, given_documents, most, margin, length)
    places = [(one.ids, span) for one in found.inputs for span in one.spans]
    assert all(1 <= len(one.spans) <= most for one in found.inputs)
    wanted = [(text, span) for text, spans in given_documents for span in spans]
    assert sorted(found.order) == list(range(len(wanted))) and len(places) == len(wanted)
    for (text, span), at in zip(wanted, found.order, strict=True):
        ids, (first, last) = places[at]
        assert len(ids) <= length and ids[0] == CLS and ids[-1] == SEP
        pieces = [id for id, _, _ in read(text)]
        assert any(tuple(pieces[i : i + len(ids) - 2]) == ids[1:-1] for i in range(len(pieces) + 1))
        inside = touching(text, *span)
        if inside:
            assert list(ids[first : last + 1]) == [pieces[i] for i in inside][: length - 2]
        else:  # the next piece or the last one, [CLS] without any
            at = min(sum(stop <= span[0] for _, _, stop in read(text)), max(len(pieces) - 1, 0))
            assert first == last and ids[first] == (pieces[at] if pieces else CLS)


def test_a_pair_is_what_the_tokenizer_makes_of_two_texts():
    text, entity = "severe ataxia of the limbs", "Ataxia [SEP] sign"
    mentions = mention_inputs(BACKBONE, [(text, 7, 13)] * 2, 9).inputs
    entities = text_inputs(BACKBONE, [entity, entity * 40], 10)
    short, long = pair_inputs(BACKBONE, mentions, entities)
    theirs = BACKBONE.tokenizer("severe [E] ataxia [/E] of the", entity)
    assert list(short.ids) == theirs["input_ids"]
    assert [int(i >= short.second) for i in range(len(short.ids))] == theirs["token_type_ids"]
    assert len(long.ids) == 9 + 9 and long.ids[-1] == SEP and long.ids[:9] == mentions[1].ids
    assert short.spans == mentions[0].spans
    whole = text_inputs(BACKBONE, ["a " * 600], 512)
    with pytest.raises(ValueError, match="a pair has 520 tokens; the encoder reads 512"):
        pair_inputs(BACKBONE, mentions[:1], whole)
