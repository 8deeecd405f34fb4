"""The service over a real database and broker, with keys, and documents to file."""

import copy
import hashlib
import itertools
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from app.embedded.endpoints import Endpoints
from app.ledger.database import Ledger
from app.ledger.judging import record_evidence, registration_of
from app.ledger.migrate import upgrade
from app.ledger.queries import counts
from app.ledger.queue import heartbeat
from app.ledger.registrants import SCOPES, issue_key, register
from app.ledger.runs import claim_shard, hold
from app.main import create_app
from app.settings import Settings
from claims.evidence import Evidence
from claims.registration.model import Registration
from claims.registration.yaml_form import read_yaml
from claims.rows import encode

EXAMPLE = Path(__file__).parents[2] / "examples" / "planted_key.yaml"


@dataclass(frozen=True)
class Service:
    """The application and its ledger. `ada` and `bob` are keys with every scope, `reader` may not file."""

    client: TestClient
    ledger: Ledger
    settings: Settings
    ada: str
    bob: str
    reader: str

    def file(self, body: bytes, key: str | None = None, **headers: str) -> Response:
        sent = {"Content-Type": "application/json", "Authorization": f"Bearer {key or self.ada}", **headers}
        return self.client.post("/v1/predictions", content=body, headers=sent)

    def entries(self) -> int:
        with self.ledger.begin() as session:
            return counts(session).entries

    def claims(self) -> int:
        with self.ledger.begin() as session:
            return counts(session).claims


@pytest.fixture(scope="session")
def api_urls(postgres) -> Iterator[Endpoints]:
    with postgres.database("api_tests") as urls:
        upgrade(urls.database_owner_url)
        yield urls


@pytest.fixture(scope="session")
def settings(api_urls: Endpoints, tmp_path_factory) -> Settings:
    root = tmp_path_factory.mktemp("service")
    (root / "models").mkdir()
    return Settings(
        database_url=api_urls.database_url, redis_url=api_urls.redis_url, data=root, model_root=root / "models"
    )


@pytest.fixture(scope="session")
def service(settings: Settings) -> Iterator[Service]:
    app = create_app(settings)
    with TestClient(app) as client:
        ledger: Ledger = app.state.ledger
        with ledger.begin() as session:
            for name in ("ada", "bob"):
                register(session, name, name.title())
            keys = {name: issue_key(session, name, SCOPES) for name in ("ada", "bob")}
            reader = issue_key(session, "ada", ["run"])
        yield Service(client, ledger, settings, **keys, reader=reader)


@pytest.fixture
def client(service: Service) -> TestClient:
    return service.client


@contextmanager
def served(app: FastAPI, *, lifespan: Literal["on", "off"]) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan=lifespan, ws="none"))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            while not server.started:
                assert thread.is_alive()
                thread.join(0.02)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def serve() -> Callable[..., AbstractContextManager[str]]:
    """`serve(app, lifespan=…)`: the URL of the application, over real HTTP while the context lasts."""
    return served


@pytest.fixture(scope="session")
def listening(service, serve) -> Iterator[str]:
    """The URL of the service of these tests, over real HTTP; its lifespan is the client's."""
    with serve(service.client.app, lifespan="off") as url:
        yield url


@pytest.fixture(scope="session")
def example() -> dict[str, Any]:
    document: dict[str, Any] = read_yaml(EXAMPLE.read_bytes())
    return document


NUMBERS = itertools.count(1)


@pytest.fixture
def document(example: dict[str, Any]) -> Callable[..., dict[str, Any]]:
    """`document(**parts)`: the example with these parts replaced, and a title that no other has."""

    def made(**parts: Any) -> dict[str, Any]:
        return {**copy.deepcopy(example), "title": f"Prediction {next(NUMBERS)}", **parts}

    return made


SOURCE = {"instrument_source_sha256": "0" * 64}


