"""What is checked of a bundle before its figures: each check says in one line what holds, or raises MismatchError."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from claims.bundle.reproduce.files import Files, parsed, require
from claims.bundle.reproduce.notes import Key, signed_text, unbase64
from claims.bundle.reproduce.proofs import is_included, leaf_of
from claims.bundle.reproduce.record import ENTRIES, ProvenEntry, Record, again_name, again_sha256, rows_name

Check = Callable[[Files, Record], str]
CHECKPOINT_LINES = 3
NO_FIGURES = {"value": None, "lo": None, "hi": None, "level": None}


def check_registration(files: Files, record: Record) -> str:
    document, payload = files.read("registration.json"), record.entries[0].payload
    found = hashlib.sha256(document).hexdigest()
    require(found == payload["document_sha256"], "registration.json is not the document whose hash was registered")
    require_enclosed(payload["registration"], document, "registration.json", record.entries[0])
    return f"its hash is in entry {record.entries[0].index}"


def check_entries(files: Files, record: Record) -> str:
    """They are in the tree of the checkpoint."""
    _, size, root = head(files)
    before = -1
    for proven in record.entries:
        where = f"{ENTRIES}: entry {proven.index}"
        require(proven.entry["claim"] == record.claim, where + " is of another claim")
        require(proven.index > before, where + " does not come after the one before it")
        included = is_included(leaf_of(proven.canonical), proven.index, size, proven.proof, root)
        require(included, f"{where} is not in the tree of {size} entries that the checkpoint signs")
        before = proven.index
    return f"{len(record.entries)}, each in the tree of {size}"


def head(files: Files) -> tuple[str, int, bytes]:
    """Origin, size and root of the checkpoint; its signature is another check."""
    lines = files.text("checkpoint").split("\n")[:CHECKPOINT_LINES]
    require(len(lines) == CHECKPOINT_LINES and lines[1].isdecimal(), "checkpoint: it is not origin, size and root")
    return lines[0], int(lines[1]), unbase64(lines[2], "checkpoint")


def key_of(files: Files) -> Key:
    text = files.text("log.vkey")
    require(text.endswith("\n"), "log.vkey: its line is not ended")
    return Key(text[:-1], "log.vkey")


def check_checkpoint(files: Files, record: Record) -> str:
    del record
    key, (origin, size, root) = key_of(files), head(files)
    text = signed_text(files.text("checkpoint"), key, "checkpoint")
    encoded = base64.b64encode(root).decode("ascii")
    require(text == f"{origin}\n{size}\n{encoded}\n", "checkpoint: it says more than origin, size and root")
    require(origin == key.name, f"checkpoint: it is of {origin}, and the key of {key.name}")
    return f"signed by {key}"


def check_receipt(files: Files, record: Record) -> str:
    """The receipt is the one that was signed for the first entry."""
    receipt, key, first = files.json("receipt.json"), key_of(files), record.entries[0]
    lines = signed_text(receipt["note"], key, "receipt.json").split("\n")
    leaf = base64.b64encode(leaf_of(first.canonical)).decode("ascii")
    document = first.payload["document_sha256"]
    signed = [f"{key.name}/receipt", record.claim, str(first.index), leaf, document, first.entry["time"], ""]
    require(lines == signed, f"receipt.json: its note is not of entry {first.index}")
    stated = {"claim": record.claim, "registrant": first.entry["actor"], "filed": first.entry["time"]}
    copied = ("document_sha256", "service", "instrument", "nonce_sha256", "precedence", "check")
    for name, value in {**stated, **{name: first.payload[name] for name in copied}}.items():
        require(receipt[name] == value, f"receipt.json: its {name} is not that of entry {first.index}")
    entry = receipt["entry"]
    same = unbase64(entry["canonical"], "receipt.json") == first.canonical and entry["object"] == first.entry
    require(same and entry["leaf_hash"] == leaf_of(first.canonical).hex(), "receipt.json: its entry is another")
    return f"signed by {key} at {first.entry['time']}"


def check_lifecycle(files: Files, record: Record) -> str:
    """Registered, then opened, then measured, then judged; a verdict is replaced only after a correction."""
    del files
    opened: list[str] = []
    recorded: set[str] = set()
    judged = corrected = False
    for proven in record.entries[1:]:
        where = f"{ENTRIES}: entry {proven.index}, {proven.type},"
        require(proven.type != "registered", where + " registers the claim again")
        if proven.type == "opened":
            require(proven.run not in opened, where + " opens its run again")
            opened.append(proven.run)
        elif proven.type in {"run_ended", "evidence_recorded", "refused", "adjudicated", "voided", "corrected"}:
            require(proven.run in opened, where + " comes before its run was opened")
        if proven.type == "evidence_recorded":
            require(proven.run not in recorded, where + " records its run again")
            recorded.add(proven.run)
        elif proven.type == "corrected":
            require(judged, where + " corrects what was not judged")
            corrected = True
        elif proven.type == "adjudicated":
            require(proven.run in recorded, where + " judges what has no evidence")
            require(proven.run == opened[0], where + " judges by another run than the first opened")
            require(not judged or corrected, where + " judges again without a correction")
            judged, corrected = True, False
    return ", ".join(proven.type for proven in record.entries)


def check_nonce(files: Files, record: Record) -> str:
    """The nonce revealed is the one committed to at filing."""
    del files
    opened = record.of_type("opened")
    if not opened:
        return "not revealed: no run was opened"
    nonce = bytes.fromhex(opened[0].payload["nonce"])
    found = hashlib.sha256(nonce).hexdigest()
    require(found == record.entries[0].payload["nonce_sha256"], "the nonce revealed is not the one committed to")
    return f"revealed in entry {opened[0].index} as committed to in entry {record.entries[0].index}"


def check_evidence(files: Files, record: Record) -> str:
    """Evidence and rows are those that the log names."""
    for name, proven in record.evidence():
        document = files.read(name)
        evidence, stated = parsed(document, name), proven.payload
        found = hashlib.sha256(document).hexdigest()
        require(found == stated["evidence_sha256"], f"{name} is not the evidence that entry {proven.index} names")
        require_enclosed(stated["evidence"], document, name, proven)
        rows = rows_name(proven.run)
        wanted = {evidence["rows_sha256"], stated["rows_sha256"]}
        require(wanted == {files.sha256(rows)}, f"{rows} is not what {name} and entry {proven.index} name")
        again = again_sha256(evidence)
        if again is not None:
            require(files.sha256(again_name(proven.run)) == again, f"{again_name(proven.run)} is not what {name} names")
    count = len(record.evidence())
    return f"{count} recorded, with their rows, as the log names them" if count else "none was recorded"


def check_judgement(files: Files, record: Record) -> str:
    """What was adjudicated stands on the figures of the evidence; the verdict itself is not computed again."""
    adjudicated = record.of_type("adjudicated")
    for proven in adjudicated:
        name = [name for name, entry in record.evidence() if entry.run == proven.run and entry.index < proven.index][-1]
        estimates = files.json(name)["estimates"]
        metrics = {each["id"]: each["metric"] for each in files.json("registration.json")["hypotheses"]}
        for judged in proven.payload["hypotheses"]:
            figures = estimates.get(metrics[judged["id"]], NO_FIGURES)
            wanted = [figures[name] for name in NO_FIGURES]
            found = [judged["estimate"], judged["lo"], judged["hi"], judged["level"]]
            require(found == wanted, f"entry {proven.index}: hypothesis {judged['id']} is judged on other figures")
    return f"{len(adjudicated)} on the figures of the evidence" if adjudicated else "none on figures"


def require_enclosed(enclosed: object, document: bytes, name: str, proven: ProvenEntry) -> None:
    """The payload holds the document itself, or its hash and size."""
    if isinstance(enclosed, dict) and set(enclosed) == {"sha256", "size"}:
        same = enclosed == {"sha256": hashlib.sha256(document).hexdigest(), "size": len(document)}
    else:
        same = enclosed == parsed(document, name)
    require(same, f"{name} is not the document in entry {proven.index}")


CHECKS: tuple[tuple[str, Check], ...] = (
    ("registration", check_registration),
    ("entries", check_entries),
    ("checkpoint", check_checkpoint),
    ("receipt", check_receipt),
    ("order", check_lifecycle),
    ("nonce", check_nonce),
    ("evidence", check_evidence),
    ("judgements", check_judgement),
)
