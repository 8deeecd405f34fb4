"""The properties that docs/verdict.md promises, of the rule as it is."""

import pytest

from claims.verdict.rule import adjudicate
from tests.claims.verdict import interval_properties, status_properties, void_properties  # noqa: F401 - read, they are listed
from tests.claims.verdict.proving import PROPERTIES, prove


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_rule_has_the_property(name):
    prove(name, adjudicate)
