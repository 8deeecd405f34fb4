"""The log files: one for each process, none without bound."""

import logging
import os
import shutil
from logging.handlers import RotatingFileHandler
from pathlib import Path

_MOST_BYTES = 16 * 1024 * 1024
_TAIL_BYTES = 2000


def rotate_at_start(log: Path) -> None:
    """Keep the last start's log as `<name>.1`, so that a new one begins with this start."""
    if log.exists():
        log.replace(log.with_name(log.name + ".1"))


def bound(log: Path) -> None:
    """Move what a long-running process wrote to `<name>.1` once it is 16 MiB; the process keeps its file open."""
    if log.exists() and log.stat().st_size > _MOST_BYTES:
        shutil.copyfile(log, log.with_name(log.name + ".1"))
        os.truncate(log, 0)


def tail(log: Path) -> str:
    """The last whole lines of a log, about 2,000 bytes; of a last line that is longer, its end."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        start = max(0, log.stat().st_size - _TAIL_BYTES)
        file.seek(start)
        lines = file.read().decode(errors="replace").strip().splitlines()
    if not start:
        return "\n".join(lines)
    return "\n".join(lines[1:]) or f"…{''.join(lines)}"


def supervisor_log(directory: Path) -> logging.Logger:
    """The supervisor's own log, `supervisor.log` of this directory and nothing on the terminal."""
    # One logger for each directory: a process may supervise several stacks, as the tests do.
    logger = logging.getLogger(f"antedate.supervisor.{directory}")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    handler = RotatingFileHandler(directory / "supervisor.log", maxBytes=_MOST_BYTES, backupCount=1)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.handlers = [handler]
    return logger
