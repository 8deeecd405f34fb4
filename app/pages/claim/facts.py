"""Who measured it, with what: the code, the subject, the machine, the randomness and the cost, as terms and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.pages import words
from app.pages.claim.record import ClaimRecord
from claims.entries import Entry
from claims.evidence import Evidence, Provenance
from claims.registration.model import GeneratedDataset, HuggingFaceModel, LocalModel, OrganismModel, Subject, TinyModel

FLOOR = "token_layers_floor"
SHORT = 12  # characters of a commit or hash that are enough to recognise it


@dataclass(frozen=True)
class Fact:
    """A term with its value. `full` is what a shortened value stands for, shown on hover and copied."""

    term: str
    value: str
    full: str = ""
    note: str = ""
    code: bool = False


@dataclass(frozen=True)
class FactGroup:
    title: str
    facts: tuple[Fact, ...]


def fact_groups(record: ClaimRecord) -> list[FactGroup]:
    """What is known of the measurement; before it, what the registration and the receipt fix already."""
    entries = {entry.type: entry for entry in record.entries}
    groups = [
        FactGroup("Code", (*_frozen_code(entries["registered"]), *_code(record.evidence, entries["registered"]))),
        FactGroup("Subject", (*_subject(record.registration.subject), *_measured_subject(record.evidence))),
        FactGroup("Randomness", _randomness(entries)),
    ]
    if record.evidence:
        groups += [FactGroup("Machine", _machine(record.evidence)), FactGroup("Cost", _cost(record.evidence))]
    return groups


def commit(term: str, value: str, dirty: str, note: str = "") -> Fact:
    """A commit as twelve characters with `+dirty` or `+unknown` where the tree was not known to be clean."""
    mark = "" if dirty == "clean" else f"+{dirty}"
    return Fact(term, value[:SHORT] + mark, full=value + mark, note=note, code=True)


def digest(term: str, value: str, note: str = "") -> Fact:
    return Fact(term, value[:SHORT] + "…", full=value, note=note, code=True)


def parameters(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {said(value)}" for name, value in values.items())


def _frozen_code(registered: Entry) -> list[Fact]:
    service, instrument = registered.payload["service"], registered.payload["instrument"]
    return [
        Fact("Instrument", f"{instrument['name']} version {instrument['version']}"),
        commit("Commit at freeze", service["commit"], service["dirty"]),
        digest("Instrument source at freeze", instrument["source_sha256"]),
    ]


def _code(evidence: Evidence | None, registered: Entry) -> list[Fact]:
    if evidence is None:
        return []
    measured, instrument = evidence.provenance, registered.payload["instrument"]
    same = "as frozen" if measured.instrument_source_sha256 == instrument["source_sha256"] else "not as frozen"
    facts = [
        commit("Commit at run", measured.commit, measured.dirty, _drift(measured, registered.payload["service"])),
        digest("Instrument source at run", measured.instrument_source_sha256, same),
    ]
    return [*facts, digest("Uncommitted changes", measured.diff_sha256)] if measured.diff_sha256 else facts


def _drift(measured: Provenance, frozen: Mapping[str, Any]) -> str:
    if measured.commit != frozen["commit"]:
        return "drifted: another commit than at freeze"
    return "" if measured.dirty == frozen["dirty"] else "the commit at freeze, its tree in another state"


def _subject(subject: Subject) -> list[Fact]:
    facts = [_model(subject)]
    match subject.model:
        case HuggingFaceModel():
            facts.append(commit("Revision", subject.model.revision, "clean"))
        case LocalModel():
            facts.append(digest("Weights, as frozen", subject.model.weights_sha256))
        case OrganismModel() if subject.model.params:
            facts.append(Fact("Recipe", parameters(subject.model.params)))
    match subject.dataset:
        case GeneratedDataset():
            facts.append(Fact("Dataset", f"{subject.dataset.generator}", note="generated after the freeze"))
        case _:
            facts.append(
                Fact("Dataset", subject.dataset.name, note=f"dimensions {', '.join(subject.dataset.dimensions)}")
            )
            facts.append(digest("Dataset, as frozen", subject.dataset.sha256))
    return facts


def _model(subject: Subject) -> Fact:
    match subject.model:
        case HuggingFaceModel():
            return Fact("Model", subject.model.repo, note="Hugging Face")
        case LocalModel():
            return Fact("Model", subject.model.directory, note="directory under the model root")
        case OrganismModel():
            return Fact("Model", subject.model.recipe, note="organisms, trained by the run itself")
        case TinyModel():
            return Fact("Model", f"tiny, seed {subject.model.seed}", note="random weights, two layers")


def _measured_subject(evidence: Evidence | None) -> list[Fact]:
    if evidence is None:
        return []
    model, dataset = evidence.subject.model, evidence.subject.dataset
    facts = [Fact("Items measured", words.count(dataset.n))]
    if model.weights_sha256:
        facts.append(digest("Weights, as measured", model.weights_sha256))
    if dataset.sha256:
        facts.append(digest("Dataset, as measured", dataset.sha256))
    return [*facts, Fact("Access", ", ".join(evidence.access)), Fact("Gauge", evidence.gauge)]


def _randomness(entries: Mapping[str, Entry]) -> tuple[Fact, ...]:
    committed = digest("Nonce committed", entries["registered"].payload["nonce_sha256"], "SHA-256, in the receipt")
    if "opened" not in entries:
        return (committed, Fact("Nonce", "not revealed yet"))
    opened = entries["opened"].payload
    return (
        committed,
        digest("Nonce revealed", opened["nonce"], "every seed is an HMAC of it with the document's hash and a label"),
        Fact("Public beacon", f"round {opened['beacon']['round']}" if opened["beacon"] else "none"),
    )


def _machine(evidence: Evidence) -> tuple[Fact, ...]:
    model, provenance = evidence.subject.model, evidence.provenance
    return (
        Fact("Device", model.device),
        Fact("Number format", model.dtype),
        Fact("Attention", model.attention),
        Fact("Platform", provenance.platform),
        Fact("Packages", _packages(provenance)),
        Fact("Conformance", *_conformance(evidence.conformance)),
    )


def _conformance(measured: Mapping[str, Any]) -> tuple[str, str, str]:
    """What the gate found, in words, nothing shortened, and a note; of several parts, the largest of each number."""
    parts = list(measured.values())
    if not parts or not all(isinstance(part, Mapping) for part in parts):
        return parameters(measured) or "nothing recorded", "", ""
    names = dict.fromkeys(name for part in parts for name in part)
    worst = {name: _worst([part[name] for part in parts if name in part]) for name in names}
    return parameters(worst), "", f"the largest over {len(parts)} parts of the run; each is in the evidence"


def _worst(values: Sequence[Any]) -> Any:  # noqa: ANN401 - JSON values
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) == len(values):
        return max(numbers, key=abs)
    return ", ".join(dict.fromkeys(said(value) for value in values))


def _packages(provenance: Provenance) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(provenance.packages.items()))


def _cost(evidence: Evidence) -> tuple[Fact, ...]:
    spent = [_spent(name, value) for name, value in evidence.cost.items() if name != FLOOR]
    return tuple(
        replace(fact, note=_over_floor(evidence.cost)) if fact.term == "Token layers" else fact for fact in spent
    )


def _over_floor(cost: Mapping[str, float]) -> str:
    """How that compares with what the measurements need, each by itself; a prefix that runs share may undercut it."""
    floor = cost.get(FLOOR)
    if not floor:
        return "positions times layers evaluated"
    times = words.number(cost["token_layers"] / floor)
    return f"positions times layers evaluated; {times} times the floor, {words.count(int(floor))}"


def _spent(name: str, value: float) -> Fact:
    said_so = {"seconds": ("time", words.duration), "bytes": ("size", words.memory)}
    for unit, (otherwise, shown) in said_so.items():
        if name.endswith(unit):
            return Fact(_term(name.removesuffix(unit) or otherwise), shown(value))
    if name == "attempts":
        return Fact("Leases taken", words.count(int(value)), note="once for each part of the run, and for each retry")
    return Fact(_term(name), words.count(int(value)) if value == int(value) else words.number(value))


def _term(name: str) -> str:
    return name.strip("_").replace("_", " ").capitalize()


def said(value: object) -> str:
    """A value of a JSON document in words: numbers rounded, objects as terms and values."""
    if isinstance(value, Mapping):
        return parameters(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return min(words.figure(value), words.number(value), key=len)
    return str(value)
