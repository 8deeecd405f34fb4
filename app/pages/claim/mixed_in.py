"""What the data was drawn from beyond the ledger's own nonce: a public beacon's round, and the anchor before it."""

from __future__ import annotations

from collections.abc import Sequence

from app.pages import words
from app.pages.claim.facts import Fact, digest
from claims import anchored_round
from claims.anchored_round import AnchoredRound
from claims.beacon import MAINNET
from claims.entries import Entry

ANCHORS = {
    "witness": "a witness that cosigned it",
    "timestamp": "a timestamp authority (RFC 3161)",
}


def beacon_of(entries: Sequence[Entry]) -> AnchoredRound | None:
    """The round that the deciding run, the first opened, was opened with."""
    opened = next((entry for entry in entries if entry.type == "opened"), None)
    return None if opened is None or opened.payload["beacon"] is None else anchored_round.read(opened.payload["beacon"])


def beacon_facts(entries: Sequence[Entry]) -> list[Fact]:
    """What came first and what after, each with who says so; nothing where no beacon was mixed in."""
    mixed = beacon_of(entries)
    if mixed is None:
        return []
    anchor, registered = mixed.anchor, entries[0]
    chain = "drand's mainnet" if mixed.chain.hash == MAINNET.hash else "a chain whose group you must know"
    return [
        Fact("Frozen", words.utc(registered.time), note=f"entry {registered.seq}, by the ledger's clock"),
        Fact(
            "Anchored",
            words.utc(anchor.time),
            note=f"on the word of {anchor.name}, {ANCHORS[anchor.kind]}: the log over {words.count(anchor.size)} "
            f"entries, which holds entry {registered.seq}, existed by then",
        ),
        Fact(
            "Beacon round",
            words.count(mixed.round.round),
            note=f"published {words.utc(mixed.time)}: the first more than "
            f"{words.duration(anchored_round.MARGIN.total_seconds())} after the anchor, so it was nobody's choice",
        ),
        digest("Of the chain", mixed.chain.hash, chain),
        digest("Its randomness", mixed.randomness.hex(), "SHA-256 of the group's signature; mixed into every seed"),
    ]
