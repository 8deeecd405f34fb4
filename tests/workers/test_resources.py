import pytest

from app.settings import SettingsError
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from workers import process
from workers.resources import Resources


@pytest.fixture
def registered(request):
    example = request.config.rootpath / "examples" / "planted_key.yaml"
    return freeze_document(read_yaml(example.read_bytes())).registration


@pytest.fixture(autouse=True)
def _settings_of_this_test():
    process.settings.cache_clear()
    yield
    process.settings.cache_clear()


def test_the_operator_bounds_what_patches_take(registered, monkeypatch):
    assert Resources.of(registered, None, None).patch_bytes == 2**30
    process.settings.cache_clear()
    monkeypatch.setenv("ANTEDATE_PATCH_MEMORY_MB", "64")
    assert Resources.of(registered, None, None).patch_bytes == 64 * 2**20


def test_no_memory_is_no_bound(registered, monkeypatch):
    monkeypatch.setenv("ANTEDATE_PATCH_MEMORY_MB", "0")
    with pytest.raises(SettingsError, match="ANTEDATE_PATCH_MEMORY_MB"):
        Resources.of(registered, None, None)
