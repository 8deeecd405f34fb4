"""The log's page: where it stands, and how to check it and a receipt without this service."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from app.ledger.checkpoints import Issued
from app.ledger.signing import Signing
from app.pages import words
from app.pages.claim.facts import Fact
from claims.entries import Entry

# Nothing of ours is imported: it is what a stranger runs.
RECIPE = """\
import base64, hashlib, json
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

receipt = json.load(open("receipt.json"))
vkey = "{vkey}"  # the one you kept

text, _, signature = receipt["note"].rpartition("\\n\\n")
key = base64.b64decode(vkey.split("+", 2)[2])[1:]
signed = base64.b64decode(signature.rsplit(" ", 1)[1])[4:]
Ed25519PublicKey.from_public_bytes(key).verify(signed, (text + "\\n").encode())

origin, claim, seq, leaf, document, filed = text.split("\\n")
canonical = base64.b64decode(receipt["entry"]["canonical"])
assert base64.b64decode(leaf) == hashlib.sha256(b"\\0" + canonical).digest()
assert json.loads(canonical)["payload"]["document_sha256"] == document
print(f"claim {{claim}}, frozen {{filed}}, sha256:{{document}}")
"""


@dataclass(frozen=True)
class LogPage:
    facts: Sequence[Fact]
    checkpoint: str | None
    recipe: str
    newest: Sequence[Entry]


def log_page(
    signing: Signing, size: int, head: Issued | None, vouching: Sequence[str], newest: Sequence[Entry]
) -> LogPage:
    """The log at `size` entries, its newest signed head and who else vouches for that, its newest entry first."""
    facts = [Fact("Tree size", f"{words.count(size)} entries"), Fact("Origin", signing.name)]
    if head is not None:
        root = base64.b64encode(head.root).decode()
        facts += [
            Fact("Signed head", f"over {words.count(head.size)} entries", note=f"signed {words.utc(head.time)}"),
            Fact("Its root", root, full=root, code=True),
            Fact("Vouched for by", ", ".join(vouching) or "this service alone"),
        ]
    facts.append(
        Fact(
            "Verifier key",
            signing.vkey,
            full=signing.vkey,
            note="Ed25519, in C2SP vkey form; also at /v1/log/key. Keep a copy.",
            code=True,
        )
    )
    note = None if head is None else head.note
    return LogPage(facts, note, RECIPE.format(vkey=signing.vkey), newest)
