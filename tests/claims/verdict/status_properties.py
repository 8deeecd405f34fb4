"""From the outcomes of hypotheses to the status of a claim."""

import copy

from hypothesis import strategies as st

from tests.claims.verdict.cases import INSTRUMENTS, estimated, unchecked
from tests.claims.verdict.drawn import WORDS, claim
from tests.claims.verdict.proving import proven_of

OUTCOMES = st.lists(WORDS, min_size=1, max_size=4)
SOME = st.lists(WORDS, max_size=3)
UNNAMED = {
    "access": ["nothing"],
    "controls": {"positive": False},
    "conformance": {"self_patch": "failed"},
    "gauge": "raw_only",
    "cost": {"seconds": 1e9},
    "not_measured": {"auc": "it was"},
    "rows_sha256": "f" * 64,
}


def by_the_page(primaries: list[str]) -> str:
    """Any primary refuted, refuted; else any primary void, void; else all confirmed, confirmed; else inconclusive."""
    if "refuted" in primaries:
        return "refuted"
    if "void" in primaries:
        return "void"
    return "confirmed" if all(word == "confirmed" for word in primaries) else "inconclusive"


@proven_of(OUTCOMES, SOME)
def the_status_is_what_the_page_says_and_secondaries_decide_nothing(rule, primaries, secondaries):
    verdict = rule(*claim(primaries, secondaries), INSTRUMENTS)
    assert [judged.outcome for judged in verdict.hypotheses] == primaries + secondaries
    assert verdict.status == by_the_page(primaries)
    names = [f"P{index}" for index in range(len(primaries))] + [f"S{index}" for index in range(len(secondaries))]
    assert [judged.id for judged in verdict.hypotheses] == names
    assert [void.hypothesis for void in verdict.voids] == [
        name for name, word in zip(names, primaries + secondaries, strict=True) if word == "void"
    ]


@proven_of(SOME, SOME, st.integers(0, 3))
def a_void_primary_more_never_makes_a_claim_confirmed(rule, primaries, secondaries, at):
    verdict = rule(*claim([*primaries[:at], "void", *primaries[at:]], secondaries), INSTRUMENTS)
    assert verdict.status == ("refuted" if "refuted" in primaries else "void")


@proven_of(OUTCOMES, SOME, st.randoms(use_true_random=False))
def the_order_of_hypotheses_decides_nothing(rule, primaries, secondaries, random):
    registration, evidence = claim(primaries, secondaries)
    shuffled = random.sample(registration.hypotheses, len(registration.hypotheses))
    one = rule(registration, evidence, INSTRUMENTS)
    other = rule(registration.model_copy(update={"hypotheses": shuffled}), evidence, INSTRUMENTS)
    assert one.status == other.status
    assert sorted(one.hypotheses, key=lambda judged: judged.id) == sorted(
        other.hypotheses, key=lambda judged: judged.id
    )


@proven_of(OUTCOMES, SOME)
def a_hypothesis_is_primary_where_it_stands_and_not_by_its_name(rule, primaries, secondaries):
    """Filing refuses two of one name. The rule does not lean on that."""
    registration, evidence = claim(primaries, secondaries)
    renamed = [one.model_copy(update={"id": "H"}) for one in registration.hypotheses]
    verdict = rule(registration.model_copy(update={"hypotheses": renamed}), evidence, INSTRUMENTS)
    assert verdict.status == by_the_page(primaries)


@proven_of(OUTCOMES, SOME, st.sets(st.sampled_from(sorted(UNNAMED))))
def what_no_rule_names_changes_nothing(rule, primaries, secondaries, names):
    registration, evidence = claim(primaries, secondaries)
    other = unchecked(evidence, **{name: UNNAMED[name] for name in names})
    other = estimated(other, "mp0", unit="pair", n=1, n_effective=0.5)
    one, same = rule(registration, evidence, INSTRUMENTS), rule(registration, other, INSTRUMENTS)
    assert (one.status, one.hypotheses) == (same.status, same.hypotheses)


@proven_of(OUTCOMES, SOME)
def the_rule_is_a_function_and_leaves_its_arguments_alone(rule, primaries, secondaries):
    asked = claim(primaries, secondaries)
    before = copy.deepcopy(asked)
    assert rule(*asked, INSTRUMENTS) == rule(*asked, INSTRUMENTS)
    assert asked == before
