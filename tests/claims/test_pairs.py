"""Preference pairs: what is read, what is refused with its line, and an identity that no order can change."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.flaws import RefusedInputError
from claims.pairs import LISTED, read_pairs

GOOD = {"id": "a", "dimension": "safety", "prompt": "Is it\tsafe?\n", "chosen": "Yes.", "rejected": "No."}
USER, ASSISTANT = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
SYSTEM = {"role": "system", "content": "Be kind."}


def jsonl(*lines: dict | str | bytes) -> bytes:
    raw = (
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    )
    return b"\n".join(raw) + b"\n"


def flaws_of(body: bytes) -> list[tuple[str, str]]:
    with pytest.raises(RefusedInputError) as refused:
        read_pairs(body)
    return [(flaw.pointer, flaw.code) for flaw in refused.value.flaws]


def test_pairs_as_they_are_read():
    pairs = read_pairs(jsonl(GOOD, {**GOOD, "id": "b", "cluster": "a", "meta": {"source": [1, None]}}))
    assert [pair.id for pair in pairs.rows] == ["a", "b"]
    assert [pair.cluster for pair in pairs.rows] == ["a", "a"]
    assert (pairs.dimensions, pairs.clusters) == ({"safety": 2}, 1)
    assert pairs.rows[1].meta == {"source": [1, None]}
    assert json.loads(pairs.canonical.splitlines()[0]) == {**GOOD, "cluster": "a", "meta": {}}


def test_a_prompt_may_be_a_dialogue():
    (pair,) = read_pairs(jsonl({**GOOD, "prompt": [SYSTEM, USER, ASSISTANT, USER]})).rows
    assert [message.role for message in pair.prompt] == ["system", "user", "assistant", "user"]
    assert json.loads(pair.canonical())["prompt"] == [SYSTEM, USER, ASSISTANT, USER]


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\t\n\r"), min_size=1, max_size=8)
LINES = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.text("abcé", min_size=1, max_size=4),
            "dimension": st.sampled_from(["safety", "tone"]),
            "prompt": TEXT | st.just([USER]),
            "chosen": TEXT.map("y".__add__),
            "rejected": TEXT.map("n".__add__),
        },
        optional={
            "cluster": st.text("xyz", min_size=1, max_size=2),
            "meta": st.dictionaries(TEXT.filter(str.isalnum), TEXT, max_size=2),
        },
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda line: line["id"],
)


@given(LINES, st.randoms(use_true_random=False))
def test_the_identity_of_a_dataset_is_its_pairs(lines, random):
    pairs = read_pairs(jsonl(*lines))
    assert read_pairs(pairs.canonical) == pairs
    shuffled = [dict(random.sample(list(line.items()), len(line))) for line in random.sample(lines, len(lines))]
    assert (
        read_pairs(b"\n".join(json.dumps(line, indent=None, ensure_ascii=False).encode() for line in shuffled)) == pairs
    )
    explicit = [{"cluster": line["id"], "meta": {}, **line} for line in lines]
    assert read_pairs(jsonl(*explicit)).sha256 == pairs.sha256
    changed = [{**lines[0], "chosen": lines[0]["chosen"] + "!"}, *lines[1:]]
    assert read_pairs(jsonl(*changed)).sha256 != pairs.sha256
    assert sum(pairs.dimensions.values()) == len(lines)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({**GOOD, "chosen": " \n"}, ("/2/chosen", "empty_response")),
        ({**GOOD, "rejected": ""}, ("/2/rejected", "empty_response")),
        ({**GOOD, "rejected": "Yes."}, ("/2/rejected", "identical_pair")),
        ({**GOOD, "id": 7}, ("/2/id", "wrong_type")),
        ({**GOOD, "id": ""}, ("/2/id", "bad_form")),
        ({**GOOD, "id": "a\tb"}, ("/2/id", "control_character")),
        ({**GOOD, "id": "\u202ex"}, ("/2/id", "hidden_character")),
        ({**GOOD, "dimension": "two words"}, ("/2/dimension", "bad_form")),
        ({**GOOD, "dimension": "a.b"}, ("/2/dimension", "bad_form")),
        ({**GOOD, "weight": 1}, ("/2/weight", "unknown_key")),
        ({**GOOD, "prompt": 3}, ("/2/prompt", "wrong_type")),
        ({**GOOD, "prompt": []}, ("/2/prompt", "bad_messages")),
        ({**GOOD, "prompt": [SYSTEM]}, ("/2/prompt", "bad_messages")),
        ({**GOOD, "prompt": [USER, ASSISTANT]}, ("/2/prompt", "bad_messages")),
        ({**GOOD, "prompt": [USER, USER]}, ("/2/prompt/1/role", "bad_messages")),
        ({**GOOD, "prompt": [SYSTEM, ASSISTANT]}, ("/2/prompt/1/role", "bad_messages")),
        ({**GOOD, "prompt": [USER, SYSTEM, USER]}, ("/2/prompt/1/role", "bad_messages")),
        ({**GOOD, "prompt": [{"role": "tool", "content": ""}]}, ("/2/prompt/0/role", "not_allowed")),
        ({**GOOD, "prompt": [{"role": "user"}]}, ("/2/prompt/0", "missing_key")),
        ({**GOOD, "chosen": [USER]}, ("/2/chosen", "wrong_type")),
        ({**GOOD, "chosen": "\ud800"}, ("/2/chosen", "lone_surrogate")),
        ({**GOOD, "chosen": "a\x00b"}, ("/2/chosen", "control_character")),
        ({**GOOD, "meta": {"n": 2**60}}, ("/2/meta/n", "number_out_of_range")),
        ({key: value for key, value in GOOD.items() if key != "prompt"}, ("/2", "missing_key")),
        ("", ("/2", "empty_line")),
        ("[]", ("/2", "wrong_type")),
        ("{", ("/2", "malformed_json")),
        ('{"id": "x", "id": "y"', ("/2", "malformed_json")),
        ("[" * 5000, ("/2", "too_deep")),
        (b"\xff", ("/2", "not_utf8")),
    ],
)
def test_one_bad_line(line, expected):
    assert flaws_of(jsonl({**GOOD, "id": "first"}, line, {**GOOD, "id": "last"})) == [expected]


def test_every_bad_line_is_named_and_none_is_taken():
    lines = [{**GOOD, "id": f"p{number}"} for number in range(1, 11)]
    lines[2]["chosen"] = ""
    lines[5]["dimension"] = "?"
    lines[8] = {**lines[8], "id": "p1"}
    with pytest.raises(RefusedInputError) as refused:
        read_pairs(jsonl(*lines))
    flaws = refused.value.flaws
    assert [flaw.pointer for flaw in flaws] == ["/3/chosen", "/6/dimension", "/9/id"]
    assert [flaw.detail.partition(":")[0] for flaw in flaws] == ["line 3", "line 6", "line 9"]
    assert "line 1 already" in flaws[2].detail


def test_several_flaws_of_one_line_are_told_together():
    assert flaws_of(b'{"id": NaN, "id": "x", "dimension": "a b", "prompt": "", "chosen": "a", "rejected": "a"}') == [
        ("/1", "duplicate_key"),
        ("/1/id", "not_a_number"),
        ("/1/dimension", "bad_form"),
    ]


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n"])
def test_the_last_line_may_be_ended_or_not(ending):
    assert len(read_pairs(json.dumps(GOOD).encode() + ending).rows) == 1


def test_line_separators_inside_text_end_no_line():
    body = json.dumps({**GOOD, "chosen": "a\u2028b\u0085"}, ensure_ascii=False).encode()
    with pytest.raises(RefusedInputError) as refused:
        read_pairs(body)
    assert [flaw.code for flaw in refused.value.flaws] == ["control_character"]
    assert len(read_pairs(body.replace("\u0085".encode(), b"")).rows) == 1


def test_nothing_and_a_flood():
    assert flaws_of(b"") == [("", "empty_file")]
    flood = flaws_of(b"x\n" * 100_000)
    assert len(flood) == LISTED + 1
    assert flood[-1] == ("", "too_many_flaws")
    crowded = json.dumps({**GOOD, **{f"key{number}": 1 for number in range(5000)}}).encode()
    assert len(flaws_of(crowded)) == LISTED + 1
