import copy as copying
import json
import shutil
from pathlib import Path

import pytest
from tokenizers import normalizers

from claims.dialogue import Message
from claims.pairs import Pair
from workers.models.loading import load_directory
from workers.models.text import Writing
from workers.refusals import RefusalError

MODELS = Path(__file__).parents[2] / "fixtures" / "models"


@pytest.fixture(scope="module")
def chat():
    return load_directory(MODELS / "llama-gqa-chat").writing


def pair(
    prompt="Is the old bridge open today?",
    chosen="I am not sure, please check the sign.",
    rejected="Yes, of course.",
):
    return Pair("p", "d", prompt, chosen, rejected, "c", {})


def test_without_a_template_a_text_is_prompt_space_response(llama):
    written = llama.writing.encode(pair())
    assert (
        list(written.chosen.ids)
        == llama.writing.tokenizer("Is the old bridge open today? I am not sure, please check the sign.")["input_ids"]
    )


def test_the_tokenizers_own_first_token_comes_once(llama, chat):
    for writing in (llama.writing, chat):
        ids = writing.encode(pair()).chosen.ids
        assert ids.count(writing.tokenizer.bos_token_id) == 1
        assert ids[0] == writing.tokenizer.bos_token_id


def test_the_template_is_applied_once(chat):
    ids = list(chat.encode(pair()).chosen.ids)
    text = chat.tokenizer.decode(ids)
    assert text.count("<|user|>") == text.count("<|assistant|>") == 1


def test_a_dialogue_goes_through_the_template(chat):
    messages = (
        Message(role="user", content="Hello."),
        Message(role="assistant", content="Hello to you."),
        Message(role="user", content="Is the old bridge open today?"),
    )
    text = chat.tokenizer.decode(chat.encode(pair(prompt=messages)).chosen.ids)
    assert text.count("<|user|>") == 2
    assert text.count("<|assistant|>") == 2


def test_a_dialogue_needs_a_template(llama):
    messages = (Message(role="user", content="Hello."),)
    with pytest.raises(RefusalError, match=r"no_chat_template.*'p'"):
        llama.writing.encode(pair(prompt=messages))


def test_where_the_response_begins(llama, chat):
    for writing in (llama.writing, chat):
        text = writing.encode(pair()).chosen
        before = writing.tokenizer.decode(text.ids[: text.response])
        after = writing.tokenizer.decode(text.ids[text.response :])
        assert "bridge" in before
        assert "not sure" not in before
        assert "not sure" in after
        assert "bridge" not in after


def test_a_text_longer_than_the_context_is_refused_with_both_lengths(llama):
    with pytest.raises(RefusalError, match=r"text_too_long.*'p': chosen is .*\d+ tokens.*context of 256"):
        llama.writing.encode(pair(chosen="yes and no " * 200))


def test_texts_that_are_the_same_tokens_are_refused(llama):
    writing = Writing(llama.writing.tokenizer, 256)
    unknown = pair(chosen="Yes \u4e00", rejected="Yes \u4e8c")
    assert unknown.chosen != unknown.rejected
    with pytest.raises(RefusalError, match=r"identical_pair.*'p'"):
        writing.encode(unknown)


def templated(writing, template):
    """The same tokenizer with another chat template."""
    tokenizer = copying.deepcopy(writing.tokenizer)
    tokenizer.chat_template = template
    return Writing(tokenizer, writing.context, writing.vocabulary)


def refused(writing, *pairs, reason):
    for one in pairs:
        with pytest.raises(RefusalError) as refusal:
            writing.encode(one)
        assert refusal.value.reason == reason, refusal.value
        assert "'p'" in refusal.value.detail
    return refusal.value.detail


EACH = "{% for m in messages %}<{{ m.role }}>{{ m.content }}\n{% endfor %}"
ASKED = Message(role="user", content="Is the old bridge open today?")
SYSTEM = Message(role="system", content="Be brief.")


def test_a_template_that_writes_the_first_token_has_it_once_though_the_tokenizer_adds_it(chat):
    writing = templated(chat, "{{ bos_token }}" + EACH)
    with_both = writing.tokenizer(writing._write(pair(), "Yes."))["input_ids"]
    assert with_both.count(writing.tokenizer.bos_token_id) == 2  # what a naive tool feeds the model
    assert writing.encode(pair()).chosen.ids.count(writing.tokenizer.bos_token_id) == 1


def test_no_turn_of_the_model_is_opened_after_the_response(chat):
    writing = templated(chat, EACH + "{% if add_generation_prompt %}<assistant>{% endif %}")
    assert writing._write(pair(), "Yes.").count("<assistant>") == 1


def test_a_template_that_forbids_a_system_turn_refuses_the_pairs_that_have_one(chat):
    forbids = "{% if messages[0].role == 'system' %}{{ raise_exception('No system turn.') }}{% endif %}" + EACH
    writing = templated(chat, forbids)
    assert "No system turn." in refused(writing, pair(prompt=(SYSTEM, ASKED)), reason="chat_template")
    assert writing.encode(pair(prompt=(ASKED,))) == writing.encode(pair())


