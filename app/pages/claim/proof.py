"""How a claim is checked without this service: its bundle, the signed head that covers it, the lines to type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.pages import words
from app.pages.claim.facts import Fact
from app.pages.claim.record import ClaimRecord, Covered

LIVE = frozenset({"registered", "running"})
ALONE = "this service alone"
WAITING = "The next signed head will hold how it came out."
CORRECTED = "The next signed head will hold the corrected verdict. Until then the bundle shows the one before."
OPEN = "Nothing is decided yet. The bundle is of the newest signed head that holds what was frozen."


@dataclass(frozen=True)
class Command:
    """A line, or several, to type; `says` what for."""

    says: str
    lines: str
    needs: str


@dataclass(frozen=True)
class Proof:
    """`size` is that of the head that `bundle` is as of, None while no head holds how the claim came out.

    `bundle` and `entries` are the addresses of the bundle and of the proofs, `earlier_bundle` that of the bundle which
    shows the verdict before a correction.
    """

    size: int | None
    facts: Sequence[Fact]
    bundle: str
    earlier_bundle: str | None
    entries: str | None
    commands: Sequence[Command]


def proof(record: ClaimRecord, base_url: str) -> Proof:
    covered = record.covered or Covered(None, None, (), None)
    size = covered.size or covered.before
    bundle = _bundle(record.id, size)
    return Proof(
        size=size,
        facts=_facts(record, covered),
        bundle=bundle,
        earlier_bundle=None if covered.before in {None, size} else _bundle(record.id, covered.before),
        entries=None if size is None else f"/v1/claims/{record.id}/proof?size={size}",
        commands=_commands(record.id, base_url, bundle, covered),
    )


def _bundle(claim: str, size: int | None) -> str:
    address = f"/v1/claims/{claim}/bundle.zip"
    return address if size is None else f"{address}?tree_size={size}"


def _facts(record: ClaimRecord, covered: Covered) -> list[Fact]:
    if covered.size is None or covered.time is None:
        closed = WAITING if covered.before is None else CORRECTED
        return [Fact("Signed head", "not covered yet", note=OPEN if record.status in LIVE else closed)]
    return [
        Fact("Signed head", f"over {words.count(covered.size)} entries", note=f"signed {words.utc(covered.time)}"),
        Fact("Vouched for by", ", ".join(covered.vouching) or ALONE),
    ]


def _commands(claim: str, base_url: str, bundle: str, covered: Covered) -> list[Command]:
    # Without a size, what is fetched shows how the claim first came out.
    size = f" --tree-size {covered.size}" if covered.before is not None and covered.size is not None else ""
    return [
        Command(
            "With Antedate: figures, intervals, verdict, proofs, and that the log is the one you saw before.",
            f"antedate verify {base_url}/claims/{claim}{size}",
            "It remembers the log's key and newest head on your machine.",
        ),
        Command(
            "With Python alone: every point estimate again from the rows, hashes, proofs, the signature.",
            f"curl -o {claim}.zip '{base_url}{bundle}'\nunzip {claim}.zip -d {claim} && python3 {claim}/reproduce.py",
            "Python 3.10 or newer; no package, no network, no model.",
        ),
    ]
