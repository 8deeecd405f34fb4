"""What others say of a claim before it is opened: sealed then, and told after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from app import errors
from app.api.protocol.access import Filer, TheLedger
from app.api.protocol.addresses import ClaimInPath, missing
from app.api.protocol.bodies import REASON, body_of
from app.api.protocol.description import answers, body, reference
from app.api.protocol.paging import link_to_next
from app.api.protocol.querying import STRICT
from app.api.protocol.reading import read_as
from app.api.protocol.refusals import refused_as
from app.api.schemas.answers import Page
from app.api.schemas.calibration import ForecastStats
from app.api.schemas.forecasts import ClaimForecast, Revealing, Sealing
from app.api.schemas.history import LogEntry
from app.ledger import forecasts
from app.ledger.errors import TooLateError, UnknownClaimError
from app.ledger.forecasts import AlreadyForecastError, MismatchError, NoForecastError, OwnClaimError, TooEarlyError
from app.ledger.queries import MOST_IN_A_LIST
from app.ledger.track_records import forecasters, track_record
from claims.flaws import Flaw, RefusedInputError

router = APIRouter(tags=["forecasts"], dependencies=[STRICT])
Body = Annotated[bytes, Depends(body_of(REASON))]
TOO_LATE = "A claim is forecast before data can exist: GET /v1/claims shows which ones are still `registered`."
NEVER_TOLD = "Nothing more is to be done: it counts as `withdrawn`, not as hidden."
STATE_IT = "Whoever files a claim states a `probability` in the document."
SEAL_FIRST = "GET /v1/claims/{claim}/forecasts tells who sealed one: seal before a claim is opened, by your own key."
SAME = "Send the very probability and salt that you sealed, and by the key of the same registrant."
PROBLEMS: dict[int | str, dict[str, Any]] = answers(
    errors.UnauthenticatedError,
    errors.ScopeMissingError,
    errors.NotFoundError,
    errors.BodyTooSlowError,
    errors.BodyTooLargeError,
    errors.WrongMediaTypeError,
    errors.WrongContentEncodingError,
    errors.InvalidForecastError,
)


@router.get("/v1/claims/{claim}/forecasts", summary="What others forecast", responses=answers(errors.NotFoundError))
def get_forecasts(ledger: TheLedger, claim: ClaimInPath) -> Page[ClaimForecast]:
    """Every forecast of the claim, in the order in which they were sealed."""
    try:
        with ledger.begin() as session:
            found = forecasts.of_claim(session, claim)
    except UnknownClaimError:
        raise missing("claim", claim) from None
    return Page(items=[ClaimForecast.of(row) for row in found], next=None)


@router.post(
    "/v1/claims/{claim}/forecasts",
    summary="Seal a forecast of somebody else's claim",
    responses=PROBLEMS | answers(errors.AlreadyForecastError, errors.TooLateError),
    openapi_extra=body(REASON, reference(Sealing), "The seal; the probability stays with you."),
)
def seal_forecast(ledger: TheLedger, caller: Filer, claim: ClaimInPath, document: Body) -> LogEntry:
    """Before the claim is opened, once for each registrant, and never replaced. The answer is the entry of the log.

    The same seal again gets the same entry, so that whoever lost the answer can ask once more.
    """
    with refused_as(errors.InvalidForecastError):
        given = read_as(Sealing, document)
        with _in_words(claim, TOO_LATE), ledger.begin() as session:
            return LogEntry.of(forecasts.seal(session, claim, caller.registrant, given.sealed))


@router.post(
    "/v1/claims/{claim}/forecasts/reveal",
    summary="Tell what was sealed",
    responses=PROBLEMS | answers(errors.TooEarlyError, errors.TooLateError),
    openapi_extra=body(REASON, reference(Revealing), "What was sealed."),
)
def reveal_forecast(ledger: TheLedger, caller: Filer, claim: ClaimInPath, document: Body) -> LogEntry:
    """From when the claim is opened, by whoever sealed it. What was never told is counted. The answer is the entry.

    Told again, it gets the same entry.
    """
    with refused_as(errors.InvalidForecastError):
        given = read_as(Revealing, document)
        with _in_words(claim, NEVER_TOLD), ledger.begin() as session:
            salt = bytes.fromhex(given.salt)
            return LogEntry.of(forecasts.reveal(session, claim, caller.registrant, given.probability, salt))


@router.get("/v1/stats/forecasts", summary="How forecasts came out", responses=answers())
def get_forecast_stats(
    ledger: TheLedger,
    registrant: Annotated[
        str | None, Query(min_length=1, max_length=100, description="Whose; everybody's unless given.")
    ] = None,
) -> ForecastStats:
    """How many were sealed, told and hidden, and how the probabilities that were told were borne out."""
    with ledger.begin() as session:
        return ForecastStats.of(track_record(session, registrant), registrant)


@router.get("/v1/stats/forecasters", summary="Who forecasts, and how well", responses=answers())
def get_forecasters(
    request: Request,
    response: Response,
    ledger: TheLedger,
    limit: Annotated[int, Query(ge=1, le=MOST_IN_A_LIST)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Page[ForecastStats]:
    """Everybody who has sealed a forecast, in the order of their first, each with what theirs came to."""
    with refused_as(errors.InvalidQueryError), ledger.begin() as session:
        found = forecasters(session, cursor=cursor, limit=limit)
    link_to_next(request, response, found.next)
    return Page(items=[ForecastStats.of(record, name) for name, record in found.items], next=found.next)


@contextmanager
def _in_words(claim: str, too_late: str) -> Iterator[None]:
    """The ledger's refusals as problems; `too_late` is what to do once it is."""
    try:
        yield
    except UnknownClaimError:
        raise missing("claim", claim) from None
    except TooLateError as error:
        raise errors.TooLateError(f"Claim {claim}: {error}.", remedy=too_late) from None
    except TooEarlyError as error:
        raise errors.TooEarlyError(f"Claim {claim}: {error}.") from None
    except AlreadyForecastError as error:
        raise errors.AlreadyForecastError(f"The forecast is refused: {error}.") from None
    except OwnClaimError as error:
        raise RefusedInputError(Flaw("", "own_claim", str(error), STATE_IT)) from None
    except NoForecastError as error:
        raise RefusedInputError(Flaw("", "not_sealed", str(error), SEAL_FIRST)) from None
    except MismatchError as error:
        raise RefusedInputError(Flaw("", "not_sealed", str(error), SAME)) from None
