"""The pairs that Antedate ships: as many as promised, independent, of balanced length, described truly."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from statistics import fmean

import pytest
from scipy.stats import binomtest

from claims.diagnostic import DIMENSIONS, diagnostic, diagnostic_bytes
from claims.pairs import Pair, read_pairs

ROOT = Path(__file__).parents[3]
DOCS = (ROOT / "docs" / "diagnostic.md").read_text()
BALANCED = [dimension for dimension in DIMENSIONS if dimension != "verbosity"]


@pytest.fixture(scope="module")
def further() -> tuple[Pair, ...]:
    """The pairs that the study trains on."""
    files = sorted((ROOT / "examples" / "smollm2" / "pairs").glob("*.jsonl"))
    assert [file.stem for file in files] == list(DIMENSIONS)
    return read_pairs(b"".join(file.read_bytes() for file in files)).rows


def of(dimension: str) -> list[Pair]:
    return [pair for pair in diagnostic().rows if pair.dimension == dimension]


def words(text: str) -> int:
    return len(text.split())


def excess(dimension: str) -> list[int]:
    """By how many words the chosen response is longer, pair by pair."""
    return [words(pair.chosen) - words(pair.rejected) for pair in of(dimension)]


def near_duplicates(pairs: Iterable[Pair], limit: float) -> list[tuple[str, str]]:
    """The ids of pairs whose runs of five words have a Jaccard similarity above `limit`."""
    runs = {pair.id: five_words(f"{pair.prompt} {pair.chosen} {pair.rejected}") for pair in pairs}
    holders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, held in runs.items():
        for run in held:
            holders[run].add(name)
    met = {couple for names in holders.values() for couple in combinations(sorted(names), 2)}
    return sorted((a, b) for a, b in met if len(runs[a] & runs[b]) > limit * len(runs[a] | runs[b]))


def five_words(text: str) -> set[tuple[str, ...]]:
    found = re.findall(r"\w+", text.lower())
    return {tuple(found[start : start + 5]) for start in range(max(1, len(found) - 4))}


def row(dimension: str) -> str:
    """What the table in the docs says of a dimension."""
    pairs, by = of(dimension), excess(dimension)
    longer, shorter = sum(more > 0 for more in by), sum(more < 0 for more in by)
    chosen, rejected = (fmean(words(getattr(pair, side)) for pair in pairs) for side in ("chosen", "rejected"))
    p = binomtest(longer, longer + shorter).pvalue
    counts = f"{len(pairs)} | {longer} | {shorter} | {len(pairs) - longer - shorter}"
    return f"| `{dimension}` | {counts} | {chosen:.1f} | {rejected:.1f} | {p:.2g} |"


def test_the_twelve_dimensions_are_there_and_no_other():
    assert list(DIMENSIONS) == sorted(DIMENSIONS)
    assert list(diagnostic().dimensions) == list(DIMENSIONS)
    assert len(DIMENSIONS) == 12


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_dimension_holds_at_least_thirty_pairs_under_dense_ids(dimension):
    pairs = of(dimension)
    assert len(pairs) >= 30
    assert sorted(pair.id for pair in pairs) == [f"{dimension}-{number:02d}" for number in range(1, len(pairs) + 1)]


def test_every_pair_declares_a_cluster_and_no_two_the_same():
    declared = [json.loads(line)["cluster"] for line in diagnostic_bytes().decode().splitlines()]
    assert len(set(declared)) == len(declared) == diagnostic().clusters


@pytest.mark.parametrize("dimension", BALANCED)
def test_neither_side_is_systematically_longer(dimension):
    by = excess(dimension)
    assert abs(sum(more > 0 for more in by) - sum(more < 0 for more in by)) <= 1
    mean = fmean(words(pair.rejected) for pair in of(dimension))
    assert abs(fmean(by)) <= 0.05 * mean


def test_verbosity_is_exempt_because_brevity_is_what_it_measures():
    assert all(by < 0 for by in excess("verbosity"))


def test_no_two_pairs_say_nearly_the_same_nor_does_one_that_is_trained_on(further):
    assert near_duplicates([*diagnostic().rows, *further], 0.3) == []


def test_a_pair_copied_with_a_word_changed_would_be_found():
    pair = diagnostic().rows[0]
    copy = Pair("copy", pair.dimension, f"Now {pair.prompt}", pair.chosen, pair.rejected, "copy", {})
    assert near_duplicates([pair, copy], 0.3) == [tuple(sorted((pair.id, "copy")))]


def test_no_text_is_used_twice(further):
    texts = [text for pair in (*diagnostic().rows, *further) for text in (pair.prompt, pair.chosen, pair.rejected)]
    assert sorted(text for text in set(texts) if texts.count(text) > 1) == []


def test_the_lines_are_whole_and_compact():
    for line in diagnostic_bytes().decode().splitlines():
        assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_docs_say_what_the_dimension_is_and_measure_it_truly(dimension):
    assert f"\n- `{dimension}`: " in DOCS
    assert row(dimension) in DOCS.splitlines()


def test_the_docs_name_the_set_by_its_content_and_size(further):
    assert f"  sha256: {diagnostic().sha256}\n" in DOCS
    assert f"\n{len(diagnostic().rows)} preference pairs" in DOCS
    assert f"holds {len(further)} further pairs" in DOCS
