"""The examples' registrations, parts of their documents replaced."""

from pathlib import Path

import pytest

from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def register():
    def registered(example, *, recipe=None, params=None, **parts):
        document = {**read_yaml((EXAMPLES / f"{example}.yaml").read_bytes()), **parts}
        if recipe is not None:
            document["subject"]["model"]["params"] = recipe
        if params is not None:
            document["instrument"]["params"] = params
        return freeze_document(document).registration

    return registered
