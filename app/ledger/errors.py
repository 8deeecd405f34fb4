"""How the ledger says no to what a person asked, apart from flaws in what was handed in."""

from __future__ import annotations


class AlreadyFiledError(Exception):
    """The very same document is on the ledger already, as `claim`."""

    def __init__(self, claim: str) -> None:
        super().__init__(f"this document is on the ledger already, as claim {claim}")
        self.claim = claim


class AlreadyImportedError(Exception):
    """The very same record is on the ledger already, as `record`."""

    def __init__(self, record: str) -> None:
        super().__init__(f"this record is on the ledger already, as {record}")
        self.record = record


class UnknownClaimError(LookupError):
    def __init__(self, claim: str) -> None:
        super().__init__(f"there is no claim {claim}")
        self.claim = claim


class NotTheRegistrantError(Exception):
    """Only the registrant of `claim` may do this to it."""

    def __init__(self, claim: str) -> None:
        super().__init__(f"claim {claim} is somebody else's")
        self.claim = claim


class TooLateError(Exception):
    """The life of `claim` no longer allows this; the text says why."""

    def __init__(self, claim: str, why: str) -> None:
        super().__init__(why)
        self.claim = claim


class NotCorrectableError(Exception):
    """The verdict on `claim` cannot be corrected; the text says why, `remedy` what to do."""

    def __init__(self, claim: str, why: str, remedy: str) -> None:
        super().__init__(why)
        self.claim = claim
        self.remedy = remedy


class IdempotencyKeyReusedError(Exception):
    """The key came with another request before."""
