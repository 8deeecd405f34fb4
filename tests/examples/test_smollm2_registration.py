import json

from claims.diagnostic import DIMENSIONS, diagnostic
from claims.instruments import attribution_patching_agreement as agreement
from claims.registration.reading import freeze

WEIGHTS = "5a" * 32


def test_the_registration_is_valid_once_its_hashes_are_written():
    from examples.smollm2.study import filled

    registration = freeze(filled(WEIGHTS, diagnostic().sha256)).registration
    assert registration.subject.model.weights_sha256 == WEIGHTS
    assert registration.subject.dataset.sha256 == diagnostic().sha256
    assert registration.subject.dataset.dimensions == list(DIMENSIONS)
    assert registration.sampling.pairs == len(diagnostic().rows)
    assert registration.instrument.version == agreement.MANIFEST.version
    planned = agreement.plan(registration, diagnostic().dimensions)
    assert sum(int(shard.params["pairs"]) for shard in planned) == registration.sampling.pairs


def test_only_the_hashes_are_written():
    from claims.registration.yaml_form import read_yaml
    from examples.smollm2.study import REGISTRATION, filled

    by_hand = read_yaml(REGISTRATION.read_bytes())
    assert json.loads(filled("0" * 64, "0" * 64)) == by_hand
