"""However large the sizes are that an instrument takes, a plan of them is short; larger ones are refused unplanned."""

import pytest

from claims.flaws import RefusedInputError
from claims.instruments import catalogue

SIZES = {
    "planted_key": ("planted_key_recovery", {"organisms": 24, "pairs_per_organism": 48}),
    "agreement": ("attribution_patching_agreement", {"pairs": 16}),
}


@pytest.mark.parametrize("example", SIZES)
def test_the_largest_sizes_are_planned_in_few_shards(register, example):
    name, sizes = SIZES[example]
    instrument = catalogue()[name]
    largest = {size: instrument.MANIFEST.largest[size] for size in sizes}
    registration = register(example, sampling={**largest, "stopping": "fixed"})
    held = {"brevity": largest.get("pairs", 0) - 3, "caution": 1, "honesty": 1, "kindness": 1}
    assert 0 < len(instrument.plan(registration, held)) < 4_000


@pytest.mark.parametrize(("example", "size"), [(example, size) for example in SIZES for size in SIZES[example][1]])
def test_a_size_above_the_largest_is_refused(register, example, size):
    name, sizes = SIZES[example]
    above = catalogue()[name].MANIFEST.largest[size] + 1
    with pytest.raises(RefusedInputError) as refused:
        register(example, sampling={**sizes, size: above, "stopping": "fixed"})
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [(f"/sampling/{size}", "out_of_bounds")]
