"""Exports of Hugging Face: each form means the pair that it means in our own, or is refused with its line."""

import hashlib
import json

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from claims.flaws import RefusedInputError
from claims.pairs import read_pairs

USER, SYSTEM = {"role": "user", "content": "Is it safe?"}, {"role": "system", "content": "Be kind."}
YES, NO = {"role": "assistant", "content": "Yes."}, {"role": "assistant", "content": "No."}
MORE = {"role": "user", "content": "Sure?"}
HH = {
    "chosen": "\n\nHuman: Is it safe?\n\nAssistant: Yes.\n\nHuman: Sure?\n\nAssistant: Yes,\n\nI am. ",
    "rejected": "\n\nHuman: Is it safe?\n\nAssistant: Yes.\n\nHuman: Sure?\n\nAssistant: No.",
}


def jsonl(*lines: dict) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def only(line: dict, dimension: str | None = "safety") -> dict:
    (pair,) = read_pairs(jsonl(line), dimension).rows
    return json.loads(pair.canonical())


def flaws_of(line: dict, dimension: str | None = "safety") -> list[tuple[str, str]]:
    with pytest.raises(RefusedInputError) as refused:
        read_pairs(jsonl(line), dimension)
    assert all(flaw.remedy and flaw.detail.startswith("line 1: ") for flaw in refused.value.flaws)
    return [(flaw.pointer, flaw.code) for flaw in refused.value.flaws]


@pytest.mark.parametrize(
    ("line", "prompt"),
    [
        ({"chosen": [USER, YES], "rejected": [USER, NO]}, [USER]),
        ({"chosen": [SYSTEM, USER, YES], "rejected": [SYSTEM, USER, NO]}, [SYSTEM, USER]),
        ({"chosen": [USER, YES, MORE, YES], "rejected": [USER, YES, MORE, NO]}, [USER, YES, MORE]),
        ({"prompt": None, "chosen": [USER, YES], "rejected": [USER, NO]}, [USER]),
        ({"prompt": "Is it safe?", "chosen": [USER, YES], "rejected": [USER, NO]}, [USER]),
        ({"prompt": "Is it safe?", "chosen": [SYSTEM, USER, YES], "rejected": [SYSTEM, USER, NO]}, [SYSTEM, USER]),
        ({"prompt": [USER], "chosen": [USER, YES], "rejected": [USER, NO]}, [USER]),
        ({"prompt": [SYSTEM, USER], "chosen": [YES], "rejected": [NO]}, [SYSTEM, USER]),
        ({"prompt": "Is it safe?", "chosen": [YES], "rejected": [NO]}, "Is it safe?"),
        ({"prompt": "Is it safe?", "chosen": "Yes.", "rejected": "No."}, "Is it safe?"),
        ({"prompt": [USER], "chosen": "Yes.", "rejected": "No."}, [USER]),
        (
            {"chosen": "\n\nHuman: Is it safe?\n\nAssistant: Yes.", "rejected": "Human: Is it safe?\n\nAssistant:No."},
            [USER],
        ),
    ],
)
def test_each_form_of_one_pair(line, prompt):
    pair = only(line)
    assert (pair["prompt"], pair["chosen"], pair["rejected"]) == (prompt, "Yes.", "No.")
    content = {"dimension": "safety", "prompt": prompt, "chosen": "Yes.", "rejected": "No.", "meta": {}}
    assert pair["id"] == pair["cluster"] == "hf-" + hashlib.sha256(rfc8785.dumps(content)).hexdigest()[:16]


def test_a_whole_dialogue_keeps_every_other_character():
    pair = only(HH)
    assert pair["prompt"] == [USER, YES, MORE]
    assert (pair["chosen"], pair["rejected"]) == ("Yes,\n\nI am. ", "No.")


def test_the_row_says_what_it_is_and_the_rest_is_meta():
    columns = {"score_chosen": 4.5, "source": "made\nup", "messages": [USER, YES]}
    line = {"id": "a", "dimension": "tone", "cluster": "c", "meta": {"n": 1}, "prompt": "Is it safe?", **columns}
    pair = only({**line, "chosen": [USER, YES], "rejected": [USER, NO]})
    assert (pair["id"], pair["dimension"], pair["cluster"]) == ("a", "tone", "c")
    assert pair["meta"] == {"n": 1, **columns}
    named = only({"id": "a", "prompt": "Is it safe?", "chosen": "Yes.", "rejected": "No."})
    assert (named["id"], named["dimension"]) == ("a", "safety")


