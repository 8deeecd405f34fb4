"""What evidence says of how it came about."""

from datetime import timedelta
from pathlib import Path

import pytest

from app.ledger import blobs, datasets, filing, records
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.params import completed
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate
from workers.evidence import _instrument


@pytest.mark.parametrize("name", ["attribution_patching_agreement", "coin_toss", "planted_key_recovery"])
def test_evidence_states_every_parameter_chosen_or_not(name):
    E
