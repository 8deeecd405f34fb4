"""The claim's entries in the log, and which files of a bundle follow from them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from claims.bundle.reproduce.files import Files, MismatchError, parsed, require
from claims.bundle.reproduce.notes import unbase64

AGAIN = "again_sha256."
RUN = re.compile(r"[a-z0-9]{12,20}-[0-9]{1,9}")
ENTRIES = "entries.jsonl"
SUMS = "SHA256SUMS"


class ProvenEntry:
    """One line of entries.jsonl, in the one spelling that it has."""

    def __init__(self, line: bytes, number: int) -> None:
        where = f"{ENTRIES} line {number}"
        found = parsed(line, where)
        require(isinstance(found, dict) and isinstance(found.get("canonical"), str), where + ": it is no proven entry")
        self.canonical = unbase64(found["canonical"], where)
        self.entry: Mapping[str, Any] = parsed(self.canonical, where)
        try:
            self.index = int(found["index"])
            self.proof = [bytes.fromhex(sibling) for sibling in found["proof"]]
        except (KeyError, TypeError, ValueError) as error:
            raise MismatchError(where + ": it lacks a number or a proof in hex") from error
        require(
            line_of(self.index, self.canonical, self.proof) == line, where + ": it is not spelt as a bundle spells it"
        )
        require(
            self.entry["seq"] == self.index, f"{where}: entry {self.entry['seq']} is said to be number {self.index}"
        )
        self.type: str = self.entry["type"]
        self.payload: Mapping[str, Any] = self.entry["payload"]

    @property
    def run(self) -> str:
        """The run that the entry is about; its name is also that of files."""
        run = self.payload["run"]
        require(isinstance(run, str) and RUN.fullmatch(run) is not None, f"entry {self.index}: {run!r} is no run")
        return str(run)


def line_of(index: int, canonical: bytes, proof: Sequence[bytes]) -> bytes:
    """The line of entries.jsonl, without its end: canonical JSON, as the entry in it is."""
    text = json.dumps([sibling.hex() for sibling in proof], separators=(",", ":"))
    start = b'{"canonical":"' + base64.b64encode(canonical) + b'","entry":' + canonical
    return start + b',"index":' + str(index).encode("ascii") + b',"proof":' + text.encode("ascii") + b"}"


class Record:
    """What the log says of the claim, in its order."""

    def __init__(self, entries: Sequence[ProvenEntry]) -> None:
        require(bool(entries) and entries[0].type == "registered", ENTRIES + ": it does not begin with a registration")
        self.entries = entries
        self.claim: str = entries[0].entry["claim"]

    def of_type(self, *types: str) -> list[ProvenEntry]:
        return [entry for entry in self.entries if entry.type in types]

    def last(self, *types: str) -> ProvenEntry | None:
        found = self.of_type(*types)
        return found[-1] if found else None

    def evidence(self) -> list[tuple[str, ProvenEntry]]:
        """Every file of evidence with the entry that recorded it: those first recorded, then those corrected."""
        first = [(f"evidence/{entry.run}.json", entry) for entry in self.of_type("evidence_recorded")]
        later = [(corrected_name(entry.run, entry.index), entry) for entry in self.of_type("corrected")]
        return first + later


def read_record(files: Files) -> Record:
    return Record([ProvenEntry(line, number) for number, line in enumerate(files.lines(ENTRIES), start=1)])


def corrected_name(run: str, seq: int) -> str:
    return f"evidence/{run}.corrected-{seq}.json"


def rows_name(run: str) -> str:
    return f"rows/{run}.jsonl"


def again_name(run: str) -> str:
    """The rows of the cells that were measured a second time."""
    return f"rows/{run}.again.jsonl"


def again_sha256(evidence: Mapping[str, Any]) -> str | None:
    """The hash of the rows measured a second time; None where none were."""
    found = [name[len(AGAIN) :] for name in evidence["nondeterminism"] if name.startswith(AGAIN)]
    return found[0] if found else None


def names_of(record: Record, files: Files) -> list[str]:
    """Every file of the bundle, in its order."""
    rows = []
    for entry in record.of_type("evidence_recorded"):
        rows.append(rows_name(entry.run))
        if again_sha256(files.json(f"evidence/{entry.run}.json")) is not None:
            rows.append(again_name(entry.run))
    evidence = [name for name, _ in record.evidence()]
    proofs = [ENTRIES, "checkpoint", "log.vkey"]
    about = ["expected_output.txt", "reproduce.py", "ro-crate-metadata.json", SUMS]
    return list(dict.fromkeys(["registration.json", "receipt.json", *evidence, *rows, *proofs, *about]))
