"""What one interval says of one prediction."""

from math import inf

from hypothesis import strategies as st

from tests.claims.verdict.cases import INSTRUMENTS, hypothesis, measured, registered
from tests.claims.verdict.drawn import DISTANCES, NO_NUMBERS, NUMBERS, PREDICTIONS, edges, questions
from tests.claims.verdict.page import word
from tests.claims.verdict.proving import Rule, proven_of

EXCHANGED = {"confirmed": "refuted", "refuted": "confirmed", "inconclusive": "inconclusive"}
MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "within": "within", "outside": "outside", "equals": "equals"}
OPPOSITE = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "within": "outside", "outside": "within"}


def ask(rule: Rule, predict: dict, lo: float, hi: float, band: float = 0.0, *, metric: str = "shift") -> tuple:
    """The outcome, with why it is void where it is; the status must be the same, as there is one hypothesis.

    `shift` may be any number, `auc` lies in [0, 1], and `count` is exact.
    """
    method = "exact" if metric == "count" else "student_t"
    value = lo + (hi - lo) / 2
    evidence = measured({metric: {"value": value, "lo": lo, "hi": hi, "level": 0.95, "method": method}})
    if band:
        evidence = evidence.model_copy(update={"nondeterminism": {f"band.{metric}": band, "band.gap": 9.0}})
    verdict = rule(registered([hypothesis("H1", metric, predict)]), evidence, INSTRUMENTS)
    (judged,) = verdict.hypotheses
    assert verdict.status == judged.outcome
    assert (judged.estimate, judged.lo, judged.hi, judged.level) == (value, lo, hi, 0.95), "the figures as estimated"
    assert (judged.void_reason is not None) == (judged.outcome == "void") == bool(verdict.voids)
    assert all((void.reason, void.scope) == (judged.void_reason, "metric") for void in verdict.voids)
    return judged.outcome, judged.void_reason


@proven_of(questions())
def the_outcome_is_what_the_page_says(rule, question):
    predict, lo, hi = question
    assert ask(rule, predict, lo, hi) == (word(lo, hi, predict), None)


@proven_of(questions(width=False))
def so_is_that_of_an_exact_metric(rule, question):
    predict, lo, hi = question
    assert ask(rule, predict, lo, hi, metric="count") == (word(lo, hi, predict), None)


@proven_of(PREDICTIONS, NUMBERS)
def an_exact_value_is_always_decided(rule, predict, value):
    for here in (value, *edges(predict)):
        assert ask(rule, predict, here, here, metric="count")[0] in {"confirmed", "refuted"}


@proven_of(questions())
def a_mirrored_question_has_the_same_answer(rule, question):
    predict, lo, hi = question
    mirror = {**predict, "op": MIRRORED[predict["op"]]}
    mirror |= {"value": -predict["value"]} if "value" in predict else {"low": -predict["high"], "high": -predict["low"]}
    assert ask(rule, mirror, -hi, -lo) == ask(rule, predict, lo, hi)


@proven_of(questions())
def the_opposite_prediction_has_the_decisions_exchanged(rule, question):
    predict, lo, hi = question
    if predict["op"] in OPPOSITE:
        opposite = {**predict, "op": OPPOSITE[predict["op"]]}
        assert ask(rule, opposite, lo, hi)[0] == EXCHANGED[ask(rule, predict, lo, hi)[0]]


@proven_of(questions(), DISTANCES, DISTANCES)
def a_wider_interval_decides_no_more_and_none_otherwise(rule, question, below, above):
    predict, lo, hi = question
    narrow, wide = ask(rule, predict, lo, hi)[0], ask(rule, predict, lo - below, hi + above)[0]
    assert wide in {narrow, "inconclusive"}


def undone(question: tuple, band: float, low: float = -inf, high: float = inf) -> bool:
    """Whether some interval whose bounds lie up to `band` from these has another outcome: looked for, not deduced.

    Of a range from `low` to `high`, neither bound leaves it, nor goes further away.
    """
    predict, lo, hi = question
    steps = [band * step / 8 for step in range(-8, 9)]
    marks = [*edges(predict), low, high]
    los = [lo + step for step in steps] + [mark for mark in marks if lo - band <= mark <= lo + band]
    his = [hi + step for step in steps] + [mark for mark in marks if hi - band <= mark <= hi + band]
    within = [(one, other) for one in los if one >= min(lo, low) for other in his if one <= other <= max(hi, high)]
    decided = word(lo, hi, predict)
    return any(word(one, other, predict) != decided for one, other in within)


@proven_of(questions(), DISTANCES)
def the_band_voids_only_a_decision_that_moving_a_bound_by_it_undoes(rule, question, band):
    predict, lo, hi = question
    decided = word(lo, hi, predict)
    void = decided != "inconclusive" and undone(question, band)
    assert ask(rule, predict, lo, hi, band) == (("void", "nondeterminism") if void else (decided, None))


@proven_of(questions(), DISTANCES)
def where_the_metric_s_range_ends_the_band_moves_no_bound_on(rule, question, band):
    predict, lo, hi = question
    decided = word(lo, hi, predict)
    void = decided != "inconclusive" and undone(question, band, 0, 1)
    assert ask(rule, predict, lo, hi, band, metric="auc") == (("void", "nondeterminism") if void else (decided, None))


@proven_of(questions(), st.floats(max_value=-1e-300) | NO_NUMBERS | st.sampled_from([1.7e308, inf]))
def a_band_that_is_none_voids_every_decision(rule, question, band):
    predict, lo, hi = question
    decided = word(lo, hi, predict)
    expected = (decided, None) if decided == "inconclusive" else ("void", "nondeterminism")
    assert ask(rule, predict, lo, hi, band) == expected
