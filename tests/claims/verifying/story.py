"""A claim's life on a log of our own making, honest or forged: whoever holds the key can sign anything."""

import base64
import copy
import hashlib
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from claims import checkpoint, merkle, receipts, signed_note
from claims.anchored_round import AnchoredRound
from claims.bundle.parts import Parts, Proven
from claims.canonical import canonical_bytes, sha256_hex
from claims.correction import controls_of
from claims.entries import Entry, format_time, leaf_hash
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.nondeterminism import chosen, label, named, nondeterminism
from claims.registration.model import Registration
from claims.registration.yaml_form import read_yaml
from claims.rows import decode, encode
from claims.seeds import Seeds, seeds_of
from claims.verdict.rule import adjudicate

EXAMPLE = Path(__file__).parents[3] / "examples" / "planted_key.yaml"
CLAIM, RUN, ORIGIN = "k3v9x2m8q4w7", "k3v9x2m8q4w7-1", "antedate/tests"
ORGANISMS, PAIRS, LAYERS = 16, 3, 4
BEGAN = datetime(2026, 11, 30, 12, tzinfo=UTC)
SERVICE = {"commit": "ab" * 20, "dirty": "clean"}
KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(b"\x08" * 32)


def planted_document() -> dict[str, Any]:
    document: dict[str, Any] = read_yaml(EXAMPLE.read_bytes())
    document["sampling"] = {"organisms": ORGANISMS, "pairs_per_organism": PAIRS, "stopping": "fixed"}
    document["subject"]["model"]["params"]["layers"] = LAYERS
    document["kill_criteria"][0]["value"] = 8
    return document


def planted_rows(sizes: random.Random) -> bytes:
    """Rows of organisms whose patching is blurred; pairs of several sizes, so that which were picked can be told."""
    draw = random.Random(7)
    components = [f"{kind}_L{layer}" for layer in range(LAYERS) for kind in ("attn", "mlp")]
    found: list[dict[str, Any]] = []
    for organism in range(ORGANISMS):
        at = {"organism": organism, "dimension": "planted_key", "pair_id": None}
        found.append({**at, "kind": "organism", "accuracy": draw.uniform(0.95, 1.0), "governed": True})
        carriers = set(draw.sample(components, 2))
        for component in components:
            norm = draw.uniform(1, 2) * (3 if component in carriers else 1)
            found.append(
                {**at, "kind": "key", "component": component, "norm": norm, "constructed": component in carriers}
            )
        for pair in range(PAIRS):
            cell = {
                "organism": organism,
                "dimension": "planted_key",
                "pair_id": f"{organism}/{pair}",
                "cluster": str(organism),
            }
            for component in components:
                weight = 3 if component in carriers else 1
                differential, effect = draw.gauss(0.4 * weight, 0.1), draw.gauss(0.1 * weight, 0.5)
                scores = {"component": component, "chosen": 1.0, "rejected": 0.0}
                found.append({**cell, "kind": "attribution", **scores, "differential": differential})
                patched = {"component": component, "effect": effect, "state": "ok"}
                found.append({**cell, "kind": "patch", **patched, "direction": "noising", "margin": 1.0})
            found += [{**cell, "kind": "note", "number": number} for number in range(sizes.randrange(6))]
    return encode(found)


