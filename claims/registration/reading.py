"""From bytes to a frozen document: read, fitted to the schema, checked for meaning, made canonical."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue, ValidationError

from claims.canonical import canonical_bytes, sha256_hex
from claims.flaws import Flaw, RefusedInputError
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument
from claims.registration.checks import flaws_in
from claims.registration.model import Registration
from claims.shape import flaws_of_shape, in_document_order
from claims.strict_json import decode, parse, read, settle

LISTED = 100  # flaws in one refusal; a hostile document could hold millions


@dataclass(frozen=True)
class Frozen:
    """A document that can be registered: as read, as models, its RFC 8785 bytes and their SHA-256 in hex."""

    document: dict[str, Any]
    registration: Registration
    canonical: bytes
    sha256: str


def read_json(body: bytes) -> JsonValue:
    """The JSON value of `body`, read strictly; raises `RefusedInputError` with every flaw of the text."""
    value: JsonValue = read(body)
    return value


def freeze(body: bytes, instruments: Mapping[str, Instrument] | None = None) -> Frozen:
    """The registration in a JSON text; raises `RefusedInputError` with every flaw that can be told at once."""
    return freeze_tree(parse(decode(body)), instruments)


def freeze_tree(tree: Any, instruments: Mapping[str, Instrument] | None = None) -> Frozen:  # noqa: ANN401
    """The registration in a tree that `claims.strict_json` or the YAML form has parsed."""
    document, flaws = settle(tree)
    return _freeze(document, flaws, instruments)


def freeze_document(document: JsonValue, instruments: Mapping[str, Instrument] | None = None) -> Frozen:
    """The registration in a JSON value that a strict reader has read already."""
    return _freeze(document, [], instruments)


def _freeze(document: Any, flaws: list[Flaw], instruments: Mapping[str, Instrument] | None) -> Frozen:  # noqa: ANN401
    try:
        registration = Registration.model_validate(document)
    except ValidationError as error:
        # Where a literal stands for no value, its own flaw says more than "null stands here".
        told = {flaw.pointer for flaw in flaws}
        flaws += [flaw for flaw in flaws_of_shape(error, Registration) if flaw.pointer not in told]
        raise refusal(flaws, document) from error
    if not flaws:
        flaws = flaws_in(registration, catalogue() if instruments is None else instruments)
    if flaws:
        raise refusal(flaws, document)
    canonical = canonical_bytes(document)
    return Frozen(document, registration, canonical, sha256_hex(canonical))


def refusal(flaws: list[Flaw], document: Any) -> RefusedInputError:  # noqa: ANN401
    """The refusal of a document for these flaws, in its order, as many as people read."""
    ordered = in_document_order(flaws, document)
    if len(ordered) > LISTED:
        detail = f"{len(ordered) - LISTED:,} more flaws are not listed"
        ordered = [*ordered[:LISTED], Flaw("", "too_many_flaws", detail, "Correct these first, and send it again.")]
    return RefusedInputError(*ordered)
