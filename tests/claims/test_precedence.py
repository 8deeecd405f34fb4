import pytest

from claims.precedence import PRECEDENCES, precedence_at_filing, why

ORGANISM = {"kind": "organism", "recipe": "twig"}
LOCAL = {"kind": "local", "directory": "m", "weights_sha256": "ab" * 32}
TINY = {"kind": "tiny", "seed": 1}
GENERATED = {"kind": "generated", "generator": "twigs"}
PAIRS = {"kind": "pairs", "name": "p", "sha256": "cd" * 32, "dimensions": ["safety"]}


@pytest.mark.parametrize(
    ("subject", "level", "happened", "expected"),
    [
        ((ORGANISM, GENERATED), "none", (False, False), "committed"),
        ((ORGANISM, GENERATED), "full", (False, True), "committed"),  # nobody can have seen what does not exist
        ((ORGANISM, GENERATED), "none", (True, False), "post_hoc"),
        ((ORGANISM, PAIRS), "published", (False, False), "committed"),
        ((TINY, GENERATED), "pilot", (False, False), "committed"),
        ((LOCAL, PAIRS), "none", (False, False), "recorded"),
        ((TINY, PAIRS), "none", (False, False), "recorded"),
        ((LOCAL, PAIRS), "none", (False, True), "post_hoc"),
        ((LOCAL, PAIRS), "none", (True, False), "post_hoc"),
        ((LOCAL, PAIRS), "pilot", (False, False), "post_hoc"),
        ((LOCAL, PAIRS), "published", (False, False), "post_hoc"),
        ((LOCAL, PAIRS), "full", (False, False), "post_hoc"),
    ],
)
def test_the_first_match_wins(registered, subject, level, happened, expected):
    (model, dataset), (amended, earlier) = subject, happened
    registration = registered(subject={"model": model, "dataset": dataset}, prior_exposure={"level": level})
    found = precedence_at_filing(registration, amended_after_opening=amended, earlier_evidence=earlier)
    assert found == expected


def test_every_precedence_is_said_in_a_sentence():
    sentences = {why(precedence) for precedence in PRECEDENCES}
    assert len(sentences) == len(PRECEDENCES) == 5
    assert "trusts the operator" in why("committed")
    assert "beacon" in why("committed")
