import ast
from pathlib import Path

import pytest

from workers.refusals import REASONS, RefusalError

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "refusals.md").read_text()


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_has_a_section_that_says_when_and_what_to_do(reason):
    section = PAGE.partition(f"\n## {reason}\n")[2].partition("\n## ")[0]
    assert section.strip() == f"{REASONS[reason].when}\n\nWhat to do: {REASONS[reason].remedy}"


def test_no_section_is_of_another_reason():
    assert [line.removeprefix("## ") for line in PAGE.splitlines() if line.startswith("## ")] == list(REASONS)


def test_every_reason_is_given_somewhere_and_no_other():
    words = {
        node.value
        for path in (ROOT / "workers").rglob("*.py")
        if path.name != "refusals.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(REASONS) <= words
    with pytest.raises(ValueError, match="no reason of the list"):
        RefusalError("because", "of this", "and that")


def test_a_refusal_says_what_is_wrong_and_what_to_do():
    refusal = RefusalError("not_finite", "mlp_L3 gives NaN.", "Check the weights.")
    assert (refusal.reason, refusal.detail, refusal.remedy) == ("not_finite", "mlp_L3 gives NaN.", "Check the weights.")
    assert str(refusal) == "not_finite: mlp_L3 gives NaN. Check the weights."
