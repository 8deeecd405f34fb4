"""What a document of the wrong shape is told: where, what, and what to do."""

import pytest

from claims.flaws import Flaw, RefusedInputError
from claims.registration.reading import freeze_document


@pytest.fixture
def flaws_of(document, instruments):
    """The flaws after one change, given as a path of keys and the value to put there (or DELETE)."""

    def found(*changes: tuple[str, object]) -> list[Flaw]:
        for path, value in changes:
            *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
            place = document
            for part in above:
                place = place[part]
            if value is DELETE:
                del place[last]
            else:
                place[last] = value
        with pytest.raises(RefusedInputError) as refused:
            freeze_document(document, instruments)
        return list(refused.value.flaws)

    return found


DELETE = object()
PAIRS = {"kind": "pairs", "name": "p", "sha256": "ab" * 32, "dimensions": ["safety"]}
HUB = {"kind": "huggingface", "repo": "owner/name", "revision": "ab" * 20}


@pytest.mark.parametrize(
    ("path", "value", "expected", "told"),
    [
        ("titel", "x", ("/titel", "unknown_key"), "Did you mean “title”?"),
        ("hypotheses.0.predict.valeu", 1, ("/hypotheses/0/predict/valeu", "unknown_key"), "Known keys: op, value."),
        ("subject.model.organism", 1, ("/subject/model/organism", "unknown_key"), "Known keys: kind, recipe, params."),
        ("[key]", None, ("/[key]", "unknown_key"), "Known keys: schema,"),
        ("analysis.[key]", 1, ("/analysis/[key]", "unknown_key"), "Known keys: confidence,"),
        ("title", DELETE, ("", "missing_key"), "Add “title”."),
        ("subject.model.recipe", DELETE, ("/subject/model", "missing_key"), "Add “recipe”."),
        (
            "subject.model.kind",
            DELETE,
            ("/subject/model", "missing_key"),
            "Use one of huggingface, local, organism, tiny.",
        ),
        ("subject.model.kind", "cloud", ("/subject/model/kind", "not_allowed"), "Use one of huggingface, local"),
        ("subject.model.kind", 3, ("/subject/model/kind", "not_allowed"), "Use one of huggingface, local"),
        ("hypotheses.0.predict.op", "≥", ("/hypotheses/0/predict/op", "not_allowed"), "outside"),
        ("hypotheses.0.predict", {"op": "within", "low": 1}, ("/hypotheses/0/predict", "missing_key"), "Add “high”."),
        ("hypotheses.0.predict.value", "0", ("/hypotheses/0/predict/value", "wrong_type"), "Write a number."),
        ("hypotheses.0.predict.value", True, ("/hypotheses/0/predict/value", "wrong_type"), "Write a number."),
        ("hypotheses.0.primary", 1, ("/hypotheses/0/primary", "wrong_type"), "Write true or false."),
        ("hypotheses", [], ("/hypotheses", "bad_length"), "at least 1"),
        ("hypotheses.1", None, ("/hypotheses/1", "wrong_type"), "the keys id, statement"),
        ("sampling.organisms", 12.0, ("/sampling/organisms", "wrong_type"), "without a decimal point"),
        ("sampling.organisms", 0, ("/sampling/organisms", "out_of_bounds"), "at least 1"),
        ("sampling.organisms", 10**7, ("/sampling/organisms", "out_of_bounds"), "1,000,000"),
        ("sampling.stopping", "when_significant", ("/sampling/stopping", "not_allowed"), "Use fixed."),
        ("analysis.confidence", 0.8, ("/analysis/confidence", "not_allowed"), "0.90, 0.95 or 0.99"),
        ("analysis.interval", "wald", ("/analysis/interval", "not_allowed"), "Use one of student_t"),
        ("prior_exposure", "none", ("/prior_exposure", "wrong_type"), "the keys level, note"),
        ("prior_exposure.level", "some", ("/prior_exposure/level", "not_allowed"), "Use one of none, pilot"),
        ("title", "", ("/title", "bad_form"), "one line"),
        ("title", "  ", ("/title", "bad_form"), "one line"),
        ("title", "x" * 201, ("/title", "bad_length"), "200"),
        ("schema", "antedate.registration/2", ("/schema", "not_allowed"), "Use antedate.registration/1."),
        ("reproduction_tolerance", {"Not ok": 1}, ("/reproduction_tolerance/Not ok", "bad_form"), "a metric"),
        ("reproduction_tolerance.auc", -1, ("/reproduction_tolerance/auc", "out_of_bounds"), "at least 0"),
        ("builds_on", ["short"], ("/builds_on/0", "bad_form"), "the id of a claim"),
        ("amends", {"claim": "a" * 12}, ("/amends", "missing_key"), "Add “reason”."),
        (
            "subject.model",
            {**HUB, "revision": "main"},
            ("/subject/model/revision", "bad_form"),
            "a branch or a tag can move",
        ),
        ("subject.model", {**HUB, "revision": "AB" * 20}, ("/subject/model/revision", "bad_form"), "40 lower-case hex"),
        ("subject.model", {**HUB, "repo": "../x"}, ("/subject/model/repo", "bad_form"), "owner/name"),
        ("subject.model", {**HUB, "repo": "\u043ewner/name"}, ("/subject/model/repo", "bad_form"), "owner/name"),
        ("subject.model", {"kind": "tiny", "seed": 2**32}, ("/subject/model/seed", "out_of_bounds"), "4,294,967,296"),
        (
            "subject.dataset",
            {**PAIRS, "sha256": "ab"},
            ("/subject/dataset/sha256", "bad_form"),
            "64 lower-case hex digits",
        ),
        ("subject.dataset", {**PAIRS, "dimensions": ["a b"]}, ("/subject/dataset/dimensions/0", "bad_form"), "letters"),
        ("instrument.version", 3, ("/instrument/version", "wrong_type"), 'such as "1"'),
    ],
)
def test_one_flaw_of_shape(flaws_of, path, value, expected, told):
    flaws = flaws_of((path, value))
    assert [(flaw.pointer, flaw.code) for flaw in flaws] == [expected]
    assert told in flaws[0].remedy


def test_many_flaws_come_in_document_order(flaws_of):
    flaws = flaws_of(
        ("analysis.confidence", 0.5),
        ("title", 3),
        ("hypotheses.1.predict.low", 1),
        ("hypotheses.0.primary", "yes"),
        ("statement", DELETE),
    )
    assert [flaw.pointer for flaw in flaws] == [
        "",
        "/title",
        "/hypotheses/0/primary",
        "/hypotheses/1/predict/low",
        "/analysis/confidence",
    ]


@pytest.mark.parametrize("document", [None, 3, "text", [], [{}]])
def test_what_is_no_object_is_refused(document, instruments):
    with pytest.raises(RefusedInputError) as refused:
        freeze_document(document, instruments)
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [("", "wrong_type")]


def test_long_and_hidden_values_are_quoted_short_and_visibly(flaws_of):
    (flaw,) = flaws_of(("subject.dataset", {**PAIRS, "sha256": "\u202e" + "x" * 5000}))
    assert len(flaw.detail) < 150
    assert "\u202e" not in flaw.detail
