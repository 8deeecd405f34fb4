"""`ro-crate-metadata.json`: what each file of a bundle is, as RO-Crate 1.1 (https://w3id.org/ro/crate/1.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from claims.bundle.reproduce.main import GENERATOR
from claims.bundle.reproduce.record import SUMS, Record

SPECIFICATION = "https://w3id.org/ro/crate/1.1"
CRATE = "ro-crate-metadata.json"
FORMATS = (
    (".jsonl", "application/jsonl"),
    (".json", "application/json"),
    (".py", "text/x-python"),
    ("", "text/plain"),
)
MEANINGS = (
    ("registration.json", "The frozen registration, in canonical bytes (RFC 8785)"),
    ("receipt.json", "The receipt given at filing, with its signed note"),
    ("evidence/", "What a run found (antedate.evidence/1)"),
    ("rows/", "What a run measured, one object a line"),
    ("entries.jsonl", "Every entry of the log about the claim, with its inclusion proof (RFC 6962)"),
    ("checkpoint", "The signed head of the log's tree (C2SP tlog-checkpoint)"),
    ("log.vkey", "The log's verifier key; pin it, do not believe this one"),
    ("expected_output.txt", "What reproduce.py prints"),
    ("reproduce.py", "Checks this bundle and recomputes its figures: Python 3.10, standard library alone"),
    (SUMS, "The SHA-256 of every other file"),
)
LICENCE = {
    "@id": "#licence",
    "@type": "CreativeWork",
    "name": "No licence is stated",
    "description": "The ledger records no licence for what its registrants file and its workers measure.",
}


def crate(record: Record, registration: Mapping[str, Any], sizes: Mapping[str, int | None]) -> bytes:
    """The metadata of a bundle whose other files are those of `sizes`, in bytes; None where it is not yet known."""
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": SPECIFICATION},
        },
        _root(record, registration, list(sizes)),
        *(_file(name, size) for name, size in sizes.items()),
        LICENCE,
        {"@id": "#generator", "@type": "SoftwareApplication", "name": "antedate bundle", "version": GENERATOR},
        {"@id": "#registrant", "@type": "Organization", "name": record.entries[0].entry["actor"]},
    ]
    text = json.dumps({"@context": f"{SPECIFICATION}/context", "@graph": graph}, ensure_ascii=False, indent=2)
    return text.encode() + b"\n"


def _root(record: Record, registration: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {
        "@id": "./",
        "@type": "Dataset",
        "identifier": record.claim,
        "name": registration["title"],
        "description": registration["statement"],
        "datePublished": record.entries[-1].entry["time"],
        "license": {"@id": LICENCE["@id"]},
        "author": {"@id": "#registrant"},
        "creator": {"@id": "#generator"},
        "hasPart": [{"@id": name} for name in names],
    }


def _file(name: str, size: int | None) -> dict[str, Any]:
    entity = {
        "@id": name,
        "@type": "File",
        "name": next(meaning for start, meaning in MEANINGS if name.startswith(start)),
        "encodingFormat": next(kind for end, kind in FORMATS if name.endswith(end)),
    }
    return entity if size is None else {**entity, "contentSize": str(size)}
