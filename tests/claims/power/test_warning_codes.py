"""Every warning of the design check is explained, in the code and on its page."""

import ast
from pathlib import Path

import pytest

from claims.design import WARNING_CODES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "power.md").read_text()
TOLD_BY = ("claims/design.py", "claims/power/cautions.py")


@pytest.mark.parametrize("code", WARNING_CODES)
def test_a_code_is_on_the_page(code):
    assert f"| `{code}` | {WARNING_CODES[code]} |" in PAGE


def test_no_warning_has_another_code():
    parts = [part for name in TOLD_BY for part in ast.parse((ROOT / name).read_text()).body]
    texts = (
        node.value
        for part in parts
        if not isinstance(part, ast.AnnAssign)  # the table itself
        for node in ast.walk(part)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    told = {text for text in texts if text.isupper() and text.replace("_", "").isalpha()}
    assert told == set(WARNING_CODES)
