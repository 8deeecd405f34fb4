"""Preference pairs: uploaded once, known by the hash of their canonical bytes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from app import errors
from app.api.protocol.access import Filer, TheLedger
from app.api.protocol.addresses import DatasetInPath, missing
from app.api.protocol.bodies import DATASET, body_of
from app.api.protocol.description import answers, body
from app.api.protocol.paging import link_to_next
from app.api.protocol.querying import STRICT
from app.api.protocol.refusals import refused_as
from app.api.schemas.answers import Page
from app.api.schemas.datasets import Dataset, NearDuplicates, UploadedDataset
from app.ledger import datasets
from app.ledger.queries import MOST_IN_A_LIST
from claims.characters import flaws_of_line
from claims.flaws import Flaw, RefusedInputError, pointer
from claims.near_duplicates import TooManyOverlapsError, near_duplicates
from claims.pairs import Pairs, read_pairs
from claims.registration.model import Dimension

router = APIRouter(tags=["datasets"], dependencies=[STRICT])
LINES = {
    "type": "string",
    "description": "One preference pair a line: id, dimension, prompt, chosen, rejected, or an export of Hugging Face.",
}
MOST_OVERLAPS = 1e9  # comparing such pairs takes about 10 s; ordinary ones, even a whole 64 MiB of them, have far fewer

Name = Annotated[str, Query(min_length=1, max_length=200, description="What people call it.")]
OfTheRest = Annotated[Dimension | None, Query(description="The dimension of every line that names none.")]


@router.post(
    "/v1/datasets",
    summary="Upload preference pairs",
    status_code=201,
    responses={
        200: {"model": UploadedDataset, "description": "These pairs are on the ledger already, under the name shown."},
        **answers(
            errors.UnauthenticatedError,
            errors.ScopeMissingError,
            errors.BodyTooSlowError,
            errors.BodyTooLargeError,
            errors.WrongMediaTypeError,
            errors.WrongContentEncodingError,
            errors.InvalidPairsError,
        ),
    },
    openapi_extra=body(DATASET, LINES, "UTF-8 JSONL. Every bad line is named, and then none is imported."),
)
def upload_dataset(
    *,
    ledger: TheLedger,
    caller: Filer,
    name: Name,
    lines: Annotated[bytes, Depends(body_of(DATASET))],
    response: Response,
    dimension: OfTheRest = None,
) -> UploadedDataset:
    """Put preference pairs on the ledger. The order of lines and of keys does not change what they are."""
    with refused_as(errors.InvalidQueryError):
        _check(name)
    with refused_as(errors.InvalidPairsError):
        pairs = read_pairs(lines, dimension)
    noticed = _near_duplicates(pairs)
    with ledger.begin() as session:
        uploaded = datasets.upload(session, pairs, name, caller.registrant)
    response.headers["Location"] = f"/v1/datasets/{uploaded.dataset.sha256}"
    response.status_code = 201 if uploaded.created else 200
    return UploadedDataset.noticed(uploaded.dataset, noticed)


def _near_duplicates(pairs: Pairs) -> NearDuplicates | None:
    try:
        return NearDuplicates.of(near_duplicates(pairs.rows, MOST_OVERLAPS))
    except TooManyOverlapsError:
        return None


@router.get("/v1/datasets", summary="Datasets, newest first", responses=answers())
def get_datasets(
    request: Request,
    response: Response,
    ledger: TheLedger,
    limit: Annotated[int, Query(ge=1, le=MOST_IN_A_LIST)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Page[Dataset]:
    """Every set of preference pairs that was uploaded."""
    with refused_as(errors.InvalidQueryError), ledger.begin() as session:
        found = datasets.newest(session, cursor=cursor, limit=limit)
    link_to_next(request, response, found.next)
    return Page(items=[Dataset.of(row) for row in found.items], next=found.next)


def _check(name: str) -> None:
    flaws = flaws_of_line(name, pointer("name"), "the name")
    if not name.strip():
        flaws.append(Flaw(pointer("name"), "bad_form", "the name is blank", "Give a name that people can read."))
    elif name != name.strip():
        detail = "the name begins or ends with a blank"
        flaws.append(Flaw(pointer("name"), "bad_form", detail, "Take away the blanks around it."))
    if flaws:
        raise RefusedInputError(*flaws)


@router.get("/v1/datasets/{sha256}", summary="One dataset", responses=answers(errors.NotFoundError))
def get_dataset(ledger: TheLedger, sha256: DatasetInPath) -> Dataset:
    """What is known of the pairs with this hash."""
    with ledger.begin() as session:
        found = datasets.find(session, sha256)
    if found is None:
        raise missing("dataset", sha256)
    return Dataset.of(found)
