"""A ledger on which all has happened that can, filed and signed as the service does; empty ones beside it."""

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

import app.ledger.correcting
import app.ledger.filing
import claims.instruments
from app.ledger import checkpoints, datasets, filing, forecasts, imports, links
from app.ledger.append import append
from app.ledger.correcting import Asked, correct
from app.ledger.database import Ledger
from app.ledger.judging import MACHINE, record_evidence, record_refusal, record_void, registration_of
from app.ledger.migrate import upgrade
from app.ledger.registrants import issue_key, register
from app.ledger.reproducing import reproduce
from app.ledger.runs import claim_shard, hold
from app.ledger.signing import Signing, load_or_create
from app.ledger.tables import AnchorRow
from claims.canonical import canonical_bytes, sha256_hex
from claims.evidence import Evidence, Refusal
from claims.forecasts import seal
from claims.imports import read_record
from claims.instruments import catalogue
from claims.pairs import read_pairs
from claims.provenance import Source, capture
from claims.registration.reading import freeze_document
from claims.registration.yaml_form import read_yaml
from claims.rows import encode
from claims.seeds import seeds_of

SALT = bytes(range(32))
SEEDS = seeds_of(bytes(32), "0" * 64)

ROOT = Path(__file__).parents[4]
DOCUMENT = json.loads((ROOT / "tests" / "fixtures" / "coin_toss.json").read_bytes())
RECORD = ROOT / "examples" / "imports" / "mean_spearman.yaml"
PAIR = b'{"id":"p1","dimension":"safety","prompt":"Say it.","chosen":"Yes.","rejected":"No."}\n'
COINS = 8
SOURCE = {"instrument_source_sha256": "5" * 64}


@cache
def captured() -> Source:
    """Which code this is, asked once for all tests."""
    return capture(ROOT)


@pytest.fixture(autouse=True)
def coin(monkeypatch) -> Iterator[None]:
    """The instrument `coin_toss` in the catalogue: a real one, whose rows cost nothing."""
    here = str(ROOT / "tests" / "workers" / "runs" / "coin" / "claims" / "instruments")
    monkeypatch.setattr(claims.instruments, "__path__", [*claims.instruments.__path__, here])
    for module in (app.ledger.filing, app.ledger.correcting):
        monkeypatch.setattr(module, "source_sha256", lambda _: "5" * 64)
        monkeypatch.setattr(module, "capture", lambda _: captured())
    catalogue.cache_clear()
    yield
    catalogue.cache_clear()


def rows_of(mean: float) -> bytes:
    shares = [round(mean + (0.04 if number % 2 else -0.04), 6) for number in range(COINS)]
    return encode([{"kind": "organism", "organism": number, "heads": share} for number, share in enumerate(shares)])


def found_in(registration, mean: float, rows: bytes, **parts) -> Evidence:
    """What a run whose rows say `mean` has found."""
    read = [json.loads(line) for line in rows_of(mean).splitlines()]
    estimated = catalogue()["coin_toss"].estimate(iter(read), registration, SEEDS)
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
        "cost": {"seconds": 60.0}, "rows_sha256": sha256_hex(rows), **parts,
    }  # fmt: skip
    return Evidence.model_validate(body)


@dataclass
class Life:
    """A ledger, who signs for it, where its heads are kept, and its claims by what became of them."""

    ledger: Ledger
    signing: Signing
    file: Path
    claims: dict[str, str]

    def put(self, name: str, registrant: str = "ada", **parts) -> str:
        document = {**copy.deepcopy(DOCUMENT), "title": f"Claim {name}", **parts}
        document["sampling"]["organisms"] = COINS
        with self.ledger.begin() as session:
            self.claims[name] = filing.file(session, freeze_document(document), registrant, **self.place).claim
        return self.claims[name]

    @property
    def place(self):
        return {"signing": self.signing, "public_url": "http://127.0.0.1", "model_root": None}

    def take(self, claim: str, machine: str = "m1") -> None:
        source = {**SOURCE, MACHINE: machine}
        with self.ledger.begin() as session:
            for index in range(COINS):
                assert claim_shard(session, f"{claim}-1", index, worker="w", source=source, term=timedelta(minutes=1))

    def judge(self, claim: str, mean: float, rows: float | None = None, **parts) -> None:
        self.take(claim)
        with self.ledger.begin() as session:
            run = hold(session, f"{claim}-1")
            kept = rows_of(mean if rows is None else rows)
            record_evidence(session, run, found_in(registration_of(session, run), mean, kept, **parts), kept)

    def sign(self) -> None:
        checkpoints.publish(self.ledger, self.signing, self.file)


