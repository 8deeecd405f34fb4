"""Intervals, predictions and evidence, drawn where the rule has its edges."""

from math import inf, nan, nextafter

from hypothesis import strategies as st

from claims.evidence import MeasuredDataset, MeasuredModel, MeasuredSubject, Refusal
from tests.claims.verdict.cases import DIAGNOSTICS, LEVEL, PAIRS, WEIGHTS, hypothesis, measured, registered

# Few distinct values, so that bounds often coincide; eighths, so that sums are exact.
NUMBERS = st.integers(-8, 8).map(lambda eighth: eighth / 8) | st.floats(-2, 2)
DISTANCES = st.sampled_from([0.0, 0.125, 0.5, 4.0]) | st.floats(0, 3)
NO_NUMBERS = st.sampled_from([nan, inf, -inf])


def _prediction(op: str) -> st.SearchStrategy[dict]:
    if op == "equals":
        tolerances = st.sampled_from([0.125, 0.5]) | st.floats(1e-9, 1)
        return st.fixed_dictionaries({"op": st.just(op), "value": NUMBERS, "tolerance": tolerances})
    if op in {"within", "outside"}:
        return st.tuples(NUMBERS, NUMBERS).map(lambda ends: {"op": op, "low": min(ends), "high": max(ends)})
    return st.fixed_dictionaries({"op": st.just(op), "value": NUMBERS})


PREDICTIONS = st.sampled_from([">", ">=", "<", "<=", "within", "outside", "equals"]).flatmap(_prediction)


def edges(predict: dict) -> list[float]:
    """Where the outcome can change."""
    if predict["op"] == "equals":
        return [predict["value"] - predict["tolerance"], predict["value"] + predict["tolerance"]]
    return [predict[name] for name in ("value", "low", "high") if name in predict]


@st.composite
def questions(draw: st.DrawFn, *, width: bool = True) -> tuple[dict, float, float]:
    """A prediction with an interval, whose bounds are often at an edge of it or one unit in the last place beside."""
    predict = draw(PREDICTIONS)
    near = [beside for edge in edges(predict) for beside in (nextafter(edge, -inf), edge, nextafter(edge, inf))]
    bounds = st.booleans().flatmap(lambda beside: st.sampled_from(near) if beside else NUMBERS)
    lo, hi = sorted((draw(bounds), draw(bounds)))
    return predict, lo, nextafter(hi, inf) if width and lo == hi else hi


JUDGED = {"confirmed": (0.7, 0.9), "refuted": (0.2, 0.4), "inconclusive": (0.4, 0.6), "void": (0.6, 0.6)}
WORDS = st.sampled_from(list(JUDGED))
ABOVE_HALF = {"op": ">", "value": 0.5}


def claim(primaries: list[str], secondaries: list[str], **parts: object) -> tuple:
    """A registration and evidence whose hypotheses P0, P1 … and S0, S1 … come out as said."""
    words = {f"P{index}": one for index, one in enumerate(primaries)}
    words |= {f"S{index}": one for index, one in enumerate(secondaries)}
    frozen = registered(
        [hypothesis(name, f"m{name.lower()}", ABOVE_HALF, primary=name[0] == "P") for name in words], **parts
    )
    bounds = {f"m{name.lower()}": JUDGED[one] for name, one in words.items()}
    estimates = {
        metric: {"value": (lo + hi) / 2, "lo": lo, "hi": hi, "level": frozen.level}
        for metric, (lo, hi) in bounds.items()
    }
    return frozen, measured(estimates)


def _subject(weights: str | None = WEIGHTS, pairs: str | None = PAIRS) -> MeasuredSubject:
    model = MeasuredModel(weights_sha256=weights, dtype="float32", device="cpu", attention="eager")
    return MeasuredSubject(model=model, dataset=MeasuredDataset(sha256=pairs, n=192))


def _diagnostics(name: str, values: st.SearchStrategy[float]) -> st.SearchStrategy[dict]:
    absent = st.just({key: value for key, value in DIAGNOSTICS.items() if key != name})
    return st.builds(
        lambda given: {"diagnostics": given}, absent | values.map(lambda value: {**DIAGNOSTICS, name: value})
    )


def _otherwise(part: str, values: list) -> st.SearchStrategy[dict]:
    return st.sampled_from([{part: value} for value in values])


HASHES = st.none() | st.sampled_from(["00" * 32, WEIGHTS.upper(), WEIGHTS[:-1]])
COUNTS = {"organisms": 12, "pairs_per_organism": 16, "pairs": 192}
REFUSAL = Refusal(reason="nan", detail="NaN in layer 3", remedy="use fp32")
# By reason, in the order of the page, what evidence has in the place of what would void nothing; not all of it valid.
SPOILS: list[tuple[str, st.SearchStrategy[dict]]] = [
    ("code_drift", _otherwise("instrument", ["scales", "Ruler", ""])),
    ("code_drift", _otherwise("version", ["4", "03", ""])),
    ("code_drift", _otherwise("params", [{}, {"notches": 9}, {"notches": True}, {"side": "left"}, {"notches": nan}])),
    ("code_drift", _otherwise("params", [{"notches": 10, "side": "right"}, {"notches": 10, "teeth": 1}])),
    ("weights_differ", HASHES.map(lambda other: {"subject": _subject(weights=other)})),
    ("dataset_differs", HASHES.map(lambda other: {"subject": _subject(pairs=other)})),
    ("breached_sampling", _otherwise("counts", [{**COUNTS, "organisms": 11}, {**COUNTS, "organisms": 13}])),
    ("breached_sampling", _otherwise("counts", [{"organisms": 12, "pairs": 192}, {**COUNTS, "pairs_per_organism": 0}])),
    ("failed_control", _diagnostics("accuracy", st.floats(-1, nextafter(0.9, 0)) | NO_NUMBERS)),
    ("failed_control", _diagnostics("noise.safety", st.floats(0.6, 9) | NO_NUMBERS)),
    ("kill_criterion", _diagnostics("governed", st.floats(0, nextafter(8, 0)) | NO_NUMBERS)),
    ("kill_criterion", _diagnostics("noise.calm", st.floats(nextafter(2, 3), 9) | NO_NUMBERS)),
]
STUDY_SPOILS = st.sampled_from(range(len(SPOILS))).flatmap(
    lambda index: SPOILS[index][1].map(lambda parts: (SPOILS[index][0], parts))
)
# Likewise of one metric; the figures of an estimate, None for an estimate that is not there.
UNSOUND: list[tuple[str, st.SearchStrategy[dict | None]]] = [
    ("metric_absent", st.none()),
    ("wrong_level", _otherwise("level", [0.95, LEVEL + 2e-12, LEVEL - 2e-12, 1 - LEVEL, nan, inf])),
    ("wrong_method", _otherwise("method", ["bca", "exact", "Student_t", ""])),
    (
        "malformed_interval",
        st.sampled_from(["value", "lo", "hi"]).flatmap(lambda at: NO_NUMBERS.map(lambda one: {at: one})),
    ),
    ("malformed_interval", st.sampled_from([{"lo": 0.9, "hi": 0.7}, {"lo": 0.81}, {"hi": 0.79}, {"value": 0.91}])),
    ("degenerate_interval", NUMBERS.map(lambda here: {"value": here, "lo": here, "hi": here})),
]
METRIC_SPOILS = st.sampled_from(range(len(UNSOUND))).flatmap(
    lambda index: UNSOUND[index][1].map(lambda figures: (UNSOUND[index][0], figures))
)