@pytest.fixture
def file_claim(service: Service, document: Callable[..., dict[str, Any]]) -> Callable[..., str]:
    """`file_claim(key=None, **parts)`: the id of a claim newly filed."""

    def filed(key: str | None = None, **parts: Any) -> str:
        answer = service.file(json.dumps(document(**parts)).encode(), key)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["claim"])

    return filed


@pytest.fixture
def open_claim(service: Service) -> Callable[[str], None]:
    """`open_claim(claim)`: a worker takes the first shard, so that data may exist from now on."""

    def opened(claim: str) -> None:
        with service.ledger.begin() as session:
            taken = claim_shard(session, f"{claim}-1", 0, worker="w1", source=SOURCE, term=timedelta(minutes=1))
            assert taken is not None
            assert heartbeat(session, taken.lease, 1, timedelta(minutes=1))

    return opened


@pytest.fixture
def judge_claim(service: Service, open_claim: Callable[[str], None]) -> Callable[..., bytes]:
    """`judge_claim(claim, value)`: every metric was `value` ± 0.05; the rows that are said to have shown it."""

    def judged(claim: str, value: float, **diagnostics: float) -> bytes:
        open_claim(claim)
        rows = encode([{"kind": "organism", "organism": number, "accuracy": 1.0} for number in range(3)])
        with service.ledger.begin() as session:
            run = hold(session, f"{claim}-1")
            assert run is not None
            record_evidence(session, run, evidence_of(registration_of(session, run), value, rows, diagnostics), rows)
        return rows

    return judged


def evidence_of(registration: Registration, value: float, rows: bytes, diagnostics: dict[str, float]) -> Evidence:
    estimate = {
        "value": value, "lo": value - 0.05, "hi": value + 0.05, "level": registration.level,
        "method": registration.analysis.interval, "unit": registration.analysis.unit, "n": 24, "n_effective": 24.0,
    }  # fmt: skip
    body = {
        "schema": "antedate.evidence/1",
        "instrument": registration.instrument.name,
        "version": registration.instrument.version,
        "params": registration.instrument.params,
        "subject": {
            "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
            "dataset": {"sha256": None, "n": 10},
        },
        "access": ["weights"],
        "estimates": {hypothesis.metric: estimate for hypothesis in registration.hypotheses},
        "diagnostics": {"organism_accuracy": 0.97, "organisms_governed": 24.0, **diagnostics},
        "not_measured": {},
        "counts": dict(registration.sampling.sizes),
        "nondeterminism": {},
        "controls": {"positive": True},
        "conformance": {},
        "gauge": "invariant",
        "provenance": {
            "commit": "ab" * 20, "dirty": "dirty", "diff_sha256": "cd" * 32, "instrument_source_sha256": "0" * 64,
            "packages": {}, "platform": "test", "started": "2026-11-30T12:00:00.000000Z",
            "finished": "2026-11-30T12:01:00.000000Z",
        },
        "cost": {"seconds": 60.0},
        "rows_sha256": hashlib.sha256(rows).hexdigest(),
    }  # fmt: skip
    return Evidence.model_validate(body)


@pytest.fixture
def problem_of() -> Callable[..., dict[str, Any]]:
    """`problem_of(answer, status, code)`: the problem that the answer is, checked against RFC 9457 and ours."""

    def checked(answer: Response, status: int, code: str) -> dict[str, Any]:
        assert answer.status_code == status, answer.text
        assert answer.headers["Content-Type"] == "application/problem+json"
        problem: dict[str, Any] = answer.json()
        assert problem["type"] == f"/problems/{code}"
        assert problem["status"] == status
        assert problem["instance"] == answer.request.url.path
        assert all(problem[member] for member in ("title", "detail", "remedy"))
        assert all(set(flaw) == {"pointer", "code", "detail", "remedy"} for flaw in problem["errors"])
        assert "Traceback" not in answer.text
        return problem

    return checked