def test_columns_of_our_own_form_stay_refused():
    own = {"id": "a", "dimension": "tone", "prompt": "Is it safe?", "chosen": "Yes.", "rejected": "No.", "score": 1}
    assert flaws_of(own) == [("/1/score", "unknown_key")]


def test_text_that_looks_like_a_dialogue_is_text_in_our_own_form():
    own = {"id": "a", "dimension": "tone", "prompt": "Continue.", **HH}
    assert only(own)["chosen"] == HH["chosen"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"chosen": [], "rejected": [NO]}, ("/1/chosen", "no_answer")),
        (
            {"chosen": [USER], "rejected": [USER]},
            [("/1/chosen/0/role", "no_answer"), ("/1/rejected/0/role", "no_answer")],
        ),
        ({"chosen": [USER, YES], "rejected": [USER, YES, MORE]}, ("/1/rejected/2/role", "no_answer")),
        ({"chosen": [USER, YES], "rejected": [MORE, NO]}, ("/1/rejected/0", "dialogues_differ")),
        ({"chosen": [USER, YES, MORE, YES], "rejected": [USER, NO]}, ("/1/rejected/1", "dialogues_differ")),
        ({"chosen": [USER, YES], "rejected": [USER, YES, MORE, NO]}, ("/1/rejected/1", "dialogues_differ")),
        ({"chosen": [SYSTEM, USER, YES], "rejected": [USER, NO]}, ("/1/rejected/0", "dialogues_differ")),
        ({"chosen": [USER, YES, YES], "rejected": [USER, YES, NO]}, ("/1/chosen", "bad_messages")),
        ({"chosen": [USER, MORE, YES], "rejected": [USER, MORE, NO]}, ("/1/chosen/1/role", "bad_messages")),
        ({"chosen": [YES], "rejected": [NO]}, ("/1", "missing_key")),
        ({"chosen": [USER, YES]}, ("/1", "missing_key")),
        ({"chosen": [USER, {**YES, "content": " "}], "rejected": [USER, NO]}, ("/1/chosen", "empty_response")),
        ({"chosen": [USER, YES], "rejected": [USER, YES]}, ("/1/rejected", "identical_pair")),
        (
            {"chosen": [USER, {"role": "gpt", "content": ""}], "rejected": [USER, NO]},
            ("/1/chosen/1/role", "not_allowed"),
        ),
        (
            {"chosen": [USER, {**YES, "content": ["Yes."]}], "rejected": [USER, NO]},
            ("/1/chosen/1/content", "wrong_type"),
        ),
        ({"prompt": "Sure?", "chosen": [USER, YES], "rejected": [USER, NO]}, ("/1/prompt", "prompt_differs")),
        ({"prompt": [MORE], "chosen": [USER, YES], "rejected": [USER, NO]}, ("/1/prompt", "prompt_differs")),
        ({"prompt": [USER, YES], "chosen": [YES], "rejected": [NO]}, ("/1/prompt", "bad_messages")),
        ({"prompt": 3, "chosen": [USER, YES], "rejected": [USER, NO]}, ("/1/prompt", "wrong_type")),
        ({**HH, "prompt": "Sure?"}, ("/1/prompt", "prompt_differs")),
        ({**HH, "rejected": "No."}, ("/1/rejected", "bad_transcript")),
        ({**HH, "chosen": "\n\nHuman: Is it safe?\n\nAssistant: Yes."}, ("/1/rejected", "dialogues_differ")),
        ({**HH, "chosen": HH["chosen"] + "\n\nHuman: Bye."}, ("/1/chosen", "no_answer")),
        ({**HH, "rejected": "\n\nAssistant: No.", "chosen": "\n\nAssistant: Yes."}, ("/1", "missing_key")),
        (
            {"chosen": "\n\nHuman: Why?\n\nAssistant:", "rejected": "\n\nHuman: Why?\n\nAssistant: No."},
            ("/1/chosen", "empty_response"),
        ),
        ({"chosen": [USER, YES], "rejected": [USER, NO], "meta": {"n": 1}, "n": 1}, ("/1/n", "column_in_meta")),
        ({"chosen": [USER, YES], "rejected": [USER, NO], "meta": 1}, ("/1/meta", "wrong_type")),
        ({"chosen": [USER, YES], "rejected": [USER, NO], "id": 7}, ("/1/id", "wrong_type")),
        ({"chosen": [USER, YES], "rejected": [USER, NO], "score": float("nan")}, ("/1/score", "not_a_number")),
        ({"chosen": [USER, YES], "rejected": [USER, NO], "dimension": "a b"}, ("/1/dimension", "bad_form")),
    ],
)
def test_one_line_refused(line, expected):
    assert flaws_of(line) == (expected if isinstance(expected, list) else [expected])


