from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.canonical import canonical_bytes
from workers.public_text import public_text


@given(st.text(st.characters(codec=None)))
def test_whatever_an_error_says_can_be_written_down(text):
    told = public_text(text, None)
    canonical_bytes({"detail": told})
    assert "\0" not in told
    assert public_text(told, None) == told


def test_ordinary_text_stays_as_it_is():
    text = "Paar „naïf“ 🕷:\nzwei Zeilen /srv/other"
    assert public_text(text, Path("/srv/models")) == text


@pytest.mark.parametrize("through", ["root", "link"])
def test_the_model_root_is_named_and_not_shown(tmp_path, through):
    (tmp_path / "root").mkdir()
    (tmp_path / "link").symlink_to("root")
    root = tmp_path / through
    for shown in {root, root.resolve()}:
        assert public_text(f"no {shown}/lab/x, {shown}", root) == (
            "no $ANTEDATE_MODEL_ROOT/lab/x, $ANTEDATE_MODEL_ROOT"
        )


def test_a_root_that_is_everything_hides_nothing():
    assert public_text("1/2 of /etc", Path("/")) == "1/2 of /etc"
