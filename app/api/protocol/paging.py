"""Lists in parts: the address of the next one (RFC 8288)."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import Request, Response


def link_to_next(request: Request, response: Response, cursor: str | None) -> None:
    """Names the next part in the Link header, by the parameters of this one; nothing at the end of the list."""
    if cursor is None:
        return
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
    address = f"{request.url.path}?{urlencode([*kept, ('cursor', cursor)])}"
    response.headers["Link"] = f'<{address}>; rel="next"'
