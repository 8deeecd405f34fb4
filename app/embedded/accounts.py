"""The unprivileged user that the servers run as. Postgres refuses to run as root."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from app.embedded.errors import EmbeddedError

_CANDIDATES = ("postgres", "nobody")


class Credentials(TypedDict, total=False):
    """Arguments of subprocess.Popen that make the child run as an account."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    """A user of this machine. `dropped` says that it is another than the one we run as, which then is root."""

    name: str
    uid: int
    gid: int
    dropped: bool = False

    def credentials(self) -> Credentials:
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.dropped else {}

    def owns(self, path: Path) -> None:
        """Give `path` to this account, which alone may enter or read it."""
        if self.dropped:
            os.chown(path, self.uid, self.gid)
        path.chmod(0o700)

    def can_enter(self, directory: Path) -> bool:
        """Whether the account passes every directory down to this one; asked of the system, which knows ACLs."""
        if not self.dropped:
            return os.access(directory, os.X_OK)
        try:
            asked = subprocess.run(
                ["/usr/bin/test", "-x", str(directory)], check=False, cwd="/", env={}, **self.credentials()
            )
        except OSError as error:
            raise EmbeddedError(
                f"cannot start a process as user {self.name} ({error}), and Postgres refuses to run as root: run "
                "Antedate as an ordinary user, or set DATABASE_URL and REDIS_URL to servers of your own"
            ) from error
        return asked.returncode == 0


def server_account(postgres_data: Path) -> Account:
    """Who runs the servers: ourselves, or as root the owner of the existing data, else `postgres`, else `nobody`.

    Raises EmbeddedError where no user with a passwd entry is left: initdb and Postgres need one.
    """
    uid = os.geteuid()
    if uid != 0:
        return _ourselves(uid)
    entry = _owner_of(postgres_data) or next(filter(None, map(_by_name, _CANDIDATES)), None)
    if entry is None:
        raise EmbeddedError(
            "Postgres refuses to run as root, and neither user `postgres` nor `nobody` exists here: add one of them, "
            "run as an ordinary user, or set DATABASE_URL and REDIS_URL to servers of your own"
        )
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, dropped=True)


def _ourselves(uid: int) -> Account:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        raise EmbeddedError(
            f"user id {uid} has no passwd entry, and Postgres needs one: run as a user that has a name, "
            "or set DATABASE_URL and REDIS_URL to servers of your own"
        ) from None
    return Account(name, uid, os.getegid())


def _owner_of(path: Path) -> pwd.struct_passwd | None:
    try:
        owner = path.stat().st_uid
        return None if owner == 0 else pwd.getpwuid(owner)
    except (FileNotFoundError, NotADirectoryError, KeyError):
        return None


def _by_name(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None
