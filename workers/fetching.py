"""Asking others over HTTP: briefly, for little, and exactly where the operator said."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

SILENCE_SECONDS = 3.0  # without a byte, or without a connection
WHOLE_SECONDS = 6.0
MOST_BYTES = 64 * 1024


class UnreachableError(Exception):
    """No answer, or one that is too slow or too long; the text says whose and why."""


@dataclass(frozen=True)
class Answer:
    """Any answer, whatever its status. Redirects are not followed."""

    status: int
    body: bytes

    def text(self) -> str:
        """The body as UTF-8, for messages and for what is checked afterwards; other bytes are replaced."""
        return self.body.decode(errors="replace")


def get(url: str) -> Answer:
    return _ask("GET", url, {"Accept": "application/json"}, None)


def post(url: str, body: bytes, media_type: str) -> Answer:
    return _ask("POST", url, {"Content-Type": media_type}, body)


def _ask(method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
    """Raises `UnreachableError`. A body in a content encoding is left as it comes: nothing is inflated."""
    asked = {**headers, "Accept-Encoding": "identity", "User-Agent": "antedate"}
    deadline = time.monotonic() + WHOLE_SECONDS
    try:
        with (
            httpx.Client(timeout=SILENCE_SECONDS, follow_redirects=False) as client,
            client.stream(method, url, headers=asked, content=body) as answer,
        ):
            return Answer(answer.status_code, _body(answer, url, deadline))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UnreachableError(f"{url}: {type(error).__name__}: {error}") from error


def _body(answer: httpx.Response, url: str, deadline: float) -> bytes:
    body = bytearray()
    for chunk in answer.iter_raw():
        body += chunk
        if len(body) > MOST_BYTES:
            raise UnreachableError(f"{url}: the answer is longer than {MOST_BYTES} bytes")
        if time.monotonic() > deadline:
            raise UnreachableError(f"{url}: the answer took longer than {WHOLE_SECONDS:g} s")
    return bytes(body)
