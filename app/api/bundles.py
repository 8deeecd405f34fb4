"""A claim as one archive that can be checked without this service."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Annotated, BinaryIO

from fastapi import APIRouter, Query, Request
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

from app import errors
from app.api.protocol.access import TheLedger
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.conditional import REVALIDATE, tagged, unchanged
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.ledger.bundles import Built, Bundles, BusyError, MissingReceiptError, UnknownTreeError, latest_tree
from app.ledger.checkpoints import ForkedLogError
from app.ledger.cursors import LARGEST
from app.ledger.database import Ledger
from app.ledger.errors import UnknownClaimError
from claims.canonical import sha256_hex

router = APIRouter(tags=["bundles"], dependencies=[STRICT])
ZIP = "application/zip"
CHUNK = 1024 * 1024
PROBLEMS = answers(errors.NotFoundError)
TreeSize = Annotated[
    int | None,
    Query(ge=1, le=LARGEST, description="The size of the checkpoint that the claim is shown as of."),
]


@router.get(
    "/v1/claims/{claim}/bundle.zip",
    response_class=StreamingResponse,
    summary="Everything about it, to be checked elsewhere",
    responses={200: {"content": {ZIP: {"schema": {"type": "string", "format": "binary"}}}}, **PROBLEMS},
)
def get_bundle(request: Request, ledger: TheLedger, claim: ClaimInPath, tree_size: TreeSize = None) -> Response:
    """The claim as of the checkpoint of `tree_size`: the same claim at the same size has the same bytes, for ever.

    Without it, of the first checkpoint that covers how the claim came out, or the newest while it has not;
    `Content-Location` says which. The ETag is the archive's SHA-256. Where the verdict was corrected later, `Link`
    names the bundle that shows it.
    """
    bundles: Bundles = request.app.state.bundles
    size = _tree(bundles, claim, tree_size)
    headers = _where(ledger, claim, size)
    known = bundles.known(claim, size)
    if known is not None and unchanged(request, known.sha256):
        return Response(status_code=304, headers=_tags(known) | headers)
    with ExitStack() as stack:
        file = stack.enter_context(tempfile.TemporaryFile())
        built = _built(partial(bundles.build, claim, size, file))
        headers |= _tags(built)
        if unchanged(request, built.sha256):
            return Response(status_code=304, headers=headers)
        headers["Content-Length"] = str(built.bytes)
        return StreamingResponse(_sent(file, stack.pop_all()), media_type=ZIP, headers=headers)


@router.get(
    "/v1/claims/{claim}/bundle.zip.sha256",
    response_class=PlainTextResponse,
    summary="The bundle's SHA-256",
    responses=PROBLEMS,
)
def get_bundle_sha256(request: Request, ledger: TheLedger, claim: ClaimInPath, tree_size: TreeSize = None) -> Response:
    """One line as `sha256sum` writes it, and as `sha256sum --check` reads it beside `bundle.zip`."""
    bundles: Bundles = request.app.state.bundles
    size = _tree(bundles, claim, tree_size)
    built = _built(partial(bundles.described, claim, size))
    line = f"{built.sha256}  bundle.zip\n".encode()
    return tagged(request, line, sha256_hex(line), "text/plain", _where(ledger, claim, size, ".sha256"))


def _tree(bundles: Bundles, claim: str, size: int | None) -> int:
    try:
        return bundles.tree(claim, size)
    except UnknownClaimError as error:
        raise missing("claim", claim) from error
    except UnknownTreeError as error:
        remedy = "Leave `tree_size` out, or take it from a checkpoint that was signed after the claim was filed."
        raise errors.NotFoundError(_sentence(error), remedy=remedy) from error
    except ForkedLogError as error:
        detail = f"No signed head covers the claim, and none is signed: {error}."
        remedy = "Tell the operator, whom `antedate audit` tells more. Bundles of earlier trees are still to be had."
        raise errors.NotFoundError(detail, remedy=remedy) from error


def _built(build: Callable[[], Built]) -> Built:
    try:
        return build()
    except BusyError as error:
        raise errors.UnavailableError(_sentence(error)) from error
    except MissingReceiptError as error:
        remedy = "Ask the operator to restore it from a backup; what the log says is at /v1/claims/{id}/proof."
        raise errors.NotFoundError(_sentence(error), remedy=remedy) from error


def _where(ledger: Ledger, claim: str, size: int, suffix: str = "") -> dict[str, str]:
    """Which bundle this is, and which shows the claim as it was corrected, if it was."""
    address = f"/v1/claims/{claim}/bundle.zip{suffix}?tree_size="
    with ledger.begin() as session:
        latest = latest_tree(session, claim)
    later = {} if latest is None or latest <= size else {"Link": f'<{address}{latest}>; rel="latest-version"'}
    return {"Content-Location": f"{address}{size}", **later}


def _tags(built: Built) -> dict[str, str]:
    return {**REVALIDATE, "ETag": f'"{built.sha256}"'}


def _sent(file: BinaryIO, stack: ExitStack) -> Iterator[bytes]:
    """The whole file, which is closed when it was sent or nobody wants it any more."""
    with stack:
        file.seek(0)
        while chunk := file.read(CHUNK):
            yield chunk


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
