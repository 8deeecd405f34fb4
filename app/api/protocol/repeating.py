"""Requests that are safe to send again: the Idempotency-Key of those that make something."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header

from app.errors import BadRequestError

FORM = re.compile(r"[\x21-\x7e]{1,255}")


def key_in_header(
    idempotency_key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            description="1 to 255 visible ASCII characters. The same body under the same key gets the first answer.",
        ),
    ] = None,
) -> str | None:
    """The key, without the blanks that HTTP lets stand around a header's value."""
    if idempotency_key is None:
        return None
    key = idempotency_key.strip(" \t")
    if not FORM.fullmatch(key):
        raise BadRequestError("The Idempotency-Key is not 1 to 255 visible ASCII characters.")
    return key


IdempotencyKey = Annotated[str | None, Depends(key_in_header)]
