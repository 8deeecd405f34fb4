"""The stylesheet, the script and the icon: read once, served under an address that changes with their content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from fastapi import HTTPException, Request, Response

STATIC = Path(__file__).parent / "static"
MEDIA_TYPES = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".svg": "image/svg+xml",
    }
)


@dataclass(frozen=True)
class Asset:
    body: bytes
    media_type: str
    etag: str


@cache
def assets() -> MappingProxyType[str, Asset]:
    """Every static file by name. Nothing outside this table can be asked for, whatever the path says."""
    return MappingProxyType({path.name: _read(path) for path in sorted(STATIC.iterdir()) if path.suffix in MEDIA_TYPES})


def asset_url(name: str) -> str:
    return f"/static/{assets()[name].etag}/{name}"


def serve(request: Request, version: str, name: str) -> Response:
    """The file called `name`; raises 404 for any other. Only the address of this very content may be kept for good."""
    asset = assets().get(name)
    if asset is None:
        raise HTTPException(404, f"There is no static file {name!r}.")
    kept = "public, max-age=31536000, immutable" if version == asset.etag else "no-cache"
    headers = {"ETag": f'"{asset.etag}"', "Cache-Control": kept, "X-Content-Type-Options": "nosniff"}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(asset.body, media_type=asset.media_type, headers=headers)


def _read(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(body, MEDIA_TYPES[path.suffix], hashlib.sha256(body).hexdigest()[:16])
