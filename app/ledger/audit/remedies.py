"""What to do about a finding, by the kind of place where it is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.ledger.audit.findings import Finding

TREE = (
    "Nodes are missing, or others than the entries give. If the entries and the checkpoints are sound, `antedate "
    "export` and `antedate import` make the tree anew; else restore the database."
)
# By how the place is named.
REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "entry ": "The log was written by somebody else than the ledger. Stop the service, and restore the database "
        "from the newest backup or archive whose audit is clean; receipts show what was filed since.",
        "the tree": TREE,
        "tree node ": TREE,
        "checkpoint ": "What was signed is not what the log says, or was signed by another key. Compare with the file "
        "of checkpoints outside the database, with witnesses, with whoever holds a bundle; tell them.",
        "remembered checkpoint ": "The log was another one when this head was published: its history was rewritten, or "
        "the database restored from an older backup. Restore the log that this head is of; tell whoever relies on it.",
        "blob ": "Stored bytes are damaged or missing. Restore the blob from a backup, an archive or a bundle: its "
        "name is its SHA-256.",
        "nonce of run ": "Restore the nonce from a backup, or from the secrets of an archive; one that is lost leaves "
        "its claim unopened for ever.",
        "receipt of claim ": "Restore the receipt from a backup, an archive or its registrant, who was handed it.",
    }
)
PROJECTED = (
    "A projection is not what the log says: `antedate rebuild --into URL` makes every one anew in another database."
)


def remedy(finding: Finding) -> str:
    return next((words for place, words in REMEDIES.items() if finding.where.startswith(place)), PROJECTED)
