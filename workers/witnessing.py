"""Having a witness cosign a checkpoint, after C2SP tlog-witness (https://c2sp.org/tlog-witness)."""

from __future__ import annotations

import base64
import re
from typing import Protocol

from app.ledger import anchors, proofs
from app.ledger.anchors import RefusedAnchorError, Witness
from app.ledger.checkpoints import Issued
from app.ledger.database import Ledger
from claims.anchored_round import Anchor
from workers import fetching
from workers.fetching import Answer

OK, CONFLICT = 200, 409
_SIZE = re.compile(r"(0|[1-9][0-9]{0,18})\n", re.ASCII)


class Post(Protocol):
    def __call__(self, url: str, body: bytes, media_type: str) -> Answer: ...


def have_cosigned(ledger: Ledger, issued: Issued, witness: Witness, *, post: Post = fetching.post) -> Anchor:
    """Ask the witness for its cosignature of the checkpoint, and keep it.

    It is asked from the last size that it cosigned; where it answers with another (409) it is asked from there, once.
    Raises `UnreachableError`, and `RefusedAnchorError` in words for every other answer.
    """
    with ledger.begin() as session:
        known = anchors.largest(session, anchors.WITNESS, witness.name)
    answer = _add(ledger, issued, witness, min(known, issued.size), post)
    if answer.status == CONFLICT:
        answer = _add(ledger, issued, witness, _size_in(answer, issued, witness), post)
    if answer.status != OK:
        raise RefusedAnchorError(f"witness {witness.name} answered {answer.status}: {answer.text()[:200]}")
    line = _line_of(answer, witness)
    with ledger.begin() as session:
        return anchors.accept_cosignature(session, issued.size, line, [witness])


def _add(ledger: Ledger, issued: Issued, witness: Witness, old: int, post: Post) -> Answer:
    with ledger.begin() as session:
        proof = proofs.consistency(session, old, issued.size) if old else []
    lines = [f"old {old}", *(base64.b64encode(node).decode() for node in proof), "", issued.note]
    return post(f"{witness.url}/add-checkpoint", "\n".join(lines).encode(), "text/plain; charset=utf-8")


def _size_in(answer: Answer, issued: Issued, witness: Witness) -> int:
    """The size that the witness has cosigned. One beyond ours means that this log has lost entries, or has a double."""
    found = _SIZE.fullmatch(answer.text())
    if found is None:
        raise RefusedAnchorError(f"witness {witness.name} answered 409 without a size: {answer.text()[:80]!r}")
    size = int(found[1])
    if size > issued.size:
        raise RefusedAnchorError(
            f"witness {witness.name} has cosigned {size} entries of this log, and this is its checkpoint over "
            f"{issued.size}: was an older backup restored?"
        )
    return size


def _line_of(answer: Answer, witness: Witness) -> str:
    text = answer.text()
    lines = [line for line in text.split("\n") if line.startswith(f"— {witness.name} ")]
    if len(lines) != 1 or not text.endswith("\n"):
        raise RefusedAnchorError(f"witness {witness.name} answered with {len(lines)} lines of its own, not one")
    return lines[0]