def test_a_dimension_is_never_guessed():
    for line in (
        HH,
        {"chosen": [USER, YES], "rejected": [USER, NO]},
        {"prompt": "?", "chosen": "Yes.", "rejected": "No."},
    ):
        assert flaws_of(line, None) == [("/1", "no_dimension")]
    both = {**HH, "meta": {"n": 1}, "n": 1}
    assert flaws_of(both, None) == [("/1", "no_dimension"), ("/1/n", "column_in_meta")]


def test_the_same_line_twice_is_one_pair_twice():
    with pytest.raises(RefusedInputError) as refused:
        read_pairs(jsonl(HH, {**HH, "score": 1}, HH), "safety")
    (flaw,) = refused.value.flaws
    assert (flaw.pointer, flaw.code, flaw.remedy) == ("/3/id", "duplicate_id", "Leave one of the two lines out.")


def test_what_is_taken_can_be_read_back():
    deep: list = []
    for _ in range(61):
        deep = [deep]
    line = {"chosen": [USER, YES], "rejected": [USER, NO]}
    pairs = read_pairs(jsonl({**line, "deep": deep}), "safety")
    assert read_pairs(pairs.canonical) == pairs
    assert flaws_of({**line, "deep": [deep]}) == [("/1/deep", "too_deep")]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), min_size=1, max_size=8).filter(
    lambda text: "\n\n" not in f"\n{text}\n" and text[0] != " "
)
PAIRS = st.lists(
    st.tuples(st.lists(TEXT, min_size=1, max_size=3).filter(lambda turns: len(turns) % 2), TEXT, TEXT).filter(
        lambda pair: pair[1] != pair[2] and pair[1].strip() and pair[2].strip()
    ),
    min_size=1,
    max_size=4,
)


@given(PAIRS, st.randoms(use_true_random=False))
def test_a_pair_has_one_identity_in_every_form_and_order(pairs, random):
    forms: list[list[dict]] = [[], [], [], []]
    for number, (turns, chosen, rejected) in enumerate(pairs):
        roles = ["user", "assistant"] * 2
        prompt = [{"role": role, "content": text} for role, text in zip(roles, turns, strict=False)]
        names = {"id": f"p{number}", "dimension": "tone"}
        answers = {"chosen": chosen, "rejected": rejected}
        labels = ["Human", "Assistant"] * 2
        written = "".join(f"\n\n{label}: {text}" for label, text in zip(labels, turns, strict=False))
        messages = {side: [{"role": "assistant", "content": text}] for side, text in answers.items()}
        forms[0].append({**names, "prompt": prompt, **answers, "meta": {"source": number}})
        forms[1].append({**names, "source": number, **{side: prompt + turn for side, turn in messages.items()}})
        forms[2].append({**names, "source": number, "prompt": prompt, **messages})
        whole = {side: f"{written}\n\nAssistant: {text}" for side, text in answers.items()}
        forms[3].append({**names, "source": number, **whole})
    mixed = [random.choice(lines) for lines in zip(*forms, strict=True)]
    expected = read_pairs(jsonl(*forms[0]))
    for lines in (*forms[1:], mixed):
        shuffled = [dict(random.sample(list(line.items()), len(line))) for line in random.sample(lines, len(lines))]
        assert read_pairs(jsonl(*shuffled)) == expected


@given(PAIRS)
def test_a_derived_id_does_not_depend_on_the_form(pairs):
    turns, chosen, rejected = pairs[0]
    prompt = [{"role": role, "content": text} for role, text in zip(["user", "assistant"] * 2, turns, strict=False)]
    plain = only({"prompt": prompt, "chosen": chosen, "rejected": rejected})
    answers = {"chosen": chosen, "rejected": rejected}
    assert only({side: [*prompt, {"role": "assistant", "content": text}] for side, text in answers.items()}) == plain
