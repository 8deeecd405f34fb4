"""What a registration names must be there as named: datasets, model files, claims."""

import copy
import json
import os
from pathlib import Path

import pytest

from app.ledger import datasets, model_files
from app.ledger.links import supersede, withdraw
from app.ledger.premises import flaws_in, pairs_per_dimension
from claims.pairs import read_pairs
from claims.registration.model import LocalModel, Registration
from claims.registration.yaml_form import read_yaml
from claims.weights import weights_sha256

ROOT = Path(__file__).parents[3]
LLAMA = ROOT / "tests" / "fixtures" / "models" / "llama-gqa"
AGREEMENT = read_yaml((ROOT / "examples" / "agreement.yaml").read_bytes())
# Eight clusters of safety, one of verbosity.
DIMENSIONS = ("safety",) * 8 + ("verbosity",)


def lines(dimensions=DIMENSIONS):
    pairs = (
        {"id": f"p{n}", "dimension": dimension, "prompt": f"Say {n}.", "chosen": f"{n}.", "rejected": f"No {n}."}
        for n, dimension in enumerate(dimensions)
    )
    return "".join(json.dumps(pair) + "\n" for pair in pairs).encode()


@pytest.fixture
def uploaded(ledger):
    with ledger.begin() as session:
        return datasets.upload(session, read_pairs(lines()), "nine pairs", "ada").dataset


@pytest.fixture
def on_pairs(uploaded):
    """`on_pairs(sha256=..., dimensions=..., pairs=..., metrics=...)`: a registration on the uploaded pairs."""

    def registration(sha256=uploaded.sha256, dimensions=("safety", "verbosity"), pairs=9, metrics=("mean_rho",)):
        document = copy.deepcopy(AGREEMENT)
        dataset = {"kind": "pairs", "name": "nine pairs", "sha256": sha256, "dimensions": list(dimensions)}
        document["subject"]["dataset"] = dataset
        document["subject"]["model"] = {"kind": "tiny", "seed": 1}
        document["sampling"] = {"pairs": pairs, "stopping": "fixed"}
        (hypothesis,) = document["hypotheses"]
        document["hypotheses"] = [{**hypothesis, "id": f"H{n}", "metric": metric} for n, metric in enumerate(metrics)]
        return Registration.model_validate(document)

    return registration


@pytest.fixture
def flaws(ledger):
    def found(registration, registrant="ada", model_root=None):
        with ledger.begin() as session:
            return [(flaw.pointer, flaw.code) for flaw in flaws_in(session, registration, registrant, model_root)]

    return found


def test_a_dataset_that_is_there_as_named_has_no_flaw(ledger, on_pairs, flaws):
    assert flaws(on_pairs()) == []
    assert flaws(on_pairs(dimensions=["safety"], pairs=8)) == []
    with ledger.begin() as session:
        assert pairs_per_dimension(session, on_pairs()) == {"safety": 8, "verbosity": 1}
        assert pairs_per_dimension(session, on_pairs(dimensions=["safety"])) == {"safety": 8}


def test_what_is_wrong_with_a_dataset_is_pointed_at(on_pairs, flaws):
    assert flaws(on_pairs(sha256="0" * 64)) == [("/subject/dataset/sha256", "unknown_dataset")]
    unknown = on_pairs(dimensions=["safety", "honesty", "verbosity", "wit"])
    assert flaws(unknown) == [
        ("/subject/dataset/dimensions/1", "unknown_dimension"),
        ("/subject/dataset/dimensions/3", "unknown_dimension"),
    ]
    assert flaws(on_pairs(pairs=10)) == [("/sampling/pairs", "wrong_size")]
    assert flaws(on_pairs(dimensions=["safety"])) == [("/sampling/pairs", "wrong_size")]


def test_a_dimension_with_too_few_clusters_for_the_interval_is_pointed_at(on_pairs, flaws):
    families = ("rho", "top_attribution_moves")
    of_dimensions = [f"{family}.{name}" for family in families for name in ("verbosity", "safety")]
    assert flaws(on_pairs(metrics=["mean_rho", *of_dimensions])) == [
        ("/hypotheses/1/metric", "too_few_units"),
        ("/hypotheses/3/metric", "too_few_units"),
    ]


