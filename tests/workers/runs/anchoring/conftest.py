"""Everybody outside, on loopback, and the settings that name them."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.ledger import checkpoints
from app.ledger.append import append
from app.ledger.signing import Signing, load_or_create
from app.settings import Settings
from claims.beacon import MAINNET
from tests.outside.authority import OwnAuthority
from tests.outside.chain import OwnChain
from tests.outside.witness import OwnWitness
from tests.outside.world import World, served
from workers.anchoring import Outside, outside
from workers.beacons import Rounds


@pytest.fixture
def signing(tmp_path: Path) -> Signing:
    """The key that a worker with this data directory signs with."""
    return load_or_create(Settings(data=tmp_path).signing_key, "local")


@pytest.fixture
def world(signing: Signing) -> Iterator[World]:
    """A chain that began some seconds ago, with an authority and a witness."""
    chain = OwnChain(period=3, genesis=int(time.time()) - 9)
    chain.round(12)  # signed beforehand, as nobody waits long for an answer
    with served(World(chain=chain, authority=OwnAuthority(), witness=OwnWitness(signing.vkey))) as world:
        yield world


@pytest.fixture
def named(world: World, tmp_path: Path) -> dict[str, str]:
    """The variables that name all of them."""
    (tmp_path / "roots.pem").write_bytes(world.authority.root)
    (tmp_path / "witnesses.txt").write_text(f"{world.witness.vkey} {world.url}/witness\n")
    return {
        "ANTEDATE_TIMESTAMP_URL": f"{world.url}/tsa",
        "ANTEDATE_TIMESTAMP_ROOTS": str(tmp_path / "roots.pem"),
        "ANTEDATE_WITNESSES": str(tmp_path / "witnesses.txt"),
        "ANTEDATE_BEACON_URL": world.url,
        "ANTEDATE_BEACON_CHAIN": world.chain.chain.hash,
    }


@pytest.fixture
def ask(named: dict[str, str]) -> Callable[..., Outside]:
    """`ask("timestamp", "beacon")`: what settings that name only these parts come to."""

    def asked(*parts: str) -> Outside:
        chosen = {
            name.removeprefix("ANTEDATE_").lower(): value
            for name, value in named.items()
            if name.startswith(tuple(f"ANTEDATE_{part.upper()}" for part in parts))
        }
        return outside(Settings(**chosen))

    return asked


@pytest.fixture
def rounds(valkey: str, urls, world: World) -> Rounds:
    return Rounds(valkey, world.chain.chain.hash)


@pytest.fixture
def issue(ledger, signing: Signing) -> Callable[[], checkpoints.Issued]:
    """`issue()`: one more entry, and a checkpoint over all of them."""

    def issued() -> checkpoints.Issued:
        with ledger.begin() as session:
            append(session, "noted", None, "ada", {"note": "test"})
        with ledger.begin() as session:
            return checkpoints.issue(session, signing)

    return issued


@pytest.fixture
def mainnet_rounds(valkey: str, urls) -> Rounds:
    return Rounds(valkey, MAINNET.hash)
