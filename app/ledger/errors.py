"""How the ledger says no to what a person asked, apart from flaws in what was handed in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


class AlreadyFiledError(Exception):
    """The very same document is on the ledger already, as `claim`."""

    def __init__(self, claim: str) -> None:
        super().__init__(f"this document is on the ledger already, as claim {claim}")
        self.claim = claim


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


class IdempotencyKeyReusedError(Exception):
    """The key came with another request before."""


# The codes of the flaws that the ledger itself finds, beside claims.flaws.FLAW_CODES.
FLAW_CODES: Mapping[str, str] = MappingProxyType(
    {
        "unknown_dataset": "The ledger has no dataset of this hash.",
        "unknown_dimension": "The dataset has no such dimension.",
        "wrong_size": "The size stated is not that of the dataset.",
        "no_model_root": "This service keeps no local models.",
        "unusable_model": "The model's directory is not one under the model root with weights in it.",
        "other_weights": "The model's weights are not the frozen ones.",
        "unknown_claim": "There is no such claim on this ledger.",
        "not_your_claim": "The claim is another registrant's.",
        "claim_superseded": "The claim is superseded already.",
        "claim_withdrawn": "The claim was withdrawn.",
        "same_claim": "A claim cannot replace itself.",
        "circular_link": "The claim was itself replaced by the one that it is to replace.",
        "bad_cursor": "The cursor is not one that a list of this service gave.",
    }
)
