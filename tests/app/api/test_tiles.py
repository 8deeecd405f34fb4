"""The log mirrored from its tiles alone, by somebody who has its key and knows the published formats."""

import struct

import pytest

from app.ledger import checkpoints, tree
from app.ledger.append import append
from claims import checkpoint, merkle
from claims.entries import leaf_hash


@pytest.fixture
def grown(service):
    """A log of more than two full tiles, its head signed."""
    with service.ledger.begin() as session:
        for number in range(tree.size(session), 600):
            append(session, "noted", None, "ada", {"note": f"number {number}"})
    with service.ledger.begin() as session:
        return checkpoints.issue(session, service.client.app.state.signing)


def mirrored(client, size):
    """Every entry, from the bundles that hold them."""
    found = []
    for number in range(-(-size // 256)):
        width = min(256, size - 256 * number)
        suffix = "" if width == 256 else f".p/{width}"
        body = client.get(f"/v1/log/tile/entries/{number:03}{suffix}").content
        while body:
            (length,) = struct.unpack(">H", body[:2])
            found.append(body[2 : 2 + length])
            body = body[2 + length :]
    return found


def test_a_mirror_of_the_tiles_has_the_signed_head(grown, client):
    head = checkpoint.verify(client.get("/v1/log/checkpoint").text, client.get("/v1/log/key").text.strip())
    assert head.size == grown.size >= 600
    entries = mirrored(client, head.size)
    leaves = [leaf_hash(entry) for entry in entries]
    assert len(entries) == head.size
    assert merkle.root_of(leaves) == head.root
    first = client.get("/v1/log/tile/0/000")
    assert first.content == b"".join(leaves[:256])
    assert first.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert first.headers["content-type"] == "application/octet-stream"
    assert client.get("/v1/log/tile/1/000.p/2").content == merkle.root_of(leaves[:256]) + merkle.root_of(
        leaves[256:512]
    )


@pytest.mark.parametrize(
    "tile",
    ["0/999", "0/002", "1/000", "0/0", "0/000.p/0", "0/000.p/256", "64/000", "00/000", "x/000", "entries/x000/000"],
)
def test_a_tile_that_is_not_there_is_said_so(grown, client, problem_of, tile):
    problem = problem_of(client.get(f"/v1/log/tile/{tile}"), 404, "not_found")
    assert tile in problem["detail"]


def test_no_tile_is_served_before_its_head_is_signed(grown, service, client, problem_of, file_claim):
    file_claim()
    problem_of(client.get(f"/v1/log/tile/0/002.p/{grown.size + 1 - 512}"), 404, "not_found")
