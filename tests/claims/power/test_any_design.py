"""Whatever may be assumed of whatever may be predicted, there is an answer, and it is one of chances."""

import json
from math import inf, isfinite

from hypothesis import given, settings
from hypothesis import strategies as st

from claims.canonical import canonical_bytes
from claims.instruments.manifest import Metric
from claims.power import cautions
from claims.power.recorded import Recorded
from claims.power.simulating import Simulation
from claims.power.study import Analysis
from claims.power.units import Units
from claims.registration.model import Assumption, Hypothesis
from claims.registration.vacuity import reachable

RANGES = [(-inf, inf), (-1.0, 1.0), (0.0, 1.0), (0.0, inf), (-inf, 0.0)]
METHODS = ["student_t", "jackknife_t", "wilson", "delong", "percentile", "bca", "studentised_bootstrap"]
SDS = st.floats(1e-320, 1e300) | st.floats(1e-9, 1e6) | st.sampled_from([0.1, 0.3, 0.5, 1.0])


@st.composite
def designs(draw):
    low, high = draw(st.sampled_from(RANGES))
    ends = {"min_value": max(low, -1e6), "max_value": min(high, 1e6)}
    values = st.floats(**ends) | st.sampled_from(
        [end for end in (low, high, (low + high) / 2) if isfinite(end)] or [0.0]
    )
    first, second = sorted((draw(values), draw(values)))
    kinds = [{"op": op, "value": first} for op in (">", ">=", "<", "<=")]
    kinds += [{"op": op, "low": first, "high": second} for op in ("within", "outside")]
    kinds += [{"op": "equals", "value": first, "tolerance": draw(st.floats(1e-6, 2))}]
    hypothesis = Hypothesis.model_validate(
        {"id": "H1", "statement": "s", "primary": True, "metric": "m", "predict": draw(st.sampled_from(kinds))}
    )
    metric = Metric("m", "a metric", low=low, high=high)
    method = draw(st.sampled_from(METHODS if (low, high) == (0, 1) else [name for name in METHODS if name != "wilson"]))
    resamples = 200_000 if method in METHODS[4:] else None
    analysis = Analysis(method, draw(st.sampled_from([0.9, 0.95, 0.9995])), resamples, hypotheses=200)
    units = Units(draw(st.sampled_from([8, 9, 30, 401, 100_000])), 8, 100_000)
    return Simulation(hypothesis, metric, analysis, "cluster", units), draw(values), draw(SDS)


@settings(max_examples=40, deadline=None)
@given(designs(), st.booleans())
def test_every_design_has_an_answer(design, assumed):
    simulation, value, sd = design
    if len(reachable(simulation.hypothesis.predict, simulation.metric)) < 3:
        return  # refused at filing, or near it
    assumption = Assumption(value=value, sd=sd, source="a guess") if assumed else None
    found = simulation.prospect(assumption, Recorded(sd, ("k3v9x2m8q4w7",), same_subject=True), searched=True)
    told = found.as_json()
    canonical_bytes(told)
    assert "-0.0," not in json.dumps(told)
    warned = list(cautions.of_prospects([found]))
    assert all(warning["detail"] for warning in warned)
    assert (found.chances is not None) == assumed
    if found.chances:
        of = found.chances
        assert abs(of.confirmed + of.refuted + of.inconclusive + of.void - 1) < 1e-9

    if found.detectable is not None:
        assert simulation.metric.low <= found.aim.at(found.detectable) <= simulation.metric.high
    if found.smallest_n is not None:
        assert 8 <= found.smallest_n <= 100_000
