import pytest

from tests.claims.verdict.cases import INSTRUMENTS


@pytest.fixture(scope="session")
def instruments() -> dict:
    return INSTRUMENTS
