"""An instrument's typed answer that it cannot measure this."""

from __future__ import annotations


class RefusalError(Exception):
    """Raised where a measurement cannot be made; it becomes `refused` on the ledger, never a result.

    `reason` is a word of the list in docs/reference/refusals.md, `detail` says what is wrong and where, `remedy`
    what to do about it.
    """

    def __init__(self, reason: str, detail: str, remedy: str) -> None:
        super().__init__(f"{reason}: {detail} {remedy}")
        self.reason = reason
        self.detail = detail
        self.remedy = remedy
