"""Every file in examples/ can be filed, and the one about a fixture names that fixture's very bytes."""

from pathlib import Path

import pytest

from claims.canonical import canonical_bytes
from claims.pairs import read_pairs
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from claims.weights import weights_sha256

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").iterdir())
MODELS = ROOT / "tests" / "fixtures" / "models"


def frozen(example):
    return freeze_document(read_yaml(example.read_bytes()))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_can_be_filed(example):
    found = frozen(example)
    assert found.canonical == canonical_bytes(found.document)


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
