"""Headers that stand once: two of one name could be read differently by whoever stands between."""

from __future__ import annotations

from starlette.datastructures import Headers

from app.errors import BadRequestError

ONCE = ("Authorization", "Content-Encoding", "Content-Type", "Idempotency-Key")


def repeated(headers: Headers) -> BadRequestError | None:
    """The problem with the first header that stands twice and may not, if any."""
    for name in ONCE:
        if len(headers.getlist(name)) > 1:
            return BadRequestError(f"The header {name} stands twice.", remedy=f"Send {name} once.")
    return None
