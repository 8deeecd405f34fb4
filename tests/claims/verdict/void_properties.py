"""Every reason that evidence can give, alone and in company. None of these cases has passed a validation."""

from hypothesis import strategies as st

from tests.claims.verdict.cases import INSTRUMENTS, estimated, unchecked
from tests.claims.verdict.drawn import (
    DIAGNOSTICS,
    METRIC_SPOILS,
    NO_NUMBERS,
    REFUSAL,
    SPOILS,
    STUDY_SPOILS,
    WORDS,
    claim,
)
from tests.claims.verdict.page import SCOPES
from tests.claims.verdict.proving import proven_of

ORDER = [reason for reason in SCOPES if reason in dict(SPOILS)]
FIGURES = ("value", "lo", "hi", "level")
BAND = "band.mp0"


def unsound(evidence: object, metric: str, figures: dict | None) -> object:
    if figures is None:
        rest = {name: estimate for name, estimate in evidence.estimates.items() if name != metric}
        return unchecked(evidence, estimates=rest, not_measured={metric: "one class only"})
    return estimated(evidence, metric, **figures)


def reasons(verdict: object) -> list[str | None]:
    return [judged.void_reason for judged in verdict.hypotheses]


@proven_of(st.tuples(WORDS, WORDS, WORDS), STUDY_SPOILS)
def a_reason_of_the_study_voids_every_hypothesis(rule, words, spoil):
    """Whatever the intervals say: void, never refuted, and the figures are still shown."""
    reason, parts = spoil
    registration, evidence = claim(list(words[:2]), [words[2]])
    verdict = rule(registration, unchecked(evidence, **parts), INSTRUMENTS)
    assert reasons(verdict) == [reason] * 3
    assert {verdict.status, *(judged.outcome for judged in verdict.hypotheses)} == {"void"}
    for judged, estimate in zip(verdict.hypotheses, evidence.estimates.values(), strict=True):
        assert (judged.estimate, judged.lo, judged.hi) == (estimate.value, estimate.lo, estimate.hi)
    (void,) = verdict.voids
    assert (void.reason, void.scope, void.hypothesis) == (reason, "study", None)
    assert void.figures
    assert void.remedy


@proven_of(st.lists(STUDY_SPOILS, min_size=2, max_size=6), METRIC_SPOILS)
def of_several_reasons_the_first_on_the_page_voids_and_all_are_told(rule, spoils, other):
    """A later spoil of the same part of evidence takes the place of an earlier one."""
    parts, told = {}, {}
    for reason, changed in spoils:
        ((part, _),) = changed.items()
        parts |= changed
        told[part] = reason
    registration, evidence = claim(["confirmed", "refuted"], [])
    spoilt = unsound(unchecked(evidence, **parts), "mp0", other[1])
    verdict = rule(registration, spoilt, INSTRUMENTS)
    expected = sorted(set(told.values()), key=ORDER.index)
    assert list(dict.fromkeys(void.reason for void in verdict.voids)) == expected
    assert reasons(verdict) == [expected[0]] * 2
    assert verdict.status == "void"


@proven_of(st.lists(STUDY_SPOILS, max_size=3))
def of_a_refusal_nothing_else_is_looked_at(rule, spoils):
    registration, evidence = claim(["confirmed", "refuted"], [])
    for _, parts in spoils:
        evidence = unchecked(evidence, **parts)
    verdict = rule(registration, unchecked(evidence, refusal=REFUSAL, estimates={}), INSTRUMENTS)
    assert reasons(verdict) == ["instrument_refused"] * 2
    (void,) = verdict.voids
    assert (void.reason, void.figures, verdict.status) == ("instrument_refused", REFUSAL.model_dump(), "void")


@proven_of(st.lists(WORDS, max_size=2), METRIC_SPOILS, st.sampled_from(["confirmed", "refuted", "inconclusive"]))
def a_reason_of_a_metric_voids_its_hypothesis_alone(rule, others, spoil, word):
    reason, figures = spoil
    registration, evidence = claim([word, "confirmed"], others)
    if figures and "level" not in figures:
        figures = {"value": 0.8, "lo": 0.7, "hi": 0.9, **figures}
    verdict = rule(registration, unsound(evidence, "mp0", figures), INSTRUMENTS)
    first, *rest = verdict.hypotheses
    assert (first.outcome, first.void_reason) == ("void", reason)
    assert [judged.outcome for judged in rest] == ["confirmed", *others]
    assert verdict.status == "void"
    assert (verdict.voids[0].reason, verdict.voids[0].scope, verdict.voids[0].hypothesis) == (reason, "metric", "P0")
    shown = [first.estimate, first.lo, first.hi, first.level]
    assert (shown == [None] * 4) == (figures is None)


PLACES = st.sampled_from([*FIGURES, *DIAGNOSTICS, BAND])


@proven_of(WORDS, st.dictionaries(PLACES, NO_NUMBERS, min_size=1, max_size=2))
def no_number_is_never_a_pass_and_never_an_exception(rule, word, spoilt):
    """Only a band that none knows leaves something standing: what is undecided without it."""
    registration, evidence = claim([word], [])
    figures, diagnostics = ({name: spoilt[name] for name in spoilt if name in part} for part in (FIGURES, DIAGNOSTICS))
    band = {BAND: spoilt[BAND]} if BAND in spoilt else {}
    evidence = unchecked(evidence, diagnostics={**DIAGNOSTICS, **diagnostics}, nondeterminism=band)
    verdict = rule(registration, estimated(evidence, "mp0", **figures), INSTRUMENTS)
    assert verdict.status == ("inconclusive" if set(spoilt) == {BAND} and word == "inconclusive" else "void")
    assert all(void.remedy and SCOPES[void.reason] == void.scope for void in verdict.voids)


@proven_of(st.sampled_from(["confirmed", "refuted"]))
def evidence_may_state_the_default_of_what_was_left_out(rule, word):
    registration, evidence = claim([word], [])
    for params in ({"notches": 10}, {"notches": 10.0}, {"notches": 10, "side": "left"}):
        assert rule(registration, unchecked(evidence, params=params), INSTRUMENTS).status == word
