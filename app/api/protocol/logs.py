"""The service's log: one JSON object a line on standard error, which `antedate up` keeps in a file."""

from __future__ import annotations

import logging
import sys

import structlog

PROBES = ("/healthz", "/readyz")


def configure() -> None:
    """Stack traces are logged without the values of variables: among those are keys and nonces.

    Of requests all are logged but probes, which come by the second and would leave nothing else to read; what they
    find is logged where they are answered.
    """
    logging.getLogger("uvicorn.access").addFilter(_no_probe)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        # Standard error as it is when something is logged: tests replace it.
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
    )


def _no_probe(record: logging.LogRecord) -> bool:
    """Whether an access line of uvicorn, whose arguments are client, method, path, version and status, is of others."""
    path = record.args[2] if isinstance(record.args, tuple) and len(record.args) > 2 else ""  # noqa: PLR2004
    return str(path).partition("?")[0] not in PROBES
