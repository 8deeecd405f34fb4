"""What the log says of a claim after the entries that a bundle holds: nothing in a bundle tells that."""

from __future__ import annotations

from app.cli.errors import RefusedError, UnreachableError
from app.cli.service import Service
from claims.checkpoint import parse
from claims.verifying import Case
from claims.verifying.lines import CannotBeCheckedError, printable

SINCE_THEN = "since then"


def check_since(case: Case, service: Service | None) -> str:
    """The service shows no later entry about the claim; raises `CannotBeCheckedError` naming those that it shows.

    They are on its word: the bundle of a larger tree proves them.
    """
    size, claim = parse(case.parts.checkpoint).size, case.registered.claim
    if service is None:
        raise CannotBeCheckedError(
            f"what was logged of it after these {size} entries takes a service: name it by --url"
        )
    try:
        history = service.get(f"/v1/claims/{claim}/history")["items"]
    except (UnreachableError, RefusedError) as error:
        raise CannotBeCheckedError(f"the service does not show what was logged of it: {error}") from error
    later = [f"{entry['type']} by entry {entry['seq']}" for entry in history if entry["seq"] >= size]
    if later:
        told = printable(", ".join(later))
        raise CannotBeCheckedError(f"{told}, says the service: --tree-size verifies the bundle of a tree that holds it")
    return f"the service shows no entry about it after these {size}"
