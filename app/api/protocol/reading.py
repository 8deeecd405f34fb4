"""Reading the small bodies: as strictly as a registration, by the same rules."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from claims.flaws import RefusedInputError
from claims.shape import flaws_of_shape
from claims.strict_json import read

Given = TypeVar("Given", bound=BaseModel)


def read_as(model: type[Given], body: bytes) -> Given:
    """The body as `model`; raises RefusedInputError with every flaw."""
    document = read(body)
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise RefusedInputError(*flaws_of_shape(error, model)) from None
