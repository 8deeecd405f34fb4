"""The ruler with a default, so that evidence may state what its registration left out."""

import dataclasses
from types import SimpleNamespace

import pytest


@pytest.fixture(scope="session")
def instruments(instruments: dict) -> dict:
    plain = instruments["ruler"]
    params = plain.MANIFEST.params
    side = {**params["properties"]["side"], "default": "left"}
    manifest = dataclasses.replace(
        plain.MANIFEST, params={**params, "properties": {**params["properties"], "side": side}}
    )
    return {"ruler": SimpleNamespace(**{**vars(plain), "MANIFEST": manifest})}
