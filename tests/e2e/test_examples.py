"""Every example, filed over HTTP as its comment says, measured by real workers and judged."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from claims.instruments import catalogue

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
OPEN = {"registered", "running"}

pytestmark = pytest.mark.e2e


def test_every_example_is_measured_and_judged(
    service: Any, example: Callable[..., Any], small_planted_key: Any, eventually: Callable[..., None]
) -> None:
    service.command("upload", "diagnostic")
    fixture = ROOT / "tests" / "fixtures" / "models" / "llama-gqa" / "pairs.jsonl"
    service.command("upload", str(fixture), "--name", "llama-gqa")
    documents = {name: small_planted_key if name == "planted_key" else example(name) for name in EXAMPLES}
    filed = {name: service.file(document) for name, document in documents.items()}

    def all_are_judged() -> bool:
        return not OPEN & {service.get(f"/v1/claims/{claim}")["status"] for claim in filed.values()}

    eventually(all_are_judged, seconds=480)
    found = {name: service.get(f"/v1/claims/{claim}") for name, claim in filed.items()}
    assert {name: one["voids"] for name, one in found.items() if one["status"] == "void"} == {}
    evidence = {name: service.get(f"/v1/claims/{claim}/evidence") for name, claim in filed.items()}
    assert {one["instrument"] for one in evidence.values()} == set(catalogue())
    for name, one in evidence.items():
        primaries = [part["metric"] for part in documents[name]["hypotheses"] if part["primary"]]
        assert {metric for metric in primaries if metric not in one["estimates"]} == set(), name
    for name in set(EXAMPLES) - {"planted_key", "agreement"}:
        assert evidence[name]["subject"]["dataset"]["n"] == 12 * 32
        assert kinds_of_rows(service, filed[name])["score"] == 2 * 12 * 32


def kinds_of_rows(service: Any, claim: str) -> Counter[str]:
    rows = httpx.get(f"{service.url}/v1/claims/{claim}/rows", trust_env=False, timeout=60)
    assert rows.status_code == 200, rows.text
    return Counter(json.loads(line)["kind"] for line in rows.text.splitlines())
