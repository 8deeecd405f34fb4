"""The command line against a service that really listens."""

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn

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


@pytest.fixture(scope="session")
def listening(service) -> Iterator[str]:
    """The URL of the service of these tests, over real HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(service.client.app, log_level="warning", lifespan="off", ws="none"))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


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
