"""The whole service over a ledger with a claim of every kind, and records as the ledger would give them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, sync_playwright
from sqlmodel import Session

from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.records import Link
from app.ledger.signing import Signing
from app.main import create_app
from app.pages.claim.record import ClaimRecord
from app.settings import Settings
from claims.canonical import sha256_hex

from .documents import evidence, registration
from .filled_ledger import fill, put
from .instrument_rows import planted_rows
from .lives import Step, linked, measured, opened, refuted_claim, registered, running_claim
from .markup import Markup
from .related_lives import fill_related

CHROMIUM = shutil.which("chromium")


@dataclass(frozen=True)
class Site:
    """The whole service over a ledger with a claim of every kind, by the word for it in `claims`."""

    app: FastAPI
    ledger: Ledger
    claims: Mapping[str, str]


@contextmanager
def filled(
    postgres: Any, valkey: str, name: str, directory: Path, fill_in: Callable[[Session, Signing], dict[str, str]]
) -> Iterator[Site]:
    with postgres.database(name) as urls:
        upgrade(urls.database_owner_url)
        app = create_app(
            Settings(
                database_url=urls.database_url, redis_url=valkey, data=directory, signing_key_file=directory / "key"
            )
        )
        ledger: Ledger = app.state.ledger
        with ledger.begin() as session:
            claims = fill_in(session, app.state.signing)
        yield Site(app, ledger, claims)
        app.state.dispatch.close()
        ledger.dispose()


@pytest.fixture(scope="module")
def site(postgres, valkey: str, tmp_path_factory) -> Iterator[Site]:
    with filled(postgres, valkey, "pages", tmp_path_factory.mktemp("pages"), fill) as made:
        yield made


@pytest.fixture(scope="module")
def related(postgres, valkey: str, tmp_path_factory) -> Iterator[Site]:
    """A service over claims that were corrected, contested, measured again, contradicted, proven."""
    with filled(postgres, valkey, "related", tmp_path_factory.mktemp("related"), fill_related) as made:
        yield made


@pytest.fixture
def follow(related) -> TestClient:
    return TestClient(related.app, follow_redirects=False, headers={"Accept": "text/html"})


@dataclass(frozen=True)
class Part:
    """One section of a page: its elements and its text."""

    raw: str

    @property
    def text(self) -> str:
        return Markup(self.raw).text.replace("\u00a0", " ")

    def addresses(self) -> list[str | None]:
        return [link["href"] for link in Markup(self.raw).all("a")]


@pytest.fixture
def part(related, follow) -> Any:
    """`part(word, section)`: that section of the claim's page, or its head."""

    def of(word: str, section: str) -> Part:
        raw = follow.get(f"/claims/{related.claims[word]}").text
        if section == "head":
            return Part(raw.partition("claim-head")[2].partition("</header>")[0])
        return Part(raw.partition(f'id="{section}"')[2].partition("</section>")[0])

    return of


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM)
        yield launched
        launched.close()


@pytest.fixture
def judge_new(site: Site) -> tuple[str, Callable[[], None], Callable[[], None]]:
    """A claim that waits, and how to have it opened, then judged."""
    claim = "turnswhilewatched"
    document = registration(title="Turns while it is watched")
    rows = planted_rows()
    found = evidence().model_copy(update={"rows_sha256": sha256_hex(rows)})

    def put_steps(steps: Sequence[Step]) -> None:
        with site.ledger.begin() as session:
            put(session, claim, steps, rows=rows, signing=site.app.state.signing)

    put_steps([registered(document)])
    return (
        claim,
        lambda: put_steps([opened(f"{claim}-1")]),
        lambda: put_steps(measured(f"{claim}-1", found, document)),
    )


@pytest.fixture
def visit(site: Site) -> TestClient:
    """A visitor who follows no redirect unasked."""
    return TestClient(site.app, follow_redirects=False, headers={"Accept": "text/html"})


@pytest.fixture
def refuted() -> ClaimRecord:
    return refuted_claim()


@pytest.fixture
def running() -> ClaimRecord:
    return running_claim()


@pytest.fixture
def link() -> Callable[..., Link]:
    return linked


@pytest.fixture
def document() -> Callable[..., dict[str, Any]]:
    return registration
