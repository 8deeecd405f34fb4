"""The command line against a service that really listens."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.embedded.running import publish


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(capsys, monkeypatch) -> Run:
    """`run("list", "--json", **environment)`: the command in this process."""

    def ran(*arguments: str, **environment: str) -> Done:
        for name in ("ANTEDATE_URL", "ANTEDATE_KEY"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["antedate", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, out, err)

    return ran


@pytest.fixture
def home(service, listening, tmp_path, monkeypatch) -> Path:
    """A data directory as `antedate up` leaves it: where the service listens, and the key of its registrant."""
    (tmp_path / "run").mkdir()
    (tmp_path / "secrets").mkdir()
    publish(listening, tmp_path, tmp_path / "sockets")
    (tmp_path / "secrets" / "local.key").write_text(f"{service.ada}\n")
    monkeypatch.setenv("ANTEDATE_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def yaml_file(document, tmp_path) -> Callable[..., Path]:
    """`yaml_file(**parts)`: a document of its own in a file; JSON is YAML too."""

    def written(**parts: Any) -> Path:
        path = tmp_path / "prediction.yaml"
        path.write_text(json.dumps(document(**parts)))
        return path

    return written
