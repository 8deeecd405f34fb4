"""The key that the first start leaves for the command line."""

import re

import pytest

from app.cli.example import print_outcome
from app.cli.local_key import ensure_key
from app.ledger.registrants import SCOPES, authenticate, revoke_key


def test_the_first_start_makes_a_key_and_later_ones_find_it(service, tmp_path):
    url = service.settings.database_url
    first = ensure_key(url, tmp_path)
    assert re.fullmatch(r"ant_[A-Za-z0-9_-]{43}", first.token)
    assert first.shown == first.token
    assert first.file.stat().st_mode & 0o777 == 0o600
    with service.ledger.begin() as session:
        caller = authenticate(session, first.token)
    assert (caller.registrant, caller.scopes) == ("local", frozenset(SCOPES))
    again = ensure_key(url, tmp_path)
    assert (again.token, again.shown) == (first.token, str(first.file))
    assert [path.name for path in tmp_path.iterdir()] == ["local.key"]


@pytest.mark.parametrize("spoil", ["revoke", "lose", "damage"])
def test_a_key_that_no_longer_works_is_replaced(service, tmp_path, spoil):
    url = service.settings.database_url
    first = ensure_key(url, tmp_path)
    if spoil == "revoke":
        with service.ledger.begin() as session:
            revoke_key(session, first.token[:10])
    elif spoil == "lose":
        first.file.unlink()
    else:
        first.file.write_bytes(b"\xff")
    second = ensure_key(url, tmp_path)
    assert second.fresh
    assert second.token != first.token


def test_the_last_lines_of_make_run(file_claim, judge_claim, client, capsys):
    claim = file_claim()
    judge_claim(claim, -0.566)
    print_outcome("http://127.0.0.1:8000", "ant_x", client.get(f"/v1/claims/{claim}").json())
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "document", "filed", "commit", "key", "metric", "metric", "metric", "verdict", "page",
    ]  # fmt: skip
    assert re.fullmatch(r"document: sha256:[0-9a-f]{64}", lines[0])
    assert lines[2] == f"commit: {'ab' * 20}+dirty"
    assert lines[4] == "metric: recovery_gap_constructed -0.566 [-0.616, -0.516]"
    assert lines[7:] == ["verdict: refuted", f"page: http://127.0.0.1:8000/claims/{claim}"]
