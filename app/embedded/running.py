"""What a running stack tells other processes about itself: `run/supervisor.json` of its data directory."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from app.embedded.directories import places
from app.embedded.errors import EmbeddedError
from app.embedded.lock import identity, is_alive


@dataclass(frozen=True)
class Running:
    """A stack that serves: `url` without a final slash, `data` its data directory, `sockets` those of its servers."""

    pid: int
    started: float
    url: str
    data: str
    sockets: str

    @property
    def secrets(self) -> Path:
        return Path(self.data) / "secrets"


def publish(url: str, root: Path, sockets: Path) -> None:
    """Say that this process serves the directory, whole or not at all for whoever reads at the same time."""
    me = identity()
    running = Running(int(me["pid"]), me["started"], url, str(root), str(sockets))
    fresh = _file(root).with_suffix(".new")
    fresh.write_text(json.dumps(asdict(running)) + "\n")
    fresh.replace(_file(root))


def retract(root: Path) -> None:
    _file(root).unlink(missing_ok=True)


def find_running(data: Path) -> Running | None:
    """The live stack of what ANTEDATE_DATA says, if there is one; a killed one's file does not count.

    Raises EmbeddedError where this user may not look.
    """
    for root in places(data):
        try:
            running = Running(**json.loads(_file(root).read_text()))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise EmbeddedError(
                f"cannot tell whether a service of {data} is running: {error}; ask as the user who started it, "
                "or name the service by its URL"
            ) from error
        if is_alive({"pid": running.pid, "started": running.started}):
            return running
    return None


def _file(root: Path) -> Path:
    return root / "run" / "supervisor.json"
