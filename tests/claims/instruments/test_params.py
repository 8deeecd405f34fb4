import pytest
from jsonschema import Draft202012Validator

from claims.instruments import catalogue
from claims.instruments.params import completed
from claims.instruments.planted_key_recipe import RECIPE

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
