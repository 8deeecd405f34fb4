"""Whatever is filed, reproduced, amended and superseded, nothing comes to stand on itself."""

import random

import pytest
from sqlalchemy import text

from app.ledger.errors import TooLateError
from app.ledger.links import supersede
from claims.flaws import RefusedInputError

UPWARD = (
    "SELECT s.seq, t.seq FROM links JOIN claims s ON s.id = source JOIN claims t ON t.id = target WHERE type = :type"
)
# From every claim by way of what it builds on, and of what replaced that: whether any comes back to itself.
ON_ITSELF = """
WITH RECURSIVE steps(above, below) AS (
    SELECT source, target FROM links WHERE type = 'builds_on'
    UNION SELECT target, source FROM links WHERE type = 'supersedes'),
walk(start, here) AS (
    SELECT above, below FROM steps UNION SELECT start, below FROM walk JOIN steps ON above = here)
SELECT count(*) FROM walk WHERE start = here
"""


@pytest.mark.parametrize("seed", range(3))
def test_no_claim_stands_on_itself(ledger, coins, seed):
    chosen = random.Random(seed)
    claims = [coins.file(title="The first")]
    refused = 0
    for number in range(40):
        action = chosen.choice(["file", "file", "reproduce", "amend", "supersede", "supersede"])
        ground = chosen.sample(claims, min(len(claims), chosen.randint(0, 2)))
        some, other = chosen.choice(claims), chosen.choice(claims)
        try:
            if action == "file":
                claims.append(coins.file(title=f"Claim {number}", builds_on=ground))
            elif action == "reproduce":
                claims.append(coins.again(some, "ada"))
            elif action == "amend":
                amends = {"claim": some, "reason": "Better."}
                claims.append(coins.file(title=f"Claim {number}", builds_on=ground, amends=amends))
            else:
                with ledger.begin() as session:
                    supersede(session, some, other, "ada", "Better.")
        except (RefusedInputError, TooLateError):
            refused += 1
    with ledger.begin() as session:
        for type_ in ("builds_on", "reproduces"):
            pairs = session.execute(text(UPWARD), {"type": type_}).all()
            assert pairs
            assert all(source > target for source, target in pairs), type_
        assert session.execute(text(ON_ITSELF)).scalar_one() == 0
    assert 0 < refused < 40
