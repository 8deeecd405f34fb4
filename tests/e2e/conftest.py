"""The whole service as a user starts it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from claims.registration.yaml_form import read_yaml

ROOT = Path(__file__).parents[2]
ANTEDATE = Path(sys.executable).with_name("antedate")


@dataclass(frozen=True)
class Service:
    url: str
    key: str

    def file(self, document: dict[str, Any]) -> str:
        """The claim's id; that of the one there is, where the same document was filed before."""
        answer = httpx.post(
            f"{self.url}/v1/predictions",
            content=json.dumps(document),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
            trust_env=False,
            timeout=60,
        )
        assert answer.status_code == 201 or answer.json()["type"].endswith("already_filed"), answer.text
        claim: str = answer.json()["claim"]
        return claim

    def get(self, path: str) -> Any:
        answer = httpx.get(f"{self.url}{path}", trust_env=False, timeout=60)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def command(self, *words: str) -> str:
        """What `antedate` prints, told of this service and its key."""
        environment = {**os.environ, "ANTEDATE_URL": self.url, "ANTEDATE_KEY": self.key}
        done = subprocess.run(
            [ANTEDATE, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def service(stack_path: Path, eventually: Callable[..., None]) -> Iterator[Service]:
    """`antedate up` over the models that the tests have, stopped afterwards."""
    said = stack_path.with_name("said")
    models = str(ROOT / "tests" / "fixtures" / "models")
    variables = {"ANTEDATE_DATA": str(stack_path), "ANTEDATE_MODEL_ROOT": models, "OMP_NUM_THREADS": "1"}
    with said.open("w") as out:
        process = subprocess.Popen([ANTEDATE, "up"], cwd=ROOT, env={**os.environ, **variables}, stdout=out, stderr=out)

    def serving() -> bool:
        assert process.poll() is None, said.read_text()
        return "key: ant_" in said.read_text()

    try:
        eventually(serving, seconds=90)
        text = said.read_text()
        yield Service(re.search(r"http://127\.0\.0\.1:\d+", text)[0], re.search(r"key: (ant_\S+)", text)[1])
    finally:
        process.terminate()
        try:
            process.wait(60)
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def example() -> Callable[[str], dict[str, Any]]:
    return lambda name: read_yaml((ROOT / "examples" / f"{name}.yaml").read_bytes())


@pytest.fixture(scope="session")
def small_planted_key(example: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """The example with as few organisms as an interval needs, all of them kept."""
    document = example("planted_key")
    document["title"] = "Fifteen organisms, watched"
    document["subject"]["model"]["params"] |= {"min_accuracy": 0.5}
    document["sampling"] |= {"organisms": 15, "pairs_per_organism": 6}
    document["kill_criteria"] = []
    document["controls"] = {}
    return document
