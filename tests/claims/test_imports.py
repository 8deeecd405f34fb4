"""A published result as a record: what may stand in it, what is refused, and what the shipped ones say."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claims.canonical import canonical_bytes, sha256_hex
from claims.flaws import FLAW_CODES, RefusedInputError
from claims.imports import Record, RecordPart, read_record
from claims.registration.reading import LISTED
from claims.registration.yaml_form import read_yaml

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "imports"
DELETE = object()


def example(name: str) -> dict[str, Any]:
    document: dict[str, Any] = read_yaml((EXAMPLES / f"{name}.yaml").read_bytes())
    return document


def changed(path: str, value: object) -> dict[str, Any]:
    """The planted-key record with one place changed: a path of keys, and what to put there (or DELETE)."""
    document = example("planted_key")
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place: Any = document
    for part in above:
        place = place[part]
    if value is DELETE:
        del place[last]
    else:
        place[last] = value
    return document


def flaws_of(document: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(RefusedInputError) as refused:
        read_record(json.dumps(document).encode())
    return [(flaw.pointer, flaw.code, flaw.remedy) for flaw in refused.value.flaws]


def test_the_planted_key_record_says_what_was_published():
    record = read_record(json.dumps(example("planted_key")).encode()).record
    assert record.statement == (
        "patching's ranking matches the organism's marker-responsive components "
        "(the twin-activation-delta answer key) better than attribution's"
    )
    assert (record.outcome, record.frozen_before_data) == ("refuted", True)
    assert (record.code.commit, record.code.dirty) == ("f93f4b5578c221d3d2665f9b305f3e86759be862", "dirty")
    figures = {figure.metric: figure for figure in record.figures}
    gap = figures["recovery_gap"]
    assert (gap.lo, gap.value, gap.hi) == (-0.7735849056603774, -0.5660377358490566, -0.4276729559748428)
    assert gap.value == pytest.approx(
        figures["patching_recovery_auc"].value - figures["attribution_recovery_auc"].value, abs=1e-15
    )
    assert gap.level is None
    assert "noisy answer key" in record.notes


def test_the_mean_spearman_record_holds_both_values_and_the_cause():
    record = read_record(json.dumps(example("mean_spearman")).encode()).record
    mean, *dimensions = record.figures
    assert (mean.value, mean.tolerance) == (-0.171, 0.01)
    (before,) = mean.superseded
    assert before.value == -0.256
    assert "2.0.0" in before.published_in
    assert "corrected it against its own fixtures" in before.cause
    assert record.outcome == "reported"
    assert record.frozen_before_data is None
    assert len(dimensions) == 12
    recomputed = sum(figure.value for figure in dimensions) / 12
    assert abs(recomputed - mean.value) < mean.tolerance < abs(before.value - mean.value)


def test_a_record_is_known_by_its_canonical_bytes():
    document = example("planted_key")
    read = read_record(json.dumps(document, indent=2).encode())
    assert read.document == document
    assert read.canonical == canonical_bytes(document)
    assert read.sha256 == sha256_hex(read.canonical)
    assert read_record(json.dumps(dict(reversed(document.items()))).encode()).sha256 == read.sha256


@pytest.mark.parametrize(
    ("path", "value", "expected", "told"),
    [
        ("schema", "antedate.import/2", ("/schema", "not_allowed"), "Use antedate.import/1."),
        ("titel", "x", ("/titel", "unknown_key"), "Did you mean “title”?"),
        ("title", DELETE, ("", "missing_key"), "Add “title”."),
        ("title", " ", ("/title", "bad_form"), "one line"),
        ("title", "x" * 201, ("/title", "bad_length"), "200"),
        ("notes", "x" * 20_001, ("/notes", "bad_length"), "20000"),
        ("code", DELETE, ("", "missing_key"), "Add “code”."),
        ("code.commit", "F9" * 20, ("/code/commit", "bad_form"), "40 lower-case hex digits"),
        ("code.commit", "f93f4b5", ("/code/commit", "bad_form"), "40 lower-case hex digits"),
        ("code.commit", DELETE, ("/code", "missing_key"), "Add “commit”."),
        ("code.commit", None, ("/code/dirty", "not_allowed"), "Use unknown, or name the commit."),
        ("code", {"commit": None, "dirty": "clean"}, ("/code/dirty", "not_allowed"), "Use unknown"),
        ("code.dirty", True, ("/code/dirty", "not_allowed"), "Use one of clean, dirty, unknown."),
        ("frozen_before_data", "yes", ("/frozen_before_data", "wrong_type"), "true or false"),
        ("frozen_before_data", DELETE, ("", "missing_key"), "Add “frozen_before_data”."),
        ("outcome", "void", ("/outcome", "not_allowed"), "Use one of confirmed, refuted, inconclusive, reported."),
        ("outcome", "reported", ("/frozen_before_data", "not_predicted"), "Use confirmed, refuted or inconclusive"),
        ("source.url", "ftp://x", ("/source/url", "bad_form"), "http"),
        ("source.url", "https://x y", ("/source/url", "bad_form"), "http"),
        ("source.url", "https://x/é", ("/source/url", "bad_form"), "escaped"),
        ("source.url", "javascript:alert(1)", ("/source/url", "bad_form"), "http"),
        ("source.published", "6 May 2026", ("/source/published", "bad_form"), "2026-05-06"),
        ("source.published", "2026-02-30", ("/source/published", "not_allowed"), "2026-05-06"),
        ("source.published", "2026-13", ("/source/published", "not_allowed"), "2026-05-06"),
        ("source.published", "0000", ("/source/published", "not_allowed"), "2026-05-06"),
        ("source.published", 2026, ("/source/published", "wrong_type"), "in quotes"),
        ("figures", [], ("/figures", "bad_length"), "at least 1"),
        ("figures.0.metric", "AUC", ("/figures/0/metric", "bad_form"), "mean_rho"),
        ("figures.1.metric", "recovery_gap", ("/figures/1/metric", "duplicate_id"), "superseded"),
        ("figures.0.value", "1", ("/figures/0/value", "wrong_type"), "Write a number."),
        ("figures.0.value", True, ("/figures/0/value", "wrong_type"), "Write a number."),
        ("figures.0.value", DELETE, ("/figures/0", "missing_key"), "Add “value”."),
        ("figures.0.tolerance", 0, ("/figures/0/tolerance", "out_of_bounds"), "above 0"),
        ("figures.1.level", 0.95, ("/figures/1", "missing_key"), "Add “lo” and “hi”"),
        ("figures.0.level", 95, ("/figures/0/level", "out_of_bounds"), "below 1"),
        ("figures.0.level", 0, ("/figures/0/level", "out_of_bounds"), "above 0"),
        ("figures.0.lo", DELETE, ("/figures/0", "missing_key"), "Add “lo”, or leave “hi” out."),
        ("figures.0.hi", None, ("/figures/0", "missing_key"), "Add “hi”, or leave “lo” out."),
        ("figures.0.hi", -0.9, ("/figures/0/lo", "reversed_band"), "Put the lower end"),
        ("figures.0.superseded", [{"value": 1, "cause": "x"}], ("/figures/0/superseded/0", "missing_key"), "Add"),
        ("replaces", {"record": "short", "reason": "x"}, ("/replaces/record", "bad_form"), "an imported record"),
        ("replaces", {"record": "a" * 16}, ("/replaces", "missing_key"), "Add “reason”."),
        ("limits", ["\u202eevil"], ("/limits/0", "hidden_character"), "hide or reorder"),
        ("statement", "two\nlines", ("/statement", "control_character"), "one"),
        ("source.title", "e\u0301", ("/source/title", "not_nfc"), "NFC"),
    ],
)  # fmt: skip
def test_one_flaw(path, value, expected, told):
    ((pointer, code, remedy),) = flaws_of(changed(path, value))
    assert (pointer, code) == expected
    assert told in remedy


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "malformed_json"),
        (b"[" * 100_000, "too_deep"),
        (b"\xff", "not_utf8"),
        (b"\xef\xbb\xbf{}", "byte_order_mark"),
        (b'{"title": "\\ud800"}', "lone_surrogate"),
        (b'{"schema": 1, "schema": 1}', "duplicate_key"),
        (b'{"figures": [{"value": NaN}]}', "not_a_number"),
        (b'{"figures": [{"value": 1e999}]}', "number_out_of_range"),
        (b"[]", "wrong_type"),
        (b"null", "wrong_type"),
    ],
)
def test_the_text_is_read_as_strictly_as_a_registration(body, code):
    with pytest.raises(RefusedInputError) as refused:
        read_record(body)
    assert code in {flaw.code for flaw in refused.value.flaws}


def test_many_flaws_come_in_document_order_and_a_flood_of_them_is_cut():
    document = changed("notes", "\u202e") | {"title": 3, "source": {}}
    pointers = [pointer for pointer, _, _ in flaws_of(document)]
    assert pointers == ["/title", "/source", "/notes"]
    flood = flaws_of(changed("figures", [{}] * 150))
    assert len(flood) == LISTED + 1
    assert flood[-1][1] == "too_many_flaws"


def test_every_key_is_documented():
    documented = (ROOT / "docs" / "imports.md").read_text()
    keys = {field.alias or name for part in RecordPart.__subclasses__() for name, field in part.model_fields.items()}
    assert {key for key in keys if f"`{key}`" not in documented and f".{key}`" not in documented} == set()


@pytest.mark.parametrize("published", ["2026", "2026-05", "2026-05-06", "2024-02-29"])
def test_a_date_is_as_exact_as_the_source_has_it(published):
    assert read_record(json.dumps(changed("source.published", published)).encode()).record.source.published == published


def test_an_interval_of_one_point_is_published_often():
    document = changed("figures.1", {"metric": "auc", "value": 1, "lo": 1, "hi": 1, "level": 0.95})
    assert read_record(json.dumps(document).encode()).record.figures[1].level == 0.95


NUMBERS = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-300)


@st.composite
def figures(draw: st.DrawFn) -> list[dict[str, Any]]:
    found = []
    for name in draw(st.sets(st.from_regex(r"\A[a-z][a-z0-9_]{0,9}(\.[A-Za-z0-9_-]{1,5})?\Z"), min_size=1, max_size=4)):
        figure: dict[str, Any] = {"metric": name, "value": draw(NUMBERS)}
        if draw(st.booleans()):
            figure["lo"], figure["hi"] = sorted((draw(NUMBERS), draw(NUMBERS)))
            figure["level"] = draw(st.none() | st.floats(0.5, 0.999))
        if draw(st.booleans()):
            before = {"value": draw(NUMBERS), "published_in": "before", "cause": "a cause"}
            figure["superseded"] = [before] * draw(st.integers(0, 3))
        found.append(figure)
    return found


@given(figures=figures(), frozen=st.none() | st.booleans(), outcome=st.sampled_from(["confirmed", "refuted"]))
@settings(max_examples=150, deadline=None)
def test_every_record_of_the_right_shape_is_read_as_it_was_written(figures, frozen, outcome):
    document = example("planted_key") | {"figures": figures, "frozen_before_data": frozen, "outcome": outcome}
    read = read_record(json.dumps(document).encode())
    assert read.document == document
    again = read.record.model_dump(mode="json", by_alias=True)
    assert Record.model_validate(again) == read.record
    assert read_record(json.dumps(again).encode()).record == read.record


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


@given(data=st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_record_with_one_part_replaced_is_read_or_refused_in_known_words(data):
    mutant = copy.deepcopy(example(data.draw(st.sampled_from(["planted_key", "mean_spearman"]))))
    *parents, last = data.draw(st.sampled_from(places(mutant)[1:]))
    holder = mutant
    for part in parents:
        holder = holder[part]
    if data.draw(st.booleans()):
        holder[last] = data.draw(VALUES)
    else:
        del holder[last]
    try:
        read = read_record(json.dumps(mutant).encode())
    except RefusedInputError as refused:
        for flaw in refused.flaws:
            assert flaw.code in FLAW_CODES
            assert flaw.remedy
            f"{flaw.pointer} {flaw.detail} {flaw.remedy}".encode()
    else:
        assert read.canonical == canonical_bytes(mutant)
