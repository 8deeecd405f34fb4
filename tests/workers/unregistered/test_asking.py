"""What cannot be asked is told at once, by option, with nothing measured."""

import dataclasses

import pytest

from claims.flaws import RefusedInputError
from claims.registration.reading import freeze_document
from workers.unregistered import asking
from workers.unregistered.asking import Options
from workers.unregistered.refusing import BadOptionsError

NOTHING = Options("reward", "tiny:1", None, (), "{}", None, None, (), 0.95, None, None, None)


@pytest.fixture
def options(llama):
    """`options(**changed)`: the agreement on the fixture, or on whatever else is said."""
    given = dataclasses.replace(
        NOTHING,
        instrument="attribution_patching_agreement",
        model=str(llama),
        pairs=str(llama / "pairs.jsonl"),
    )
    return lambda **changed: dataclasses.replace(given, **changed)


@pytest.fixture
def of_organisms(options):
    given = options(instrument="planted_key_recovery", model="organism:planted_key", pairs=None)
    sizes = ("organisms=4", "pairs_per_organism=2")
    return lambda **changed: dataclasses.replace(given, **{"sizes": sizes, **changed})


def refused(options):
    with pytest.raises(BadOptionsError) as error:
        asking.question(options)
    return error.value.lines


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"instrument": "x"}, ["--instrument: there is no instrument 'x'"]),
        ({"model": "/nowhere"}, ["--model: '/nowhere' is no directory"]),
        ({"model": ""}, ["--model: '' is no directory"]),
        ({"model": "tiny:one"}, ["--model /seed: "]),
        ({"model": "huggingface:a/b@main"}, ["--model /revision: "]),
        ({"model": "organism:planted_key"}, ["--model /kind: "]),
        ({"pairs": None}, ["--pairs: attribution_patching_agreement measures preference pairs"]),
        ({"pairs": "/nowhere"}, ["--pairs: '/nowhere' cannot be read"]),
        ({"dimensions": ("x",)}, ["--dimension: the pairs have no dimension 'x'"]),
        ({"params": "[]"}, ["--params: it is not a JSON object"]),
        ({"params": '{"a":1,"a":NaN}'}, ["--params: the key “a” stands here twice", "--params /a: NaN"]),
        ({"params": '{"a":1,"rank_by":"x"}'}, ["--params /a: ", "--params /rank_by: "]),
        ({"recipe": "{}"}, ["--recipe: "]),
        ({"readout": -1}, ["--readout: -1 is out of bounds"]),
        ({"sizes": ("pairs=2",)}, ["--size: every pair of the dimensions chosen is measured"]),
        ({"sizes": ("organisms=2",)}, ["--size /organisms: "]),
        ({"sizes": ("organisms=2.5",)}, ["--size: organisms=2.5 is no size"]),
        ({"sizes": ("organisms=2", "organisms=3")}, ["--size: organisms stands twice"]),
        ({"confidence": 0.8}, ["--confidence: "]),
        ({"interval": "wilson"}, ["--interval: "]),
        ({"interval": "wilson", "params": '{"a":1}'}, ["--params /a: ", "--interval: "]),
        ({"resamples": 1000}, ["--resamples: "]),
        ({"seed": "AB" * 32}, ["--seed: "]),
    ],
)
def test_each_flaw_names_its_option(options, changed, says):
    told = refused(options(**changed))
    assert len(told) == len(says)
    for line, said in zip(told, says, strict=True):
        assert line.startswith(said)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"sizes": ("organisms=4",)}, ["--size: planted_key_recovery needs the size pairs_per_organism"]),
        ({"model": "organism:x"}, ["--model /recipe: there is no recipe x"]),
        ({"recipe": '{"layers":3,"x":1}'}, ["--recipe /layers: ", "--recipe /x: "]),
        ({"dimensions": ("x",)}, ["--dimension: "]),
        ({"readout": 1}, ["--readout: "]),
        ({"pairs": "diagnostic"}, ["--pairs: planted_key_recovery makes its own data"]),
    ],
)
def test_organisms_have_no_pairs_and_need_sizes(of_organisms, changed, says):
    told = sorted(refused(of_organisms(**changed)))
    assert len(told) == len(says)
    for line, said in zip(told, says, strict=True):
        assert line.startswith(said)


def test_every_bad_pair_is_told_with_its_line(options, tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"id":"a"}\n\n')
    told = refused(options(pairs=str(tmp_path / "pairs.jsonl")))
    assert {line.partition(": ")[0] for line in told} == {"--pairs /1", "--pairs /2"}


def test_what_is_asked_predicts_nothing_and_no_ledger_would_freeze_it(options):
    asked = asking.question(options(confidence=0.9)).registration
    assert asked.hypotheses == []
    assert asked.level == 0.9
    with pytest.raises(RefusedInputError) as error:
        freeze_document(asked.document())
    assert "/hypotheses" in {flaw.pointer for flaw in error.value.flaws}


def test_fewer_units_than_an_interval_needs_may_be_measured(of_organisms):
    assert asking.question(of_organisms()).registration.sampling.sizes == {"organisms": 4, "pairs_per_organism": 2}


def test_a_nonce_is_drawn_where_none_is_given(options):
    drawn = [asking.question(options()).nonce for _ in range(2)]
    assert drawn[0] != drawn[1]
    assert asking.question(options(seed="ab" * 32)).nonce == b"\xab" * 32
