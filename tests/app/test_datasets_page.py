"""docs/datasets.md says what the code does."""

from pathlib import Path

from app.api.schemas.datasets import GROUPS_SHOWN, IDS_SHOWN
from claims.near_duplicates import LIKE
from claims.pairs import LISTED, read_pairs
from claims.shingles import RUN

PAGE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text()
PROSE = " ".join(PAGE.split())


def test_the_example_is_a_pair():
    example = PAGE.partition("```json\n")[2].partition("```")[0]
    assert len(read_pairs(example.encode()).rows) == 1


def test_the_figures_are_those_of_the_code():
    number = {3: "three", 5: "five"}
    assert f"a run of {number[RUN]} words" in PROSE.lower()
    assert f"at least {LIKE};" in PROSE
    assert f"the first {number[IDS_SHOWN]} ids of the first {number[GROUPS_SHOWN]} groups" in PROSE
    assert f"up to {LISTED:,} flaws" in PROSE


def test_every_refusal_of_an_export_is_named():
    codes = ("no_dimension", "no_answer", "dialogues_differ", "prompt_differs", "bad_transcript", "column_in_meta")
    assert [code for code in codes if f"`{code}`" not in PAGE] == []
