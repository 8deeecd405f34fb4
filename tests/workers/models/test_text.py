from pathlib import Path

import pytest

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
    with pytest.raises(RefusalError, match=r"'p'.*\d+ tokens.*context of 256"):
        llama.writing.encode(pair(chosen="yes and no " * 200))


def test_texts_that_are_the_same_tokens_are_refused(llama):
    writing = Writing(llama.writing.tokenizer, 256)
    unknown = pair(chosen="Yes \u4e00", rejected="Yes \u4e8c")
    assert unknown.chosen != unknown.rejected
    with pytest.raises(RefusalError, match=r"identical_pair.*'p'"):
        writing.encode(unknown)
