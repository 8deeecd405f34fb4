"""The log as static tiles (C2SP tlog-tiles): all that a mirror needs, and every answer may be cached for ever."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from sqlmodel import Session

from app import errors
from app.api.protocol.access import TheLedger
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.ledger import checkpoints, log, tree
from claims import tiles

router = APIRouter(tags=["log"], dependencies=[STRICT])
BYTES = "application/octet-stream"
FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
ENTRIES = "entries"


@router.get(
    "/v1/log/tile/{level}/{path:path}",
    summary="A tile of the log",
    response_class=Response,
    responses={
        200: {"content": {BYTES: {"schema": {"type": "string", "format": "binary"}}}},
        **answers(errors.NotFoundError),
    },
)
def get_tile(
    ledger: TheLedger,
    level: Annotated[str, Path(description="0 to 63, or `entries` for the entries themselves.")],
    path: Annotated[str, Path(description="The tile's number in groups of three digits, `x001/067`, or `….p/W`.")],
) -> Response:
    """256 hashes of one level, 32 bytes each, or the first W; of `entries`, each entry after its length in two bytes.

    A tile is served once a signed head covers it.
    """
    with ledger.begin() as session:
        try:
            body = _tile(session, level, path)
        except ValueError as error:
            raise _missing(f"{level}/{path}", f"{error}.") from error
    return Response(body, media_type=BYTES, headers=FOR_EVER)


def _tile(session: Session, level: str, path: str) -> bytes:
    index, width = tiles.parse_path(path)
    height = 0 if level == ENTRIES else tiles.parse_level(level)
    head = checkpoints.newest(session)
    if head is None or not tiles.exists(height, index, width, head.size):
        covered = 0 if head is None else head.size
        raise _missing(f"{level}/{path}", f"The newest signed head is over {covered} entries, which do not fill it.")
    if level == ENTRIES:
        return tiles.entries_bundle(log.canonicals(session, tiles.FULL_WIDTH * index, width))
    return tiles.tile_bytes(height, index, width, tree.reader(session))


def _missing(tile: str, why: str) -> errors.NotFoundError:
    remedy = "Tiles are numbered from 0; `/v1/log/checkpoint` says how large the log is."
    return errors.NotFoundError(f"There is no tile {tile[:120]!r}: {why}", remedy=remedy)
