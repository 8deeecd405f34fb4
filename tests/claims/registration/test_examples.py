"""Every claim in examples/ can be filed, and names the very bytes of the pairs and weights that it is about."""

from pathlib import Path

import pytest

from claims.canonical import canonical_bytes
from claims.diagnostic import diagnostic
from claims.instruments import catalogue
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from claims.weights import weights_sha256

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
MODELS = ROOT / "tests" / "fixtures" / "models"


def frozen(example):
    return freeze_document(read_yaml(example.read_bytes()))


def about_the_shipped_set():
    return [example for example in EXAMPLES if b"name: diagnostic" in example.read_bytes()]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_can_be_filed(example):
    found = frozen(example)
    assert found.canonical == canonical_bytes(found.document)


def test_every_instrument_has_an_example():
    assert {frozen(example).registration.instrument.name for example in EXAMPLES} == set(catalogue())


@pytest.mark.parametrize("example", about_the_shipped_set(), ids=lambda path: path.name)
def test_an_example_about_the_shipped_set_names_its_bytes_and_its_number_of_pairs(example):
    registration, shipped = frozen(example).registration, diagnostic()
    dataset = registration.subject.dataset
    assert dataset.sha256 == shipped.sha256
    assert registration.sampling.pairs == sum(shipped.dimensions[name] for name in dataset.dimensions)
    assert b"antedate upload diagnostic" in example.read_bytes()


def test_agreement_is_about_the_fixture_as_it_lies_there():
    registration = frozen(ROOT / "examples" / "agreement.yaml").registration
    model, dataset = registration.subject.model, registration.subject.dataset
    directory = MODELS / model.directory
    pairs = read_pairs((directory / "pairs.jsonl").read_bytes())
    assert directory.name == "llama-gqa"
    assert model.weights_sha256 == weights_sha256(directory)
    assert dataset.sha256 == pairs.sha256
    assert set(dataset.dimensions) == set(pairs.dimensions)
    assert registration.sampling.pairs == len(pairs.rows)