def test_what_spans_dimensions_needs_the_clusters_of_those_that_are_named(on_pairs, flaws):
    assert flaws(on_pairs(metrics=["mean_rho"])) == []
    expected = [("/hypotheses/0/metric", "too_few_units")]
    assert flaws(on_pairs(dimensions=["verbosity"], pairs=1, metrics=["mean_rho"])) == expected


def test_what_counts_dimensions_needs_the_clusters_in_every_one_of_them(on_pairs, flaws):
    """Each of them has a rho of its own, whose sign is to be decided."""
    counted = ["negative_dimensions"]
    assert flaws(on_pairs(dimensions=["safety"], pairs=8, metrics=counted)) == []
    assert flaws(on_pairs(metrics=["mean_rho", *counted])) == [("/hypotheses/1/metric", "too_few_units")]


def test_the_largest_effect_needs_an_effect_of_every_dimension(ledger, on_pairs, flaws):
    def largest(dimensions, pairs):
        document = on_pairs(metrics=["max_abs_effect_size", "length_slope"]).model_dump(
            by_alias=True, exclude_none=True
        )
        document["subject"]["dataset"] |= {"sha256": sha256, "dimensions": dimensions}
        document["instrument"] = {"name": "bias_battery", "version": "1"}
        document["sampling"]["pairs"] = pairs
        return flaws(Registration.model_validate(document))

    with ledger.begin() as session:
        given = read_pairs(lines(("safety",) * 60 + ("verbosity",) * 2))
        sha256 = datasets.upload(session, given, "two of verbosity", "ada").dataset.sha256
    assert largest(["safety"], 60) == []
    assert largest(["safety", "verbosity"], 62) == [("/hypotheses/0/metric", "too_few_units")]


def test_what_is_about_a_component_spans_dimensions_too(on_pairs, flaws):
    document = on_pairs(metrics=["share.mlp_L1", "late_share.verbosity"]).model_dump(by_alias=True, exclude_none=True)
    document["instrument"] = {"name": "direct_linear_attribution", "version": "1"}
    expected = [("/hypotheses/1/metric", "too_few_units")]
    assert flaws(Registration.model_validate(document)) == expected


def test_pairs_of_one_cluster_are_one_unit(ledger, on_pairs, flaws):
    cloned = b"".join(line.replace(b"{", b'{"cluster": "c", ', 1) for line in lines().splitlines(keepends=True))
    with ledger.begin() as session:
        sha256 = datasets.upload(session, read_pairs(cloned), "clones", "ada").dataset.sha256
    assert flaws(on_pairs(sha256=sha256)) == [("/hypotheses/0/metric", "too_few_units")]


def test_a_unit_that_is_not_the_cluster_is_not_counted_in_the_dataset(document, uploaded, flaws):
    """Organisms are counted where the document states how many."""
    document["subject"]["dataset"] = {
        "kind": "pairs",
        "name": "nine pairs",
        "sha256": uploaded.sha256,
        "dimensions": ["verbosity"],
    }
    document["instrument"]["name"] = "planted_key_recovery"
    document["sampling"] = {"pairs": 1, "stopping": "fixed"}
    assert flaws(Registration.model_validate(document)) == []


def test_the_example_with_a_metric_of_too_small_a_dimension_is_refused(ledger, flaws):
    with ledger.begin() as session:
        datasets.upload(session, read_pairs((LLAMA / "pairs.jsonl").read_bytes()), "llama-gqa", "ada")
    document = copy.deepcopy(AGREEMENT)
    assert flaws(Registration.model_validate(document), model_root=LLAMA.parent) == []
    document["hypotheses"][0]["metric"] = "rho.brevity"
    expected = [("/hypotheses/0/metric", "too_few_units")]
    assert flaws(Registration.model_validate(document), model_root=LLAMA.parent) == expected


def test_every_claim_named_must_be_there(ledger, document, put_claim, flaws):
    with ledger.begin() as session:
        known = put_claim(session)
    document["builds_on"] = ["nothing00000", known, "nothing00001"]
    assert flaws(Registration.model_validate(document)) == [
        ("/builds_on/0", "unknown_claim"),
        ("/builds_on/2", "unknown_claim"),
    ]


