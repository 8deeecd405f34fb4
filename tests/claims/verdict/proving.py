"""Properties of the rule, each a function of a rule and a case, so that a spoilt rule can be asked as well."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from claims.verdict.rule import Verdict

Rule = Callable[..., Verdict]
PROPERTIES: dict[str, tuple[Callable[..., None], st.SearchStrategy[tuple]]] = {}


def proven_of(*cases: st.SearchStrategy) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What is decorated asserts something of a rule, its first argument, for every case, its others."""

    def named(holds: Callable[..., None]) -> Callable[..., None]:
        assert holds.__name__ not in PROPERTIES
        PROPERTIES[holds.__name__] = (holds, st.tuples(*cases))
        return holds

    return named


def prove(name: str, rule: Rule, *chosen: settings) -> None:
    """Ask `rule` in drawn cases; raises what the property raises for the first that it does not hold in."""
    holds, cases = PROPERTIES[name]

    def holds_of(case: tuple) -> None:
        holds(rule, *case)

    holds_of.__name__ = holds_of.__qualname__ = name  # by which hypothesis keeps the cases it found
    asked = given(cases)(holds_of)
    for one in chosen:
        asked = one(asked)
    asked()
