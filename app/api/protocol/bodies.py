"""Reading a request's body: its kind, its size and its time are decided before any of it is parsed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request

from app.errors import (
    BadRequestError,
    BodyTooLargeError,
    BodyTooSlowError,
    WrongContentEncodingError,
    WrongMediaTypeError,
)

MIB = 1024 * 1024
UTF_8 = re.compile(r'charset=(utf-8|"utf-8")', re.IGNORECASE)


@dataclass(frozen=True)
class BodyRule:
    """What a route takes: at most `size` bytes within `seconds`, of one of `media_types`."""

    media_types: tuple[str, ...]
    size: int
    seconds: float


REGISTRATION = BodyRule(("application/json",), MIB, 30)
REASON = BodyRule(("application/json",), 64 * 1024, 30)
DATASET = BodyRule(("application/jsonl", "application/x-ndjson"), 64 * MIB, 300)


def body_of(rule: BodyRule) -> Callable[[Request], Awaitable[bytes]]:
    """A dependency that gives the bytes of the body, as sent, or raises the problem with it.

    FastAPI's own reading is not used: it answers 500 to NaN and lone surrogates, and takes duplicate keys.
    """

    async def read(request: Request) -> bytes:
        _check_encoding(request)
        _check_media_type(request, rule)
        _check_length(request, rule)
        try:
            async with asyncio.timeout(rule.seconds):
                return await _read(request, rule)
        except TimeoutError:
            detail = f"The body was not complete after {rule.seconds:g} seconds."
            raise BodyTooSlowError(detail, headers={"Connection": "close"}) from None

    return read


async def _read(request: Request, rule: BodyRule) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > rule.size:
            raise _too_large(rule)
    return bytes(body)


async def no_body(request: Request) -> None:
    """Refuses a body where none is taken, at its first byte: what it asks for would be ignored."""
    async for chunk in request.stream():
        if chunk:
            raise BadRequestError("This address takes no body: leave it out.", headers={"Connection": "close"})


def _check_encoding(request: Request) -> None:
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise WrongContentEncodingError(
            f"Content-Encoding {encoding!r} is not taken.", headers={"Accept-Encoding": "identity"}
        )


def _check_media_type(request: Request, rule: BodyRule) -> None:
    given = request.headers.get("content-type", "")
    media_type, _, parameters = given.partition(";")
    if media_type.strip().lower() not in rule.media_types:
        taken = " or ".join(rule.media_types)
        raise WrongMediaTypeError(
            f"Content-Type {given!r} is not taken: send {taken}.", headers={"Accept": ", ".join(rule.media_types)}
        )
    for parameter in filter(None, map(str.strip, parameters.split(";"))):
        if not UTF_8.fullmatch(parameter):
            raise WrongMediaTypeError(
                f"The parameter {parameter!r} of Content-Type is not taken: charset=utf-8 alone is."
            )


def _check_length(request: Request, rule: BodyRule) -> None:
    stated = request.headers.get("content-length")
    if stated is None:
        return
    if not stated.isascii() or not stated.isdigit():
        raise BadRequestError(f"Content-Length {stated!r} is not a number.")
    if int(stated[:20]) > rule.size:
        raise _too_large(rule)


def _too_large(rule: BodyRule) -> BodyTooLargeError:
    return BodyTooLargeError(f"The body is larger than {rule.size} bytes.", members={"limit": rule.size})
