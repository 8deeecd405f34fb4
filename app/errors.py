"""Every way in which the service says no: one class per problem type, with its status, and what to do about it.

A problem's `code` ends its type, `/problems/<code>`, and is a heading of docs/problems.md. They are raised by the
routes and the readers of requests, rendered by `app.api.protocol.problems`, and named in the OpenAPI document of each
route.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, ClassVar

from claims.flaws import Flaw

MOST_LISTED = 20  # refused parameters of one address

# The codes of flaws that only the service can find; those of documents themselves are `claims.flaws.FLAW_CODES`.
SERVICE_FLAW_CODES: Mapping[str, str] = MappingProxyType(
    {
        # The address and the headers
        "unknown_parameter": "The address takes no parameter of this name.",
        "repeated_parameter": "A parameter that stands once stands twice.",
        "missing_parameter": "A parameter or header that the address needs is missing.",
        "invalid_parameter": "A parameter, or a header, has not the form it must have.",
        # What a document names
        "unknown_dataset": "The ledger holds no dataset of this hash.",
        "wrong_size": "The dimensions named hold another number of pairs than stated.",
        "no_model_root": "This service takes no local models.",
        "unusable_model": "The model's directory cannot be used.",
        "other_weights": "The model's weights are not the ones frozen.",
        "unknown_claim": "The ledger holds no claim of this id.",
        "not_your_claim": "The claim is somebody else's.",
        "claim_superseded": "The claim is superseded already.",
        "claim_withdrawn": "The claim was withdrawn.",
        "own_claim": "The claim is the caller's own, and this is for those of others.",
        "not_sealed": "The forecaster sealed nothing of the claim, or something else.",
        "other_run": "The run is not the one that decided the claim.",
        "same_claim": "A claim is linked with itself.",
        "circular_link": "The link would close a circle.",
        "unknown_import": "The ledger holds no imported record of this id.",
        "not_your_import": "The imported record is somebody else's.",
        "import_superseded": "The imported record is replaced already.",
        "bad_cursor": "The cursor is none that this service made.",
        # What the service itself lacks
        "database": "The database cannot be reached.",
        "schema": "The database does not have this version's schema.",
        "broker": "The broker of the queues cannot be reached.",
    }
)


class ProblemError(Exception):
    """An RFC 9457 problem. `detail` says what is wrong with this request, `remedy` what to do.

    `flaws` name the offending places (JSON pointers into the body, or `/name` of a query parameter), `headers` go
    with the answer, and `members` are extension members of the problem object.
    """

    status: ClassVar[HTTPStatus]
    code: ClassVar[str]
    title: ClassVar[str]
    remedy: ClassVar[str]

    def __init__(
        self,
        detail: str,
        *,
        remedy: str | None = None,
        flaws: Sequence[Flaw] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.what_to_do = remedy or self.remedy
        self.flaws = tuple(flaws)
        self.headers = dict(headers or {})
        self.members = dict(members or {})


class BadRequestError(ProblemError):
    status = HTTPStatus.BAD_REQUEST
    code = "bad_request"
    title = "The request cannot be understood"
    remedy = "Correct the request line or the header that the detail names, and send it again."


class UnauthenticatedError(ProblemError):
    status = HTTPStatus.UNAUTHORIZED
    code = "unauthenticated"
    title = "A valid API key is needed"
    remedy = "Send the header `Authorization: Bearer ant_…` with a key of this service that is not revoked."

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": 'Bearer realm="antedate"'})


class ScopeMissingError(ProblemError):
    status = HTTPStatus.FORBIDDEN
    code = "scope_missing"
    title = "The API key may not do this"
    remedy = "Use a key that has the scope, or ask the operator for one."

    def __init__(self, scope: str, held: Sequence[str]) -> None:
        challenge = f'Bearer realm="antedate", error="insufficient_scope", scope="{scope}"'
        super().__init__(
            f"This needs the scope {scope!r}; the key has {', '.join(map(repr, held)) or 'none'}.",
            headers={"WWW-Authenticate": challenge},
            members={"scope": scope},
        )


class NotYourClaimError(ProblemError):
    status = HTTPStatus.FORBIDDEN
    code = "not_your_claim"
    title = "Only its own registrant may do this to a claim"
    remedy = "Use the key of the claim's registrant. Others may reproduce it or contradict it by one of theirs."


class UnknownRouteError(ProblemError):
    status = HTTPStatus.NOT_FOUND
    code = "unknown_route"
    title = "There is nothing at this address"
    remedy = "The addresses of this service are listed in /openapi.json and in docs/api.md."


class NotFoundError(ProblemError):
    status = HTTPStatus.NOT_FOUND
    code = "not_found"
    title = "The ledger holds no such thing"
    remedy = "Check the identifier; GET /v1/claims and GET /v1/datasets list what there is."


class NothingMeasuredError(ProblemError):
    status = HTTPStatus.NOT_FOUND
    code = "nothing_measured"
    title = "Nothing has been measured for this claim"
    remedy = "Follow the claim's runs at /v1/claims/{id}/runs; evidence and rows appear when a run ends with them."


class MethodNotAllowedError(ProblemError):
    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "method_not_allowed"
    title = "This address does not take this method"
    remedy = "Use one of the methods that the Allow header names."


class BodyTooSlowError(ProblemError):
    status = HTTPStatus.REQUEST_TIMEOUT
    code = "body_too_slow"
    title = "The body did not arrive in time"
    remedy = "Send the whole body within the stated time."


class AlreadyFiledError(ProblemError):
    status = HTTPStatus.CONFLICT
    code = "already_filed"
    title = "This very document is already on the ledger"
    remedy = "Cite the claim at `url`. To change what it says, file another that amends it, with a reason."


class AlreadyImportedError(ProblemError):
    status = HTTPStatus.CONFLICT
    code = "already_imported"
    title = "This very record is already on the ledger"
    remedy = "Cite the record at `url`. To correct what it says, import another that replaces it, with a reason."


class TooLateError(ProblemError):
    status = HTTPStatus.CONFLICT
    code = "too_late"
    title = "The claim's life no longer allows this"
    remedy = "See GET /v1/claims/{id}/history. A claim can be withdrawn only before data opens; nothing is undone."


class TooEarlyError(ProblemError):
    status = HTTPStatus.CONFLICT
    code = "too_early"
    title = "The claim's life does not allow this yet"
    remedy = "Wait until the claim is opened: GET /v1/claims/{id} says when. Others may forecast it until then."


class AlreadyForecastError(ProblemError):
    status = HTTPStatus.CONFLICT
    code = "already_forecast"
    title = "You have sealed another forecast of the claim already"
    remedy = "Nothing more is to be done. A claim is forecast once by each registrant; what is sealed is not replaced."


class NotCorrectableError(ProblemError):
    status = HTTPStatus.CONFLICT
    code = "not_correctable"
    title = "There is nothing to correct, or nothing to correct it from"
    remedy = "See GET /v1/claims/{id}/history, and docs/links.md for what a correction is."


class BodyTooLargeError(ProblemError):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    title = "The body is larger than this address takes"
    remedy = "Send a smaller body: 1 MiB for a registration, 64 MiB for a dataset."


class WrongMediaTypeError(ProblemError):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "wrong_media_type"
    title = "The body is not of a media type taken here"
    remedy = "Set Content-Type to one of the types that the detail names, with charset utf-8 or none."


class WrongContentEncodingError(ProblemError):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "wrong_content_encoding"
    title = "A compressed body is not taken"
    remedy = "Send the body as it is, without Content-Encoding."


class InvalidRegistrationError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_registration"
    title = "The registration was refused; nothing was recorded"
    remedy = "Correct every place that `errors` names, and send it again."


class InvalidImportError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_import"
    title = "The imported record was refused; nothing was recorded"
    remedy = "Correct every place that `errors` names and import it again."


class InvalidPairsError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_pairs"
    title = "The dataset was refused; nothing was imported"
    remedy = "Correct every line that `errors` names (`/3` is line 3) and upload the whole file again."


class InvalidLinkError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_link"
    title = "The link was refused; nothing was recorded"
    remedy = "Correct every place that `errors` names and send it again."


class InvalidForecastError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_forecast"
    title = "The forecast was refused; nothing was recorded"
    remedy = "Correct every place that `errors` names and send it again."


class InvalidCosignatureError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_cosignature"
    title = "The cosignature was refused; nothing was recorded"
    remedy = "Send the line that a witness pinned here made under this very checkpoint."


class InvalidQueryError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid_query"
    title = "A parameter of the address or a header was refused"
    remedy = "Correct every parameter that `errors` names; docs/api.md lists what each address takes."

    def __init__(self, detail: str, *, flaws: Sequence[Flaw]) -> None:
        """Lists as many flaws as people read: a long address can hold thousands, and each answer is longer than one."""
        rest = len(flaws) - MOST_LISTED
        listed = tuple(flaws[:MOST_LISTED])
        if rest > 0:
            listed += (Flaw("", "too_many_flaws", f"{rest} more parameters are refused.", "Correct these first."),)
        super().__init__(detail, flaws=listed)


class IdempotencyKeyReusedError(ProblemError):
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "idempotency_key_reused"
    title = "This Idempotency-Key came with another body before"
    remedy = "Use a new key for a new request; the same key is for sending the same bytes again."


class InternalError(ProblemError):
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal_error"
    title = "The service failed"
    remedy = "Nothing is known to be wrong with the request. Give the operator the `id`: the log tells the cause by it."


class UnavailableError(ProblemError):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "unavailable"
    title = "The service cannot answer now"
    remedy = "Send the same request again in a few seconds; GET /readyz says what is missing."

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"Retry-After": "5"})


class NotReadyError(ProblemError):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "not_ready"
    title = "The service is up but something it needs is not"
    remedy = "Restore what `errors` names; /healthz says only that the process is up."


def problem_types() -> Iterator[type[ProblemError]]:
    """Every problem type, in the order of this file."""
    yield from ProblemError.__subclasses__()
