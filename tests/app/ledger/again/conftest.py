"""Claims about coins, filed as the service files them and measured without a worker, by machines of any name."""

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi.testclient import TestClient

import app.ledger.correcting
import app.ledger.filing
import claims.instruments
from app.embedded.endpoints import Endpoints
from app.ledger import filing, log, runs
from app.ledger.database import Ledger
from app.ledger.judging import MACHINE, record_evidence, registration_of
from app.ledger.registrants import issue_key, register
from app.ledger.reproducing import reproduce
from app.ledger.signing import Signing
from app.main import create_app
from app.settings import Settings
from claims.canonical import sha256_hex
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.registration.model import Registration
from claims.registration.reading import freeze_document
from claims.rows import encode
from claims.seeds import seeds_of
from claims.verdict.rule import Verdict

SEEDS = seeds_of(bytes(32), "0" * 64)

TESTS = Path(__file__).parents[3]
DOCUMENT = json.loads((TESTS / "fixtures" / "coin_toss.json").read_bytes())
COINS = 8
SIGNING = Signing("test", Ed25519PrivateKey.generate())
PLACE: dict[str, Any] = {"signing": SIGNING, "public_url": "http://127.0.0.1", "model_root": None}


@pytest.fixture(autouse=True)
def coin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The instrument `coin_toss` in the catalogue: a real one, whose rows cost nothing."""
    here = str(TESTS / "workers" / "runs" / "coin" / "claims" / "instruments")
    monkeypatch.setattr(claims.instruments, "__path__", [*claims.instruments.__path__, here])
    for module in (app.ledger.filing, app.ledger.correcting):
        monkeypatch.setattr(module, "source_sha256", lambda _: "5" * 64)
    catalogue.cache_clear()
    yield
    catalogue.cache_clear()


def rows_of(heads: Sequence[float]) -> bytes:
    return encode([{"kind": "organism", "organism": number, "heads": share} for number, share in enumerate(heads)])


def around(mean: float) -> list[float]:
    """Shares of heads of eight coins, `mean` on average, whose interval is some ± 0.03."""
    return [round(mean + (0.04 if number % 2 else -0.04), 6) for number in range(COINS)]


def found_in(registration: Registration, heads: Sequence[float], rows: bytes) -> Evidence:
    """The evidence of a run that found these shares and left `rows`, which may say otherwise."""
    estimated = catalogue()["coin_toss"].estimate(
        ({"kind": "organism", "organism": number, "heads": share} for number, share in enumerate(heads)),
        registration,
        SEEDS,
    )
    body = {
        **estimated.model_dump(),
        "schema": "antedate.evidence/1", "instrument": "coin_toss", "version": "1", "params": {},
        "subject": {
            "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
            "dataset": {"sha256": None, "n": estimated.counts["pairs"]},
        },
        "access": ["scores"], "controls": {}, "conformance": {}, "gauge": "invariant", "nondeterminism": {},
        "provenance": {
            "commit": "c" * 40, "dirty": "clean", "diff_sha256": None, "instrument_source_sha256": "5" * 64,
            "packages": {}, "platform": "Linux", "started": "2026-11-30T12:00:00.000000Z",
            "finished": "2026-11-30T12:01:00.000000Z",
        },
        "cost": {"seconds": 60.0}, "rows_sha256": sha256_hex(rows),
    }  # fmt: skip
    return Evidence.model_validate(body)


@dataclass(frozen=True)
class Coins:
    """What people and workers do with claims about coins, each in a transaction of its own."""

    ledger: Ledger

    def document(self) -> dict[str, Any]:
        document = copy.deepcopy(DOCUMENT)
        document["sampling"]["organisms"] = COINS
        return document

    def file(self, registrant: str = "ada", **parts: Any) -> str:
        document = {**self.document(), **parts}
        with self.ledger.begin() as session:
            return filing.file(session, freeze_document(document), registrant, **PLACE).claim

    def again(self, claim: str, registrant: str = "bob") -> str:
        with self.ledger.begin() as session:
            return reproduce(session, claim, registrant, **PLACE).claim

    def take(self, claim: str, machine: str | None) -> None:
        """Every shard of the claim's run, leased to this machine."""
        source = {"instrument_source_sha256": "5" * 64, MACHINE: machine}
        with self.ledger.begin() as session:
            for index in range(COINS):
                run, term = f"{claim}-1", timedelta(minutes=1)
                assert runs.claim_shard(session, run, index, worker="w", source=source, term=term)

    def judge(self, claim: str, mean: float, rows: float | Sequence[float] | None = None) -> Verdict:
        """Record that the coins fell so; `rows` is what the rows say where the evidence, wrongly, says otherwise."""
        with self.ledger.begin() as session:
            run = runs.hold(session, f"{claim}-1")
            assert run is not None
            kept = rows_of(rows if isinstance(rows, Sequence) else around(mean if rows is None else rows))
            return record_evidence(session, run, found_in(registration_of(session, run), around(mean), kept), kept)

    def measure(
        self, claim: str, mean: float, machine: str | None = "m1", rows: float | Sequence[float] | None = None
    ) -> Verdict:
        self.take(claim, machine)
        return self.judge(claim, mean, rows)

    def entries(self, claim: str, type_: str) -> list[dict[str, Any]]:
        """The payloads of these entries of the claim, oldest first."""
        with self.ledger.begin() as session:
            return [dict(entry.payload) for entry in log.history(session, claim) if entry.type == type_]


@pytest.fixture
def coins(ledger: Ledger) -> Coins:
    return Coins(ledger)


@pytest.fixture
def move_on(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """`move_on()`: the instrument is at another version from now on."""

    def moved() -> None:
        instrument = catalogue()["coin_toss"]
        monkeypatch.setattr(instrument, "MANIFEST", replace(instrument.MANIFEST, version="2"))

    return moved


@pytest.fixture
def client(urls: Endpoints, tmp_path: Path) -> Iterator[TestClient]:
    """The service over the same ledger."""
    settings = Settings(database_url=urls.database_url, redis_url=urls.redis_url, data=tmp_path)
    with TestClient(create_app(settings)) as client:
        yield client


@pytest.fixture
def keys(ledger: Ledger) -> dict[str, str]:
    """Keys that may file, of ada and bob; and one of root's, who may only administer."""
    scopes = {"ada": ["file"], "bob": ["file"], "root": ["admin"]}
    with ledger.begin() as session:
        for name in scopes:
            register(session, name, name.title())
        return {name: issue_key(session, name, held) for name, held in scopes.items()}
