"""A bundle under examination: what is in it, read on demand and believed in nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from claims.beacon import MAINNET
from claims.bundle.parts import Parts
from claims.canonical import canonical_bytes, sha256_hex
from claims.entries import Entry
from claims.evidence import Estimated, Evidence
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument
from claims.lifecycle import ClaimState, IllegalStepError, fold
from claims.registration.model import Registration
from claims.rows import decode_chunks
from claims.seeds import Seeds, seeds_once_opened
from claims.verifying.anchoring import Outside
from claims.verifying.lines import CannotBeCheckedError, DoesNotHoldError, require

Trusted = Literal["given", "remembered", "first use"]
_REFERENCE = {"sha256", "size"}


@dataclass(frozen=True)
class Pin:
    """The log's key as this client knows it, how, and where it is remembered; never from the bundle alone."""

    vkey: str
    how: Trusted
    where: str = ""


@dataclass(frozen=True)
class Case:
    """What the checks look at. `pin` is None where nothing but the bundle itself names a key.

    `chains` are the hashes of the beacons that this client takes for public ones, `outside` what others said of the
    anchored checkpoint, where that was found.
    """

    parts: Parts
    pin: Pin | None
    chains: frozenset[str] = frozenset({MAINNET.hash})
    outside: Outside | None = None

    @property
    def vkey(self) -> str:
        """The pinned key, else the bundle's own, which shows at most that the bundle agrees with itself."""
        return self.parts.vkey.strip() if self.pin is None else self.pin.vkey

    @cached_property
    def entries(self) -> list[Entry]:
        return [Entry.from_object(json.loads(proven.canonical)) for proven in self.parts.entries]

    @cached_property
    def registered(self) -> Entry:
        require(bool(self.entries) and self.entries[0].type == "registered", "the first entry is not `registered`")
        return self.entries[0]

    @cached_property
    def life(self) -> ClaimState | None:
        """What the entries say of the claim; None where they make no life."""
        try:
            return fold(self.entries)
        except IllegalStepError:
            return None

    @cached_property
    def registration(self) -> Registration:
        return Registration.model_validate(json.loads(self.parts.registration))

    @cached_property
    def runs(self) -> dict[str, Entry]:
        """By run that ended with evidence, the entry that recorded it, the deciding run first."""
        return {entry.payload["run"]: entry for entry in self.of_type("evidence_recorded")}

    def of_type(self, *types: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.type in types]

    def evidence_document(self, run: str) -> bytes:
        require(run in self.parts.evidence, f"evidence/{run}.json is not in the bundle")
        return self.parts.evidence[run]

    def row_chunks(self, run: str) -> Iterable[bytes]:
        require(run in self.parts.rows, f"rows/{run}.jsonl is not in the bundle")
        return self.parts.rows[run]()

    def recorded_evidence(self, run: str) -> Evidence:
        """The evidence of the run as it was first recorded."""
        return Evidence.model_validate(json.loads(self.evidence_document(run)))

    def corrected_evidence(self, entry: Entry) -> Evidence:
        """What a `corrected` entry put in its place."""
        return Evidence.model_validate(json.loads(self.correction(entry)))

    def correction(self, entry: Entry) -> bytes:
        require(entry.seq in self.parts.corrections, f"the evidence of the correction {entry.seq} is not in the bundle")
        return self.parts.corrections[entry.seq]

    def standing_evidence(self, run: str) -> Evidence:
        """The evidence of the run as it was corrected last."""
        corrections = [entry for entry in self.of_type("corrected") if entry.payload["run"] == run]
        return self.corrected_evidence(corrections[-1]) if corrections else self.recorded_evidence(run)

    @cached_property
    def recomputed(self) -> dict[str, Estimated]:
        """By run, what the instrument's own rule makes of its rows."""
        return {run: self._estimate(run) for run in self.runs}

    def _estimate(self, run: str) -> Estimated:
        return self.instrument_of(run).estimate(
            decode_chunks(self.row_chunks(run)), self.registration, self.seeds_of(run)
        )

    def seeds_of(self, run: str) -> Seeds:
        """What the run drew by: its nonce as it was revealed, and the beacon round that was mixed in."""
        opened = next((entry for entry in self.of_type("opened") if entry.payload["run"] == run), None)
        if opened is None:
            raise CannotBeCheckedError(f"no entry says that {run} was opened: what it drew by is not known")
        return seeds_once_opened(opened.payload, self.registered.payload["document_sha256"])

    def instrument_of(self, run: str) -> Instrument:
        """The instrument that measured, if its version is the one that is known here."""
        chosen = self.standing_evidence(run)
        instrument = catalogue().get(chosen.instrument)
        known = None if instrument is None else instrument.MANIFEST.version
        if instrument is None or known != chosen.version:
            raise CannotBeCheckedError(
                f"version {chosen.version} of {chosen.instrument} measured, and version {known} is known here: verify "
                "with an antedate that knows it"
            )
        return instrument


def require_enclosed(enclosed: Any, document: bytes, name: str) -> None:  # noqa: ANN401 - any JSON value
    """Raises unless the payload holds `document`, itself or by its hash and size."""
    if isinstance(enclosed, dict) and set(enclosed) == _REFERENCE:
        found: Any = {"sha256": sha256_hex(document), "size": len(document)}
        require(enclosed == found, f"the entry names {name} {enclosed}, and the bundle's is {found}")
    else:
        require(canonical_bytes(enclosed) == document, f"{name} is not the one in the entry")


def require_canonical(document: bytes, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """The JSON value of canonical bytes; raises for any other bytes."""
    try:
        value = json.loads(document)
    except ValueError as error:
        raise DoesNotHoldError(f"{name} is no JSON: {error}") from error
    require(canonical_bytes(value) == document, f"{name} is not in canonical form (RFC 8785)")
    return value
