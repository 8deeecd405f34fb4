"""The service's log: one JSON object a line on standard error, which `antedate up` keeps in a file."""

from __future__ import annotations

import sys

import structlog


def configure() -> None:
    """Stack traces are logged without the values of variables: among those are keys and nonces."""
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