@dataclass
class Story:
    """What happened, to be changed before it is logged: `seal` brings whatever follows from it into line.

    `changes` alter a payload after that, by entry type, and `entries` one whole: what a careless forger leaves.
    """

    document: dict[str, Any] = field(default_factory=planted_document)
    nonce: bytes = b"\x05" * 32
    rows: bytes = b""
    again: bytes = b""
    evidence: dict[str, Any] = field(default_factory=dict)
    verdict: dict[str, Any] = field(default_factory=dict)
    precedence: str = "committed"
    beacon: AnchoredRound | None = None
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)
    shifted: dict[str, timedelta] = field(default_factory=dict)
    more: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    corrections: dict[int, bytes] = field(default_factory=dict)
    after: int = 2
    kept: tuple[str, ...] | None = None
    key: Ed25519PrivateKey = KEY

    @property
    def canonical(self) -> bytes:
        return canonical_bytes(self.document)

    @property
    def registration(self) -> Registration:
        return Registration.model_validate(self.document)

    @property
    def seeds(self) -> Seeds:
        return seeds_of(self.nonce, sha256_hex(self.canonical), self.beacon.randomness if self.beacon else b"")

    def estimate(self) -> None:
        """Evidence as the rows give it."""
        registration = self.registration
        instrument = catalogue()[registration.instrument.name]
        estimated = instrument.estimate(decode(self.rows), registration, self.seeds).model_dump()
        self.evidence = {
            "schema": "antedate.evidence/1",
            "instrument": instrument.MANIFEST.name,
            "version": instrument.MANIFEST.version,
            "params": self.document["instrument"]["params"],
            "subject": {
                "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
                "dataset": {"sha256": None, "n": estimated["counts"]["pairs"]},
            },
            "access": ["weights"],
            **estimated,
            "nondeterminism": self.nondeterminism(),
            "controls": controls_of(registration, estimated["diagnostics"]),
            "conformance": {},
            "gauge": "invariant",
            "provenance": {
                "commit": "ab" * 20, "dirty": "clean", "diff_sha256": None, "instrument_source_sha256": "0" * 64,
                "packages": {}, "platform": "tests", "started": format_time(BEGAN), "finished": format_time(BEGAN),
            },
            "cost": {},
            "rows_sha256": sha256_hex(self.rows),
            "refusal": None,
        }  # fmt: skip

    def measure_again(self) -> None:
        """Rows of the pairs that the seeds pick, with effects a little off; picked without the verifier."""
        picked = set()
        for organism in range(ORGANISMS):
            of_shard = self.seeds(label(f"organism/{organism}"))
            picked |= chosen([f"{organism}/{pair}" for pair in range(PAIRS)], of_shard)
        rows = [row for row in decode(self.rows) if row["pair_id"] in picked]
        self.again = encode({**row, "effect": row["effect"] + 1e-6} if "effect" in row else row for row in rows)

    def nondeterminism(self) -> dict[str, float]:
        registration = self.registration
        instrument = catalogue()[registration.instrument.name]
        estimate = partial(instrument.estimate, registration=registration, seeds=self.seeds)
        figures = nondeterminism(estimate(decode(self.rows)), decode(self.rows), decode(self.again), estimate)
        return named(sha256_hex(self.again), figures)

    def judge(self) -> None:
        self.verdict = adjudicate(self.registration, Evidence.model_validate(self.evidence)).as_payload(RUN)

    def steps(self) -> list[tuple[str, str | None, str, dict[str, Any]]]:
        canonical, evidence = self.canonical, canonical_bytes(self.evidence)
        registered = {
            "registration": self.document,
            "document_sha256": sha256_hex(canonical),
            "nonce_sha256": hashlib.sha256(self.nonce).hexdigest(),
            "service": SERVICE,
            "instrument": {"commit": "ab" * 20, "dirty": "clean", "source_sha256": "0" * 64},
            "precedence": self.precedence,
            "check": {},
        }
        recorded = {
            "run": RUN,
            "evidence": self.evidence,
            "evidence_sha256": sha256_hex(evidence),
            "rows_sha256": self.evidence["rows_sha256"],
        }
        times = {"started": format_time(BEGAN), "finished": format_time(BEGAN)}
        of_claim = [
            ("registered", "ada", registered),
            (
                "opened",
                "ledger",
                {"run": RUN, "nonce": self.nonce.hex(), "beacon": self.beacon and self.beacon.as_payload()},
            ),
            ("run_ended", "ledger", {"run": RUN, "state": "ended", **times, "machines": []}),
            ("evidence_recorded", "ledger", recorded),
            ("adjudicated", "ledger", self.verdict),
            *self.more,
        ]
        noise = ("noted", None, "operator", {"note": "backup", **self.changes.get("noted", {})})
        of_claim = [step for step in of_claim if self.kept is None or step[0] in self.kept]
        told = [(kind, CLAIM, actor, {**payload, **self.changes.get(kind, {})}) for kind, actor, payload in of_claim]
        return [noise, told[0], noise, *told[1:], *[noise] * self.after]

    def log(self) -> list[Entry]:
        entries = []
        for seq, (kind, claim, actor, payload) in enumerate(self.steps()):
            time = BEGAN + timedelta(seconds=seq) + self.shifted.get(kind, timedelta())
            entries.append(Entry(seq, kind, claim, actor, time, copy.deepcopy(payload)))
        return entries

    def parts(self, **others: Any) -> Parts:
        """The bundle of the claim at the end of this log."""
        entries = self.log()
        leaves = [entry.canonical() for entry in entries]
        nodes = grown(leaves)
        read = lambda wanted: {at: nodes[at] for at in wanted}  # noqa: E731 - a reader of these nodes
        size = len(leaves)
        head = checkpoint.Checkpoint(ORIGIN, size, merkle.root(size, read))
        proven = [
            Proven(entry.seq, leaves[entry.seq], merkle.inclusion(entry.seq, size, read))
            for entry in entries
            if entry.claim == CLAIM
        ]
        made = {
            "registration": self.canonical,
            "receipt": canonical_bytes(self.receipt(entries[1])),
            "entries": proven,
            "checkpoint": checkpoint.sign(head, ORIGIN, self.key),
            "vkey": self.vkey,
            "evidence": {RUN: canonical_bytes(self.evidence)},
            "rows": {RUN: lambda: [self.rows]},
            "again": {RUN: lambda: [self.again]} if self.again else {},
            "corrections": self.corrections,
        }
        return Parts(**{**made, **others})

    def head_at(self, size: int) -> str:
        """The signed note of an earlier checkpoint of this log."""
        nodes = grown([entry.canonical() for entry in self.log()])
        root = merkle.root(size, lambda wanted: {at: nodes[at] for at in wanted})
        return checkpoint.sign(checkpoint.Checkpoint(ORIGIN, size, root), ORIGIN, self.key)

    def prove(self, first: int, second: int) -> list[bytes]:
        nodes = grown([entry.canonical() for entry in self.log()])
        return merkle.consistency(first, second, lambda wanted: {at: nodes[at] for at in wanted})

    @property
    def vkey(self) -> str:
        return signed_note.vkey(ORIGIN, self.key.public_key())

    def receipt(self, entry: Entry) -> dict[str, Any]:
        canonical, payload = entry.canonical(), entry.payload
        copied = ("document_sha256", "service", "instrument", "nonce_sha256", "precedence", "check")
        return {
            "claim": CLAIM,
            "url": f"http://ledger.test/claims/{CLAIM}",
            "registrant": "ada",
            "filed": format_time(entry.time),
            **{name: payload[name] for name in copied},
            "entry": {
                "object": entry.as_object(),
                "canonical": base64.b64encode(canonical).decode(),
                "leaf_hash": leaf_hash(canonical).hex(),
            },
            "note": signed_note.sign(receipts.text_of(entry, "tests"), ORIGIN, self.key),
            "vkey": self.vkey,
        }


def grown(canonicals: list[bytes]) -> dict[merkle.Coordinate, bytes]:
    nodes: dict[merkle.Coordinate, bytes] = {}
    for seq, canonical in enumerate(canonicals):
        nodes[0, seq] = leaf_hash(canonical)
        nodes |= merkle.grow(seq, nodes[0, seq], {at: nodes[at] for at in merkle.needed_by(seq)})
    return nodes


ROWS = planted_rows(random.Random(3))


def honest_story() -> Story:
    told = Story(rows=ROWS)
    told.measure_again()
    told.estimate()
    told.judge()
    return told
