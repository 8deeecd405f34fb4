import ast
from pathlib import Path

import pytest

from workers.refusals import REASONS, RefusalError

ROOT = Path(__file__).parents[2]


def test_every_reason_is_documented():
    page = (ROOT / "docs" / "refusals.md").read_text()
    for reason, when in REASONS.items():
        assert f"| `{reason}` | {when} |" in page


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
