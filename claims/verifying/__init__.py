"""Everything in a bundle checked anew, without the server, its database, or any model.

Each check either says what it found, or raises: `DoesNotHoldError` when it is not so, `CannotBeCheckedError` when
nothing at hand tells. Whatever else goes wrong in a check did so on what somebody put into the bundle: it failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import BinaryIO

from claims.bundle import archive
from claims.bundle.parts import Parts
from claims.bundle.stored import InvalidBundleError
from claims.verifying.beacon import check_anchor, check_beacon
from claims.verifying.case import Case, Pin
from claims.verifying.document import check_document, check_receipt
from claims.verifying.evidence import check_evidence, check_rows
from claims.verifying.figures import check_diagnostics, check_estimates, check_intervals, check_nondeterminism
from claims.verifying.forecasts import check_forecasts
from claims.verifying.lines import CannotBeCheckedError, DoesNotHoldError, Line, printable
from claims.verifying.log import check_entries, check_inclusion
from claims.verifying.randomness import check_nonce, check_seeds
from claims.verifying.signatures import check_checkpoint, check_key
from claims.verifying.standing import check_precedence, check_trust
from claims.verifying.verdict import check_corrections, check_verdict

__all__ = ["CHECKS", "Case", "Line", "Pin", "checked", "verify", "verify_file"]

CHECKS: Mapping[str, Callable[[Case], str]] = MappingProxyType(
    {
        "document": check_document,
        "entries": check_entries,
        "inclusion": check_inclusion,
        "log key": check_key,
        "checkpoint": check_checkpoint,
        "receipt": check_receipt,
        "forecasts": check_forecasts,
        "nonce": check_nonce,
        "beacon": check_beacon,
        "anchor": check_anchor,
        "evidence": check_evidence,
        "rows": check_rows,
        "seeds": check_seeds,
        "estimates": check_estimates,
        "intervals": check_intervals,
        "diagnostics": check_diagnostics,
        "non-determinism": check_nondeterminism,
        "corrections": check_corrections,
        "verdict": check_verdict,
        "precedence": check_precedence,
        "trust": check_trust,
    }
)


def verify_file(file: BinaryIO, case_of: Callable[[Parts], Case]) -> Iterator[Line]:
    """A line for the archive itself, and then for each check of what it holds.

    Where the file is not, byte for byte, what the generator makes of its contents, nothing in it is looked at.
    """
    try:
        parts = archive.read(file)
    except InvalidBundleError as error:
        yield Line("archive", "failed", printable(str(error)))
        yield from (Line(name, "not checked", "the archive is not a bundle") for name in CHECKS)
        return
    yield Line("archive", "ok", f"rebuilt byte for byte, sha256:{archive.sha256_of(file)}")
    yield from verify(case_of(parts))


def verify(case: Case) -> Iterator[Line]:
    """A line for each check, in their order, as they are made."""
    for name, check in CHECKS.items():
        yield checked(name, partial(check, case))


def checked(name: str, check: Callable[[], str]) -> Line:
    """The line that a check comes to."""
    try:
        return Line(name, "ok", printable(check()))
    except CannotBeCheckedError as why:
        return Line(name, "not checked", printable(str(why)))
    except DoesNotHoldError as why:
        return Line(name, "failed", printable(str(why)))
    except Exception as error:  # noqa: BLE001 - it was tripped by what is in the bundle, which anybody may have written
        unreadable = f"it cannot be read as what it should be: {type(error).__name__}: {error}"
        return Line(name, "failed", printable(unreadable))