def test_an_amendment_is_of_ones_own_living_claim(ledger, document, put_claim, flaws):
    with ledger.begin() as session:
        own, gone, old, theirs = (put_claim(session, registrant=who) for who in ("ada", "ada", "ada", "bob"))
        withdraw(session, gone, "ada", "A mistake.")
        supersede(session, old, own, "ada", "A better one.")
    for claim, code in (
        (own, None),
        (gone, "claim_withdrawn"),
        (old, "claim_superseded"),
        (theirs, "not_your_claim"),
        ("nothing00000", "unknown_claim"),
    ):
        document["amends"] = {"claim": claim, "reason": "A larger sample."}
        expected = [] if code is None else [("/amends/claim", code)]
        assert flaws(Registration.model_validate(document)) == expected


@pytest.fixture
def root(tmp_path):
    model = tmp_path / "root" / "lab" / "reward"
    model.mkdir(parents=True)
    (model / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "root" / "empty").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "model.safetensors").write_bytes(b"weights")
    return tmp_path / "root"


def local(root, directory="lab/reward", sha256=None):
    sha256 = sha256 or weights_sha256(root / "lab" / "reward")
    return LocalModel(kind="local", directory=directory, weights_sha256=sha256)


def test_a_model_under_the_root_with_the_frozen_weights_has_no_flaw(root):
    assert model_files.flaws_in(local(root), root) == []
    (root / "alias").symlink_to(root / "lab" / "reward")
    assert model_files.flaws_in(local(root, "alias"), root) == []


@pytest.mark.parametrize(
    "directory",
    [
        "../outside",
        "lab/../../outside",
        "lab/..",
        "/etc",
        "link",
        "lab/reward\0",
        "nothing",
        "lab",
        "empty",
        "lab/reward/model.safetensors",
        "x" * 1000,
        "stray",
    ],
)
def test_no_path_leads_out_of_the_root_or_to_nothing(root, directory):
    (root / "link").symlink_to(root.parent / "outside")
    (root / "stray").mkdir()
    (root / "stray" / "model.safetensors").symlink_to(root.parent / "outside" / "model.safetensors")
    (flaw,) = model_files.flaws_in(local(root, directory), root)
    assert (flaw.pointer, flaw.code) == ("/subject/model/directory", "unusable_model")
    assert str(root) not in flaw.detail


def test_without_a_model_root_local_models_are_refused_with_the_remedy(root):
    (flaw,) = model_files.flaws_in(local(root), None)
    assert (flaw.pointer, flaw.code) == ("/subject/model/directory", "no_model_root")
    assert "ANTEDATE_MODEL_ROOT" in flaw.remedy


def test_other_weights_than_the_frozen_ones_are_refused(root):
    (flaw,) = model_files.flaws_in(local(root, sha256="0" * 64), root)
    assert (flaw.pointer, flaw.code) == ("/subject/model/weights_sha256", "other_weights")
    assert weights_sha256(root / "lab" / "reward") in flaw.detail


def test_weights_are_hashed_again_only_when_the_file_changed(root, monkeypatch):
    file = root / "lab" / "reward" / "model.safetensors"
    file.write_bytes(os.urandom(32))
    hashed = []

    def counting(directory: Path) -> str:
        hashed.append(directory)
        return weights_sha256(directory)

    monkeypatch.setattr(model_files, "weights_sha256", counting)
    frozen = local(root)
    assert model_files.flaws_in(frozen, root) == model_files.flaws_in(frozen, root) == []
    assert len(hashed) == 1
    file.write_bytes(os.urandom(32))
    assert [flaw.code for flaw in model_files.flaws_in(frozen, root)] == ["other_weights"]
    assert len(hashed) == 2


def test_a_dataset_uploaded_again_is_the_one_that_is_there(ledger, uploaded):
    again = b"".join(reversed(lines().splitlines(keepends=True)))
    with ledger.begin() as session:
        second = datasets.upload(session, read_pairs(again), "another name", "bob")
    assert not second.created
    assert (second.dataset.sha256, second.dataset.name) == (uploaded.sha256, "nine pairs")
    assert (second.dataset.pairs, second.dataset.dimensions) == (9, {"safety": 8, "verbosity": 1})
    with ledger.begin() as session:
        assert datasets.pairs_of(session, uploaded.sha256) == read_pairs(lines())
        with pytest.raises(LookupError):
            datasets.get(session, "0" * 64)
