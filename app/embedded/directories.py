"""Where the embedded stack keeps its files, and how a place is found that the servers' account can reach."""

import hashlib
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.embedded.accounts import Account, server_account
from app.embedded.errors import EmbeddedError

RELOCATED = Path("/var/lib/antedate")
POSTGRES_PORT = 5432
# sun_path holds 108 bytes with its final NUL; the longest name in the directory is Postgres's.
_LONGEST_SOCKET = f".s.PGSQL.{POSTGRES_PORT}"
_SOCKET_PATH_LIMIT = 107
# A path of other characters would have to be quoted in a libpq host list and in two kinds of URL.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")


@dataclass(frozen=True)
class DataDirectory:
    """The files of one stack. `root` is absolute and free of symbolic links."""

    root: Path
    account: Account

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def valkey(self) -> Path:
        return self.root / "valkey"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def secrets(self) -> Path:
        return self.root / "secrets"

    @property
    def servers(self) -> Path:
        """Copies of the server programs, where the account cannot read the installed ones."""
        return self.root / "servers"

    @property
    def sockets(self) -> Path:
        inside = self.root / "sockets"
        longest = len(os.fsencode(inside / _LONGEST_SOCKET))
        if longest <= _SOCKET_PATH_LIMIT and _PLAIN_PATH.fullmatch(str(inside)):
            return inside
        return Path("/tmp") / f"antedate-{self.account.uid}-{_digest(self.root)}"  # noqa: S108 - ownership is checked

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"

    def create(self) -> None:
        """Make what is missing. Raises EmbeddedError where the system does not let us."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            # The account must pass through; what is inside has a mode of its own.
            self.root.chmod(0o711 if self.account.dropped else 0o700)
            for ours in (self.logs, self.run, self.secrets):
                ours.mkdir(exist_ok=True)
                ours.chmod(0o700)
            self.valkey.mkdir(exist_ok=True)
            self.account.owns(self.valkey)
            self._create_sockets()
        except OSError as error:
            raise EmbeddedError(
                f"cannot prepare the data directory {self.root}: {error}; set ANTEDATE_DATA to a directory that "
                "this user can write"
            ) from error
        if not self.account.can_enter(self.root):
            raise EmbeddedError(
                f"user {self.account.name}, whom the servers run as, cannot reach {self.root}: let others pass "
                "through the directories above it (chmod o+x), or move it and set ANTEDATE_DATA"
            )

    def remove_sockets(self) -> None:
        """Leave nothing outside the data directory once nobody listens."""
        if not self.sockets.is_relative_to(self.root):
            with suppress(OSError):
                self.sockets.rmdir()

    def _create_sockets(self) -> None:
        sockets = self.sockets
        sockets.mkdir(mode=0o700, exist_ok=True)
        # In a shared directory the name may be somebody else's, and so may whatever listens inside it.
        found = sockets.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {os.geteuid(), self.account.uid}:
            raise EmbeddedError(f"{sockets} belongs to another user: remove it, or set ANTEDATE_DATA to a shorter path")
        self.account.owns(sockets)


def locate(data: Path, *, servers: bool = True) -> DataDirectory:
    """The stack's directory for what ANTEDATE_DATA says; makes nothing. Idempotent.

    As root, data under a directory that the servers' account cannot pass (a 0700 home) goes to
    /var/lib/antedate/<hash of path>, and stays there once it exists. `servers=False`: none is embedded, so that no
    account but ours need reach it.
    """
    path, moved = places(data)
    account = server_account(path / "postgres") if servers else Account(str(os.geteuid()), os.geteuid(), os.getegid())
    if not account.dropped:
        return DataDirectory(path, account)
    if (moved / "postgres").exists():
        return DataDirectory(moved, server_account(moved / "postgres"))
    if (path / "postgres").exists() or account.can_enter(_nearest_directory(path)):
        return DataDirectory(path, account)
    return DataDirectory(moved, account)


def places(data: Path) -> tuple[Path, Path]:
    """Where the data of this ANTEDATE_DATA may be: there, or where root moves what its servers could not reach."""
    path = Path(os.path.realpath(data))
    return path, RELOCATED / _digest(path)


def _nearest_directory(path: Path) -> Path:
    return next(candidate for candidate in (path, *path.parents) if candidate.is_dir())


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
