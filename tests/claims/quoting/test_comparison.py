"""A tag beside a record: drift, and records that do not stand."""

import pytest

from claims.quoting import Recorded, compare, tags_in

ID = "k3v9x2m8q4w7"
GAP = {"gap": {"estimate": -0.566, "lo": -0.774, "hi": -0.428}}


def found(text, *statuses, kind="claim", values=GAP, since=""):
    (tag,) = tags_in(f"[[{kind}:{ID} metric=gap {text}]]")
    return compare(tag, Recorded(frozenset(statuses or {"confirmed"}), values, since))


@pytest.mark.parametrize(
    "text", ["value=-0.57", "value=-0.774 field=lo", "value=-0.43 field=hi", "value=57% as=negated"]
)
def test_right(text):
    finding = found(text)
    assert finding.right
    assert finding.recorded.endswith(", confirmed")


def test_drift_says_what_to_write():
    (flaw,) = found("value=-0.58").flaws
    assert flaw == "-0.58 is not estimate -0.566 to the decimals written: write -0.57"
    assert "write -0.566" in found("value=-0.57 round=3sig").flaws[0]
    assert "write 57%" in found("value=58% as=negated").flaws[0]


@pytest.mark.parametrize(
    "statuses",
    [{word} for word in ("refuted", "inconclusive", "void", "withdrawn", "registered", "running")]
    + [{"confirmed", "superseded"}, {"confirmed", "contested"}, {"refuted", "superseded"}],
)
def test_what_does_not_stand_is_not_quoted_as_standing(statuses):
    (flaw,) = found("value=-0.57", *statuses).flaws
    words = flaw.partition("write status=")[2].partition(", and")[0]
    assert set(words.split(",")) == statuses
    assert found(f"value=-0.57 status={words}", *statuses).right


@pytest.mark.parametrize("statuses", [{"confirmed"}, {"refuted", "superseded"}, {"void"}])
def test_a_status_that_is_not_so_is_wrong(statuses):
    (flaw,) = found("value=-0.57 status=refuted", *statuses).flaws
    assert "it is quoted as refuted, and it is" in flaw
    assert ("leave status= out" in flaw) is (statuses == {"confirmed"})


def test_confirmed_may_be_said():
    assert found("value=-0.57 status=confirmed").right


def test_a_reported_number_stands_for_an_import_alone():
    assert found("value=-0.57", "reported", kind="import").right
    assert not found("value=-0.57", "reported").right
    assert not found("value=-0.57", "refuted", kind="import").right
    assert found("value=-0.57 status=refuted", "refuted", kind="import").right
    replaced = found("value=-0.57", "reported", "superseded", kind="import", since="superseded by x")
    assert "(superseded by x)" in replaced.flaws[0]


def test_unknown_records_metrics_and_fields():
    (tag,) = tags_in(f"[[claim:{ID} metric=gap value=1]]")
    assert "no claim" in compare(tag, None).flaws[0]
    assert "it has rho" in found("value=1", values={"rho": {"estimate": 1.0}}).flaws[0]
    assert "no estimates" in found("value=1", values={}).flaws[0]
    assert "gap has no lo" in found("value=1 field=lo", values={"gap": {"estimate": 1.0}}).flaws[0]
    assert len(found("value=1", "refuted").flaws) == 2