def anchored(life: Life) -> None:
    with life.ledger.begin() as session:
        head = checkpoints.newest(session)
        values = {"kind": "witness", "name": "w+1", "body": b"a line", "time": head.time, "received": head.time}
        session.add(AnchorRow(size=head.size, **values))


@pytest.fixture
def life(ledger, tmp_path) -> Life:
    life = Life(ledger, load_or_create(tmp_path / "secrets" / "signing.key", "tests"), tmp_path / "kept.jsonl", {})
    with ledger.begin() as session:
        for name in ("ada", "bob"):
            register(session, name, name.title())
            issue_key(session, name, ["file", "run"])
        datasets.upload(session, read_pairs(PAIR), "one pair", "ada")
        imports.put(session, read_record(canonical_bytes(read_yaml(RECORD.read_bytes()))), "ada")
    refuted = life.put("refuted")
    life.put("standing on it", builds_on=[refuted])
    life.judge(refuted, 0.4)
    life.sign()
    anchored(life)
    old, wrong = life.put("old"), life.put("wrong", rationale="—" * 18_000)
    with ledger.begin() as session:
        forecasts.seal(session, old, "bob", seal(old, "bob", 0.75, SALT))
    life.judge(old, 0.6, cost={f"seconds.{number}": 1e-7 * number for number in range(5000)})
    life.judge(wrong, 0.6, rows=0.4)
    with ledger.begin() as session:
        forecasts.reveal(session, old, "bob", 0.75, SALT)
        life.claims["again"] = reproduce(session, old, "bob", **life.place).claim
    life.judge(life.claims["again"], 0.61)
    correct(ledger, Asked(wrong, f"{wrong}-1", "Wrong.", "Found."), "ada", admin=False)
    life.put("newer", amends={"claim": old, "reason": "Better."})
    ended(life)
    life.take(life.put("running"))
    life.put("waiting")
    awaited = life.put("awaited", forecast_hours=24)
    with ledger.begin() as session:
        forecasts.seal(session, awaited, "bob", seal(awaited, "bob", 0.5, SALT))
    life.sign()
    return life


def ended(life: Life) -> None:
    """Claims that ended without a verdict on evidence."""
    gone, lost, declined = life.put("gone"), life.put("lost"), life.put("declined")
    for claim in (lost, declined):
        life.take(claim)
    theirs = life.put("theirs", "bob")
    with life.ledger.begin() as session:
        links.contradict(session, life.claims["refuted"], theirs, "bob", "Mine says otherwise.")
    with life.ledger.begin() as session:
        links.withdraw(session, gone, "ada", "A mistake.")
    with life.ledger.begin() as session:
        record_void(session, hold(session, f"{lost}-1"), "worker_lost", {"attempts": 3})
    with life.ledger.begin() as session:
        refusal = Refusal(reason="OUT_OF_DOMAIN", detail="No.", remedy="Do otherwise.")
        record_refusal(session, hold(session, f"{declined}-1"), refusal)
    with life.ledger.begin() as session:
        append(session, "noted", None, "ada", {"note": "words"})


@dataclass(frozen=True)
class Empty:
    """A migrated database with nothing in it, by its URL and as a ledger."""

    name: str
    url: str
    ledger: Ledger


@pytest.fixture
def empty(postgres) -> Iterator[Callable[[], Empty]]:
    """`empty()`: one more empty ledger."""
    made, numbers = [], itertools.count()
    with ExitStack() as stack:

        def new() -> Empty:
            name = f"remade_{next(numbers)}"
            urls = stack.enter_context(postgres.database(name))
            upgrade(urls.database_owner_url)
            made.append(Ledger(urls.database_url))
            return Empty(name, urls.database_url, made[-1])

        yield new
        for ledger in made:
            ledger.dispose()
