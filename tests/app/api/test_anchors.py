"""What anchors a checkpoint, over HTTP: read by anyone, delivered by pinned witnesses alone."""

import base64

import pytest

from app.api.anchors import pinned
from app.ledger import checkpoints
from app.ledger.anchors import Witness
from app.settings import Settings, SettingsError
from claims import cosignature
from tests.outside.witness import OwnWitness


@pytest.fixture
def signed(service, file_claim):
    """A checkpoint over all that there is."""
    file_claim()
    with service.ledger.begin() as session:
        return checkpoints.issue(session, service.client.app.state.signing)


@pytest.fixture
def witness(service):
    """A witness whose key is pinned for as long as the test lasts."""
    state = service.client.app.state
    witness, before = OwnWitness(state.signing.vkey), state.witnesses
    state.witnesses = (Witness(witness.vkey, None),)
    yield witness
    state.witnesses = before


def deliver(client, size, line):
    return client.post("/v1/log/cosignatures", json={"size": size, "line": line})


def test_a_witness_delivers_and_anyone_checks(client, signed, witness):
    assert client.get(f"/v1/log/anchors/{signed.size}").json()["anchors"] == []
    answer = deliver(client, signed.size, witness.cosign(signed.note))
    assert answer.status_code == 201
    found = client.get(f"/v1/log/anchors/{signed.size}").json()
    assert found == answer.json()
    (anchor,) = found["anchors"]
    line = base64.b64decode(anchor["body"]).decode()
    seen = cosignature.verify(cosignature.with_lines(found["checkpoint"], [line]), witness.vkey)
    assert anchor["time"].startswith(seen.strftime("%Y-%m-%dT%H:%M:%S"))
    assert line in client.get(f"/v1/log/checkpoint?size={signed.size}").text


def test_nobody_else_delivers(client, service, signed, witness, problem_of):
    stranger = OwnWitness(service.client.app.state.signing.vkey, "stranger")
    body = problem_of(deliver(client, signed.size, stranger.cosign(signed.note)), 422, "invalid_cosignature")
    assert "'stranger' is no witness whose key is pinned here" in body["detail"]
    body = problem_of(deliver(client, signed.size, witness.cosign(signed.note)[:-8]), 422, "invalid_cosignature")
    assert "does not hold" in body["detail"]
    assert client.get(f"/v1/log/anchors/{signed.size}").json()["anchors"] == []


def test_a_size_that_was_never_signed_is_not_there(client, signed, witness, problem_of):
    problem_of(deliver(client, 10**9, witness.cosign(signed.note)), 404, "not_found")
    problem_of(client.get(f"/v1/log/anchors/{10**9}"), 404, "not_found")


@pytest.mark.parametrize(
    "body", [b"{}", b'{"size": 0, "line": "x"}', b'{"size": "1", "line": "x"}', b'{"size": 1, "size": 2}', b"\xff"]
)
def test_a_body_of_another_form_is_refused(client, body, problem_of):
    answer = client.post("/v1/log/cosignatures", content=body, headers={"Content-Type": "application/json"})
    problem_of(answer, 422, "invalid_cosignature")


def test_the_pinned_are_those_of_the_file(tmp_path, service):
    vkey = OwnWitness(service.client.app.state.signing.vkey).vkey
    file = tmp_path / "witnesses"
    file.write_text(vkey)
    assert pinned(Settings(witnesses=file)) == (Witness(vkey, None),)
    assert pinned(Settings()) == ()
    file.write_text("nobody")
    with pytest.raises(SettingsError, match=r"ANTEDATE_WITNESSES=.* cannot be used: line 1"):
        pinned(Settings(witnesses=file))
