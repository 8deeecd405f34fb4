import pytest
from jsonschema import Draft202012Validator

from claims.instruments import catalogue
from claims.instruments.params import completed
from claims.instruments.planted_key_recipe import RECIPE
from claims.registration.subject_checks import flaws_of_params

SCHEMAS = [RECIPE, *(instrument.MANIFEST.params for instrument in catalogue().values())]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_parameter_has_a_default_that_fits_and_says_what_it_is(schema):
    Draft202012Validator.check_schema(dict(schema))
    Draft202012Validator(dict(schema)).validate(completed(schema, {}))
    for name, rule in schema["properties"].items():
        assert "default" in rule, name
        assert rule["description"], name


def test_what_is_stated_stands_over_the_default():
    assert completed(RECIPE, {"layers": 4})["layers"] == 4
    assert completed(RECIPE, {})["layers"] == 8


def whole_numbers(rule):
    """Every whole number that the rule speaks of: what may be chosen, the bounds, the default."""
    named = [*rule.get("enum", ()), *(rule[key] for key in ("minimum", "maximum", "default") if key in rule)]
    return {value for value in named if isinstance(value, int)} if rule.get("type") != "number" else set()


COUNTS = [
    (schema, name, value)
    for schema in SCHEMAS
    for name, rule in schema["properties"].items()
    for value in whole_numbers(rule)
]


@pytest.mark.parametrize(("schema", "name", "value"), COUNTS)
def test_what_counts_is_a_whole_number_as_filed(schema, name, value):
    assert list(flaws_of_params({name: value}, schema, "/params")) == []
    for other in (float(value), str(value), value + 0.5):
        (flaw,) = flaws_of_params({name: other}, schema, "/params")
        assert (flaw.pointer, flaw.code) == (f"/params/{name}", "bad_params")
        assert flaw.remedy


def test_the_sizes_of_an_organism_are_among_what_counts():
    assert {"layers", "hidden", "heads"} <= {name for _, name, _ in COUNTS}
