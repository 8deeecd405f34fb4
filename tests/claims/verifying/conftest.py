import pytest

from tests.claims.verifying.story import Story, honest_story


@pytest.fixture
def story() -> Story:
    """An honest life: registered, measured, judged; to be spoilt by the test that asked for it."""
    return honest_story()


@pytest.fixture(scope="session")
def told_once() -> Story:
    """The same, for tests that change nothing in it."""
    return honest_story()
