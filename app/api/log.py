"""The log as anyone can mirror and check it: its key, its signed heads, its entries, proofs, and static tiles."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse
from sqlmodel import Session

from app import errors
from app.api.protocol.access import TheLedger
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.conditional import REVALIDATE, json_answer
from app.api.protocol.description import answers
from app.api.protocol.paging import link_to_next
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Page
from app.api.schemas.history import LogEntry
from app.api.schemas.log import ClaimProof, EntryProof, Proof
from app.ledger import checkpoints, log, proofs, tree
from app.ledger.checkpoints import Issued
from app.ledger.cursors import LARGEST
from claims import merkle
from claims.entries import leaf_hash
from claims.flaws import Flaw

router = APIRouter(tags=["log"], dependencies=[STRICT])
MOST_ENTRIES = 256
_NUMBER = re.compile(r"[0-9]{1,19}")  # no more digits than LARGEST has
Size = Annotated[int, Query(ge=1, le=LARGEST)]
Index = Annotated[int, Query(ge=0, le=LARGEST)]
PROBLEMS = answers(errors.NotFoundError, errors.InvalidQueryError)


@router.get("/v1/log/key", summary="The log's verifier key", response_class=PlainTextResponse, responses=answers())
def get_key(request: Request) -> PlainTextResponse:
    """The Ed25519 key that receipts and checkpoints are signed with, in C2SP vkey form.

    Pin it: a later answer proves nothing.
    """
    return PlainTextResponse(f"{request.app.state.signing.vkey}\n")


@router.get(
    "/v1/log/checkpoint", summary="A signed head of the log", response_class=PlainTextResponse, responses=PROBLEMS
)
def get_checkpoint(ledger: TheLedger, size: Size | None = None) -> PlainTextResponse:
    """The newest checkpoint, or the one of `size`: a C2SP signed note with every cosignature that it has so far."""
    with ledger.begin() as session:
        found = _checkpoint(session, size)
        note = _cosigned(session, found)
    return PlainTextResponse(note, headers=REVALIDATE)


@router.get("/v1/log/entries", response_model=Page[LogEntry], summary="Entries in order", responses=PROBLEMS)
def get_entries(
    *,
    request: Request,
    response: Response,
    ledger: TheLedger,
    start: Annotated[int, Query(ge=0, le=LARGEST, description="the first entry's seq")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ENTRIES)] = MOST_ENTRIES,
    cursor: Annotated[str | None, Query(description="`next` of the part before, instead of `start`")] = None,
) -> Page[LogEntry]:
    """The log from `start` on, oldest first."""
    begin = start if cursor is None else _start_of(cursor)
    with ledger.begin() as session:
        found = log.between(session, begin, limit + 1)
    following = str(found[limit].seq) if len(found) > limit else None
    link_to_next(request, response, following)
    return Page[LogEntry](items=[LogEntry.of(entry) for entry in found[:limit]], next=following)


@router.get(
    "/v1/log/proof", response_model=Proof, response_model_exclude_none=True, summary="A proof", responses=PROBLEMS
)
def get_proof(
    ledger: TheLedger,
    index: Index | None = None,
    first: Size | None = None,
    size: Annotated[int | None, Query(ge=1, le=LARGEST, description="absent: the newest checkpoint's")] = None,
) -> Proof:
    """That the entry `index` is in the tree over `size` entries, or that this tree continues the one over `first`.

    Give one of `index` and `first`.
    """
    if (index is None) == (first is None):
        raise _refused("/index", "Give one of `index`, for an entry, and `first`, for an earlier tree.")
    with ledger.begin() as session:
        until = _checkpoint(session, None).size if size is None else size
        try:
            return _inclusion(session, index, until) if index is not None else _consistency(session, first or 0, until)
        except ValueError as error:
            raise _refused("/size", f"{error}.".capitalize()) from error


@router.get("/v1/claims/{claim}/proof", response_model=ClaimProof, summary="Its entries, proven", responses=PROBLEMS)
def get_claim_proof(request: Request, ledger: TheLedger, claim: ClaimInPath, size: Size | None = None) -> Response:
    """Every entry of the claim that the newest checkpoint covers, or that of `size`, each with its inclusion proof."""
    with ledger.begin() as session:
        if not log.history(session, claim):
            raise missing("claim", claim)
        head = _checkpoint(session, size)
        entries = proofs.proven_entries(session, claim, head.size)
        note = _cosigned(session, head)
    answer = ClaimProof(
        checkpoint=note,
        vkey=request.app.state.signing.vkey,
        size=head.size,
        root=head.root.hex(),
        entries=[
            EntryProof(
                index=entry.index,
                canonical=base64.b64encode(entry.canonical).decode(),
                leaf_hash=leaf_hash(entry.canonical).hex(),
                proof=_hexed(entry.proof),
            )
            for entry in entries
        ],
    )
    return json_answer(request, answer)


def _checkpoint(session: Session, size: int | None) -> Issued:
    found = checkpoints.newest(session) if size is None else checkpoints.at(session, size)
    if found is None:
        detail = "No checkpoint has been signed yet." if size is None else f"No checkpoint has the size {size}."
        raise errors.NotFoundError(detail, remedy="Ask for the newest, without `size`; one is signed as the log grows.")
    return found


def _cosigned(session: Session, issued: Issued) -> str:
    return issued.note + "".join(f"{line}\n" for line in checkpoints.cosignatures(session, issued.size))


def _inclusion(session: Session, index: int, size: int) -> Proof:
    path = proofs.inclusion(session, index, size)
    leaf = tree.read(session, [(0, index)])[0, index]
    root = merkle.root(size, tree.reader(session))
    return Proof(index=index, leaf_hash=leaf.hex(), size=size, root=root.hex(), proof=_hexed(path))


def _consistency(session: Session, first: int, size: int) -> Proof:
    path = proofs.consistency(session, first, size)
    root = merkle.root(size, tree.reader(session))
    return Proof(first=first, size=size, root=root.hex(), proof=_hexed(path))


def _start_of(cursor: str) -> int:
    if not _NUMBER.fullmatch(cursor) or int(cursor) > LARGEST:
        raise _refused("/cursor", "This is no cursor of this service: take it from `next` of the list before.")
    return int(cursor)


def _refused(pointer: str, detail: str) -> errors.InvalidQueryError:
    remedy = "See what this address takes in the API's description."
    return errors.InvalidQueryError(detail, flaws=[Flaw(pointer, "invalid_parameter", detail, remedy)])


def _hexed(hashes: Sequence[bytes]) -> list[str]:
    return [hash_.hex() for hash_ in hashes]