def test_a_template_that_needs_a_system_turn_refuses_the_pairs_that_have_none(chat):
    needs = "{% if messages[0].role != 'system' %}{{ raise_exception('No system turn.') }}{% endif %}" + EACH
    writing = templated(chat, needs)
    refused(writing, pair(), reason="chat_template")
    assert writing.encode(pair(prompt=(SYSTEM, ASKED))).chosen.ids


@pytest.mark.parametrize(
    ("template", "turn"),
    [
        ("{% for m in messages if m.role != 'system' %}{{ m.content }} {% endfor %}", 1),
        ("{% for m in messages[:-1] %}{{ m.content }} {% endfor %}", 3),
        ("{% for m in messages %}{{ m.content[:8] }} {% endfor %}", 1),
        ("{% for m in messages %}{{ m.content | upper }} {% endfor %}", 1),
        ("{% for m in messages | reverse %}{{ m.content }} {% endfor %}", 2),
        ("{{ messages[0].content }} {{ messages[1].content }} {{ messages[2].content.split('</think>')[-1] }}", 3),
    ],
)
def test_what_a_template_drops_or_alters_is_refused(chat, template, turn):
    asked = pair(prompt=(SYSTEM, ASKED), chosen="<think>hm</think> Yes, it is.")
    assert f"turn {turn}," in refused(templated(chat, template), asked, reason="text_altered")


def test_a_template_may_trim_what_it_writes(chat):
    trims = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}\n{% endfor %}"
    writing = templated(chat, trims)
    text = writing.encode(pair(chosen="  Yes, it is.\n")).chosen
    assert writing.tokenizer.decode(text.ids[text.response :]).strip().startswith("Yes")
    refused(writing, pair(chosen="Yes. ", rejected="Yes."), reason="identical_pair")


@pytest.mark.parametrize("empty", ["", " ", "\n\t"])
def test_an_empty_response_is_refused(llama, chat, empty):
    for writing in (llama.writing, chat):
        assert "chosen" in refused(writing, pair(chosen=empty), reason="empty_response")
        assert "rejected" in refused(writing, pair(rejected=empty), reason="empty_response")


def test_a_response_of_which_the_tokenizer_leaves_nothing_is_refused(chat, llama):
    for found in (chat, llama.writing):
        tokenizer = copying.deepcopy(found.tokenizer)
        tokenizer.backend_tokenizer.normalizer = normalizers.Replace("#", "")
        refused(Writing(tokenizer, 256), pair(rejected="###"), reason="empty_response")


def test_texts_without_a_token_in_common_are_refused(llama):
    tokenizer = copying.deepcopy(llama.writing.tokenizer)
    tokenizer.backend_tokenizer.post_processor = None
    writing = Writing(tokenizer, 256)
    refused(writing, pair(prompt="", chosen="Yes.", rejected="not at all"), reason="no_overlap")


def test_normalising_moves_no_response(llama):
    """Where a response begins is told in the text as it was, whatever the tokenizer makes of it."""
    tokenizer = copying.deepcopy(llama.writing.tokenizer)
    tokenizer.backend_tokenizer.normalizer = normalizers.Replace("bridge", "b")
    text = Writing(tokenizer, 256).encode(pair()).chosen
    assert tokenizer.decode(text.ids[text.response :]).strip().startswith("I am not sure")
    assert "today" in tokenizer.decode(text.ids[: text.response])


@pytest.mark.parametrize("setting", ["truncation", "padding", "model_max_length"])
def test_neither_cutting_nor_padding_that_the_files_ask_for_is_done(tmp_path, setting, llama):
    directory = Path(shutil.copytree(MODELS / "llama-gqa", tmp_path / "model"))
    file = directory / ("tokenizer_config.json" if setting == "model_max_length" else "tokenizer.json")
    found = json.loads(file.read_text())
    found[setting] = {
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 64},
            "direction": "Left",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "<pad>",
        },
        "model_max_length": 5,
    }[setting]
    file.write_text(json.dumps(found))
    assert load_directory(directory).writing.encode(pair()) == llama.writing.encode(pair())


def test_a_tokenizer_without_a_padding_token_is_enough(llama):
    tokenizer = copying.deepcopy(llama.writing.tokenizer)
    tokenizer.pad_token = None
    assert Writing(tokenizer, 256).encode(pair()) == llama.writing.encode(pair())


def test_a_token_that_the_model_has_no_embedding_of_is_refused(llama):
    largest = max(llama.writing.encode(pair()).chosen.ids + llama.writing.encode(pair()).rejected.ids)
    assert Writing(llama.writing.tokenizer, 256, largest + 1).encode(pair())
    assert str(largest) in refused(Writing(llama.writing.tokenizer, 256, largest), pair(), reason="other_tokenizer")


def test_a_text_far_longer_than_any_context_is_refused_before_it_is_tokenized(llama, monkeypatch):
    monkeypatch.setattr(type(llama.writing.tokenizer), "__call__", None)
    refused(llama.writing, pair(chosen="x" * 256_001), reason="text_too_long")
