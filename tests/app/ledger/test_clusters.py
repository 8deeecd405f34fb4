"""Clusters are counted over what each hypothesis is about."""

import copy
import json
from pathlib import Path

import pytest

from app.ledger import datasets
from app.ledger.clusters import clusters_per_metric
from claims.pairs import read_pairs
from claims.registration.model import Registration
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples"
# By dimension, the cluster of each pair.
CLUSTERS = {"safety": "aabbc", "verbosity": "cdd", "wit": "xyz"}


@pytest.fixture
def pairs():
    rows = [(dimension, cluster) for dimension, clusters in CLUSTERS.items() for cluster in clusters]
    texts = {"prompt": "Say.", "chosen": "Yes.", "rejected": "No."}
    lines = (
        json.dumps({"id": f"p{n}", "dimension": dimension, "cluster": cluster, **texts})
        for n, (dimension, cluster) in enumerate(rows)
    )
    return read_pairs("".join(f"{line}\n" for line in lines).encode())


def test_of_a_dimension_and_of_all_that_are_named(ledger, pairs):
    document = copy.deepcopy(read_yaml((EXAMPLES / "agreement.yaml").read_bytes()))
    (hypothesis,) = document["hypotheses"]
    with ledger.begin() as session:
        sha256 = datasets.upload(session, pairs, "eleven pairs", "ada").dataset.sha256
        dataset = {"kind": "pairs", "name": "eleven", "sha256": sha256, "dimensions": ["safety", "verbosity"]}
        document["subject"]["dataset"] = dataset
        document["hypotheses"] = [
            {**hypothesis, "metric": name}
            for name in ("mean_rho", "negative_dimensions", "rho.safety", "rho.verbosity")
        ]
        counted = clusters_per_metric(session, Registration.model_validate(document))
    assert counted == {"mean_rho": 4, "negative_dimensions": 2, "rho.safety": 3, "rho.verbosity": 2}


def test_generated_data_has_none_to_count(ledger):
    registration = Registration.model_validate(read_yaml((EXAMPLES / "planted_key.yaml").read_bytes()))
    with ledger.begin() as session:
        assert clusters_per_metric(session, registration) == {}
