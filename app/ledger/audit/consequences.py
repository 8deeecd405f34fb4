"""What entries follow from others: claims that become contested, and the precedence that a filing states."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.ledger.audit.findings import Findings
from app.ledger.audit.memory import MemoryStore
from app.ledger.projections.claims import undermines
from app.ledger.subjects import dataset_name, weights_name
from claims.entries import Entry
from claims.precedence import precedence_at_filing
from claims.registration.model import LocalModel, OrganismModel, Registration


class Consequences:
    """The rules of `app.ledger.contest` and `app.ledger.precedence`, over what was read so far."""

    def __init__(self, store: MemoryStore, findings: Findings) -> None:
        self.store, self.findings = store, findings
        self._awaited: deque[tuple[str, dict[str, Any]]] = deque()
        self._builds_on: dict[str, list[str]] = {}
        self._built_on: dict[str, list[str]] = defaultdict(list)
        self._measured: set[tuple[str, str, str]] = set()
        self._names: dict[str, set[str]] = {}  # of weights that were measured: all that they are known by

    def expect_before(self, entry: Entry) -> None:
        """Entries that follow from an earlier one stand right behind it, and nowhere else."""
        if entry.type == "contested":
            expected = self._awaited.popleft() if self._awaited else None
            found = (entry.claim, dict(entry.payload))
            self.findings.expect(
                found == expected, f"entry {entry.seq}", "nothing before it makes this claim contested"
            )
        else:
            self.end()

    def end(self) -> None:
        """No claim that should be contested was left out."""
        while self._awaited:
            claim, payload = self._awaited.popleft()
            what = f"claim {claim} became contested by it, and no entry says so"
            self.findings.add(f"entry {payload['entry']}", what)

    def check_precedence(self, entry: Entry) -> None:
        if entry.type != "registered":
            return
        registration = Registration.model_validate(self.store.document(entry.payload["registration"]))
        self.store.keep_registration(str(entry.claim), registration)
        amended = None if registration.amends is None else self.store.states.get(registration.amends.claim)
        expected = precedence_at_filing(
            registration,
            amended_after_opening=amended is not None and amended.opened is not None,
            earlier_evidence=self._measured_before(registration),
        )
        said = entry.payload["precedence"]
        what = f"its precedence is {said}, and by what was on the ledger then it is {expected}"
        self.findings.expect(said == expected, f"entry {entry.seq}", what)

    def follow(self, entry: Entry) -> None:
        """What the entry, applied, has for its consequences."""
        claim = str(entry.claim)
        if entry.type == "registered":
            ancestors = self.store.registration(claim).builds_on
            self._builds_on[claim] = list(ancestors)
            for ancestor in ancestors:
                self._built_on[ancestor].append(claim)
            fallen = sorted(filter(self._fell, _reached(claim, self._builds_on)), key=self._seq)
            self._awaited += [(claim, {"ancestor": one, "entry": entry.seq}) for one in fallen[:1]]
        elif entry.type in {"adjudicated", "superseded"} and self._fell(claim):
            standing = [one for one in _reached(claim, self._built_on) if not self.store.states[one].contested]
            marks = [(one, {"ancestor": claim, "entry": entry.seq}) for one in sorted(standing, key=self._seq)]
            self._awaited += marks
        elif entry.type == "evidence_recorded":
            self._note_measured(claim, self.store.document(entry.payload["evidence"]))

    def _measured_before(self, registration: Registration) -> bool:
        own = weights_name(registration.subject.model)
        instrument, dataset = registration.instrument.name, dataset_name(registration.subject.dataset)
        return any((instrument, dataset, name) in self._measured for name in self._names.get(own, {own}))

    def _note_measured(self, claim: str, body: Mapping[str, Any]) -> None:
        registration = self.store.registration(claim)
        dataset = body["subject"]["dataset"]["sha256"] or dataset_name(registration.subject.dataset)
        model, sha256 = registration.subject.model, body["subject"]["model"]["weights_sha256"]
        named = () if isinstance(model, LocalModel) else (weights_name(model),)
        names = (*named, sha256) if sha256 else named
        self._measured |= {(body["instrument"], dataset, name) for name in names}
        if not isinstance(model, OrganismModel):
            self._join(names)

    def _join(self, names: Sequence[str]) -> None:
        """From now on these are known to be the same, and all that are the same as any of them."""
        same = sorted((self._names.get(name, {name}) for name in names), key=len)
        for fewer in same[:-1]:
            same[-1].update(fewer)
        self._names |= {name: same[-1] for each in same for name in each}

    def _fell(self, claim: str) -> bool:
        return undermines(self.store.states[claim])

    def _seq(self, claim: str) -> int:
        return self.store.states[claim].registered


def _reached(claim: str, edges: Mapping[str, list[str]]) -> Iterator[str]:
    """Every claim that a path of these edges leads to."""
    seen: set[str] = set()
    waiting = list(edges.get(claim, ()))
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            waiting += edges.get(found, ())
            yield found
