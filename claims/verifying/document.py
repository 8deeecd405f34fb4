"""The frozen document and the receipt for it."""

from __future__ import annotations

import base64

from claims import receipts
from claims.canonical import sha256_hex
from claims.entries import format_time, leaf_hash
from claims.verifying.case import Case, require_canonical, require_enclosed
from claims.verifying.lines import require
from claims.verifying.signatures import signed

# What a receipt repeats of the payload of `registered`.
REPEATED = ("document_sha256", "service", "instrument", "nonce_sha256", "precedence", "check")


def check_document(case: Case) -> str:
    """The document is the one that was registered, in the canonical bytes that its hash is taken of."""
    document, payload = case.parts.registration, case.registered.payload
    require_canonical(document, "registration.json")
    found = sha256_hex(document)
    stated = payload["document_sha256"]
    require(found == stated, f"registration.json has the SHA-256 {found}, and {stated} was registered")
    require_enclosed(payload["registration"], document, "registration.json")
    return f"sha256:{found}, {case.registration.title!r}"


def check_receipt(case: Case) -> str:
    """The receipt is signed, over the leaf of the `registered` entry, and says what that entry says."""
    receipt, entry = require_canonical(case.parts.receipt, "receipt.json"), case.registered
    canonical = case.parts.entries[0].canonical
    said = signed(case, lambda vkey: receipts.check(receipt["note"], vkey))
    log = case.vkey.partition("+")[0]
    require(said.origin == f"{log}/receipt", f"the receipt is of the log {said.origin}, and the key is of {log}")
    require(said.leaf_hash == leaf_hash(canonical), "the receipt is signed over another entry")
    noted = (said.claim, said.seq, said.document_sha256, format_time(said.filed))
    filed = format_time(entry.time)
    logged = (entry.claim, entry.seq, entry.payload["document_sha256"], filed)
    require(noted == logged, f"the receipt says {noted}, and the entry {logged}")
    copied = receipt["entry"]
    wanted = {
        "object": entry.as_object(),
        "canonical": base64.b64encode(canonical).decode(),
        "leaf_hash": leaf_hash(canonical).hex(),
    }
    require(copied == wanted, "the receipt shows another entry than the one in the bundle")
    shown = {"claim": entry.claim, "registrant": entry.actor, "filed": filed, "vkey": case.vkey}
    shown |= {name: entry.payload[name] for name in REPEATED}
    wrong = [name for name, value in shown.items() if receipt.get(name) != value]
    require(not wrong, f"the receipt differs from the entry in {', '.join(wrong)}")
    require(str(receipt["url"]).endswith(f"/claims/{entry.claim}"), f"the receipt has the address {receipt['url']!r}")
    surplus = receipt.keys() - {*shown, "url", "entry", "note"}
    require(not surplus, f"the receipt says more than a receipt does: {', '.join(sorted(surplus))}")
    return f"signed at {filed} for {entry.actor}, over entry {entry.seq}"
